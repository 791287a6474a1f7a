import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import { dropUnnamedEnd, findSeparatorLine, isSpacedHeader } from '../../common/csv-habits.ts';
import {
  MAX_OWN_CELL,
  MAX_OWN_COLUMNS,
  MAX_OWN_ROWS,
  MAX_OWN_TABLES,
  type OwnRows,
  type OwnTable,
  type OwnTableFault,
  type OwnTableField,
  type OwnTableMatches,
  toOwnSqlName,
} from '../../common/model/connections/own-table.ts';
import { CSV_SEPARATORS } from '../../common/model/exports/export-options.ts';
import { SQL_TIME_LIMIT_MS } from '../../common/model/records/sql.ts';
import { DIRECTIONS, listFields } from '../../common/reporting/reports.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { makePrivateFolder, tryToRemove, writeFileAtomically } from '../../node/files.ts';
import { type CsvFormat, readAllRows } from '../../node/record-files.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { OwnTableSource } from '../analysis/engine/own-values.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';

const SHOWN_ROWS = 5;

/** The handlers of `own-tables/…`. */
export function createOwnTablesHandlers(parts: {
  readonly connections: Pick<ConnectionStore, 'saveTables'>;
  readonly ownTableFiles: OwnTableFiles;
  readonly engine: ValueEngine;
  now(): number;
}): HandlersOf<'own-tables'> {
  const { connections, ownTableFiles: files, engine, now } = parts;
  return {
    'own-tables/read-file': ({ text }) => {
      const { columns, rows } = readTable(text);
      return {
        columns: [...columns],
        rowCount: rows.length,
        rows: rows.slice(0, SHOWN_ROWS).map((row) => [...row]),
      };
    },
    'own-tables/count-matches': ({ connectionId, field, keyColumn, text }) => {
      const { rows } = toOwnRows(readTable(text), keyColumn);
      const keys = new Set(rows.map(([key]) => key));
      return countMatches(engine, { connectionId, field, fromMs: 0, toMs: now() + DAY_MS }, keys);
    },
    'own-tables/save': async ({ connectionId, tableId, name, field, keyColumn, text }) => {
      const { columns, rows } = toOwnRows(readTable(text), keyColumn);
      const id = randomUUID();
      const table: OwnTable = {
        id,
        name: name.trim(),
        field,
        columns,
        rowCount: rows.length,
        savedAtMs: now(),
      };
      await files.write(id, rows);
      return connections.saveTables(connectionId, (tables) => put(tables, tableId, table));
    },
    'own-tables/remove': ({ connectionId, tableId }) =>
      connections.saveTables(connectionId, (tables) => {
        if (!tables.some(({ id }) => id === tableId)) throw notFound();
        return tables.filter(({ id }) => id !== tableId);
      }),
    'own-tables/restore': ({ connectionId, table }) => {
      if (!files.has(table.id)) throw notFound();
      return connections.saveTables(connectionId, (tables) => put(tables, null, table));
    },
  };
}

type ValueEngine = Pick<Engine, 'runSql' | 'readSqlRows' | 'closeSqlResult'>;

const READ_ROWS = 10_000;

async function countMatches(
  engine: ValueEngine,
  { field, ...period }: { connectionId: string; field: OwnTableField; fromMs: number; toMs: number },
  keys: ReadonlySet<string | undefined>,
): Promise<OwnTableMatches> {
  const selects = DIRECTIONS.flatMap((direction) => {
    const [, column] = listFields(`${direction}-detail`).find(([name]) => name === field) ?? [];
    return column === undefined
      ? []
      : [
          `SELECT CAST(${column.column} AS VARCHAR) AS value FROM ${direction} WHERE ${column.column} IS NOT NULL`,
        ];
  });
  const text = `SELECT value FROM (${selects.join(' UNION ')}) WHERE value <> ''`;
  const found = await engine.runSql({ ...period, zone: 'UTC', text, timeLimitMs: SQL_TIME_LIMIT_MS });
  if (found.kind === 'failed')
    throw new AppError('analysis.failed', found.message, { reason: found.message });
  const { resultId, rowCount: valueCount, hasMore } = found;
  try {
    let matchCount = 0;
    for (let offset = 0; offset < valueCount; offset += READ_ROWS) {
      const rows = await engine.readSqlRows({ resultId, offset, limit: READ_ROWS, whole: true });
      matchCount += rows.filter(([value]) => keys.has(String(value))).length;
    }
    return { valueCount, matchCount, hasMore };
  } finally {
    await engine.closeSqlResult(resultId);
  }
}

/** A table that is replaced has rows, and an id, of its own: what reads the ones before isn't disturbed. */
function put(tables: readonly OwnTable[], tableId: string | null, table: OwnTable): readonly OwnTable[] {
  if (tableId !== null && !tables.some(({ id }) => id === tableId)) throw notFound();
  const others = tables.filter(({ id }) => id !== tableId && id !== table.id);
  const isSame = ({ name }: OwnTable): boolean => toOwnSqlName(name, '') === toOwnSqlName(table.name, '');
  if (others.some(isSame))
    throw new AppError('own-tables.name-taken', 'Another table has this name.', { name: table.name });
  if (others.length >= MAX_OWN_TABLES)
    throw new AppError('own-tables.too-many', `At most ${MAX_OWN_TABLES} tables are kept.`, {
      most: MAX_OWN_TABLES,
    });
  if (tableId === null) return [...others, table];
  return tables.map((own) => (own.id === tableId ? table : own));
}

function notFound(): AppError {
  return new AppError('own-tables.not-found', 'There is no such table.');
}

const MAX_NAME = 60;

/** A table as its file has it: the names of its columns, and a text for each of them in every row. */
interface ReadTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads a CSV file with a header, however its cells are separated. Blanks around a cell are no part of it, and rows without
 * any text are none. Throws `own-tables.unreadable` with what is wrong, and in which row of the file.
 */
export function readTable(text: string): ReadTable {
  if (text.includes('\uFFFD') || text.includes('\0')) throw unreadable('encoding');
  const [firstLine = ''] = text
    .slice(findSeparatorLine(text).length)
    .trimStart()
    .split(/[\r\n]/, 1);
  const count = (separator: string): number => firstLine.split(separator).length;
  const separator = CSV_SEPARATORS.reduce((best, next) => (count(next) > count(best) ? next : best));
  const [header, ...lines] = readCells(text, separator, isSpacedHeader(firstLine.split(separator)));
  if (header === undefined || lines.length === 0) throw unreadable('no-rows');
  const columns = dropUnnamedEnd(header).map((name) => name.trim());
  if (columns.length < 2) throw unreadable('no-columns');
  if (columns.length > MAX_OWN_COLUMNS + 1)
    throw unreadable('too-many-columns', { count: columns.length, most: MAX_OWN_COLUMNS + 1 });
  if (columns.includes('')) throw unreadable('no-name', { column: columns.indexOf('') + 1 });
  const long = columns.find((name) => name.length > MAX_NAME);
  if (long !== undefined) throw unreadable('long-name', { name: long, most: MAX_NAME });
  // Names that differ in letter case or signs alone would be one in a statement.
  const sqlNames = columns.map((name) => toOwnSqlName('', name));
  const twice = columns.find((_name, place) => sqlNames.indexOf(sqlNames[place] ?? '') !== place);
  if (twice !== undefined) throw unreadable('column-twice', { name: twice });
  if (lines.length > MAX_OWN_ROWS)
    throw unreadable('too-many-rows', { count: lines.length, most: MAX_OWN_ROWS });
  const rows = lines.map((cells, place) =>
    columns.map((_name, column) => {
      const cell = (cells[column] ?? '').trim();
      if (cell.length > MAX_OWN_CELL) throw unreadable('long-cell', { row: place + 2, most: MAX_OWN_CELL });
      return cell;
    }),
  );
  return { columns, rows };
}

/**
 * The rows of a table whose key is in one of its columns; those without a key are left out. Throws
 * `own-tables.unreadable` where the column isn't there, or a key is there twice.
 */
export function toOwnRows(
  { columns, rows }: ReadTable,
  keyColumn: string,
): { readonly columns: string[]; readonly rows: OwnRows } {
  const place = columns.indexOf(keyColumn);
  if (place < 0) throw unreadable('no-key', { name: keyColumn });
  const rowOfKey = new Map<string, number>();
  const keyed = rows.flatMap((cells, row) => {
    const key = cells[place] ?? '';
    if (key === '') return [];
    const before = rowOfKey.get(key);
    if (before !== undefined) throw unreadable('key-twice', { key, first: before + 2, row: row + 2 });
    rowOfKey.set(key, row);
    return [[key, ...cells.filter((_cell, column) => column !== place)]];
  });
  if (keyed.length === 0) throw unreadable('no-rows');
  return { columns: columns.filter((_name, column) => column !== place), rows: keyed };
}

function readCells(text: string, separator: CsvFormat['separator'], isSpaced: boolean) {
  return readAllRows(text, { kind: 'csv', separator, isSpaced }).flatMap((row) => {
    if ('fault' in row) throw unreadable('quotes', { row: row.line });
    return row.cells.some((cell) => cell.trim() !== '') ? [row.cells] : [];
  });
}

/** What the command line says; the window has its own words for each. */
const SENTENCES: Readonly<Record<OwnTableFault, (details: FaultDetails) => string>> = {
  encoding: () => 'The file is not UTF-8: save it as CSV UTF-8.',
  quotes: ({ row }) => `Near line ${row} a quotation mark is missing, or stands inside a cell.`,
  'no-rows': () => 'The file has no row below its header that has a key.',
  'no-columns': () => 'The file needs a column with the key and at least one more.',
  'no-name': ({ column }) => `Column ${column} has no name.`,
  'column-twice': ({ name }) => `The column "${name}" is there twice, letter case and signs aside.`,
  'key-twice': ({ key, first, row }) => `The key "${key}" is in row ${first} and in row ${row}.`,
  'too-many-rows': ({ count, most }) => `The file has ${count} rows; a table has at most ${most}.`,
  'too-many-columns': ({ count, most }) => `The file has ${count} columns; a table has at most ${most}.`,
  'long-cell': ({ row, most }) => `Row ${row} has a cell of more than ${most} characters.`,
  'long-name': ({ name, most }) => `The name "${name}" has more than ${most} characters.`,
  'no-key': ({ name }) => `The file has no column "${name}".`,
};
type FaultDetails = Readonly<Record<string, string | number>>;

function unreadable(fault: OwnTableFault, details: FaultDetails = {}): AppError {
  return new AppError('own-tables.unreadable', SENTENCES[fault](details), { reason: fault, ...details });
}

/** The rows of tables, a JSON file for each in a folder of the data folder. */
export interface OwnTableFiles {
  write(tableId: string, rows: OwnRows): Promise<void>;
  has(tableId: string): boolean;
  /** Rejects with the system's error where there is no file. */
  read(tableId: string): Promise<OwnRows>;
  /** The tables of a connection that have their file. */
  list(connection: SavedConnection): OwnTableSource[];
}

/** Opens the folder; files of tables that no connection has any more are removed. */
export async function openOwnTableFiles(options: {
  readonly dataFolder: string;
  readonly connections: readonly SavedConnection[];
  readonly logger: Logger;
}): Promise<OwnTableFiles> {
  const { dataFolder, connections, logger } = options;
  const folder = join(dataFolder, 'own-tables');
  const toFile = (tableId: string): string => join(folder, `${tableId}.json`);
  makePrivateFolder(folder);
  const known = new Set(connections.flatMap(({ tables = [] }) => tables.map(({ id }) => `${id}.json`)));
  for (const name of await readdir(folder)) {
    if (known.has(name) || !name.endsWith('.json')) continue;
    await tryToRemove(join(folder, name), (error) => logger.warn('own table not removed', { error }));
  }
  return {
    write: (tableId, rows) => writeFileAtomically(toFile(tableId), JSON.stringify(rows)),
    has: (tableId) => existsSync(toFile(tableId)),
    read: async (tableId) => JSON.parse(await readFile(toFile(tableId), 'utf8')) as OwnRows,
    list: ({ tables = [] }) =>
      tables.map((table) => ({ ...table, file: toFile(table.id) })).filter(({ file }) => existsSync(file)),
  };
}
