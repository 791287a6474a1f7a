import { CsvError, parse } from 'csv-parse/sync';
import { AppError } from '../../common/contract/errors.ts';
import { dropUnnamedEnd, findSeparatorLine, isSpacedHeader } from '../../common/csv-habits.ts';
import { CSV_SEPARATORS } from '../../common/model/exports/export-options.ts';
import {
  MAX_OWN_CELL,
  MAX_OWN_COLUMNS,
  MAX_OWN_ROWS,
  toOwnSqlName,
  type OwnRows,
  type OwnTableFault,
} from '../../common/model/connections/own-table.ts';

const MAX_NAME = 60;

/** A table as its file has it: the names of its columns, and a text for each of them in every row. */
export interface ReadTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads a CSV file with a header, however its cells are separated. Blanks around a cell are no part of it, and rows without
 * any text are none. Throws `own-tables.unreadable` with what is wrong, and in which row of the file.
 */
export function readTable(text: string): ReadTable {
  if (text.includes('\uFFFD') || text.includes('\0')) throw unreadable('encoding');
  const body = text.slice(findSeparatorLine(text).length);
  const [firstLine = ''] = body.split(/[\r\n]/, 1);
  const count = (separator: string): number => firstLine.split(separator).length;
  const separator = CSV_SEPARATORS.reduce((best, next) => (count(next) > count(best) ? next : best));
  const [header, ...lines] = parseCells(body, separator, isSpacedHeader(firstLine.split(separator)));
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

function parseCells(text: string, separator: string, isSpaced: boolean): string[][] {
  try {
    const rows = parse(text, {
      bom: true,
      delimiter: separator,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      relax_column_count: true,
      ltrim: isSpaced,
    });
    return rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines } = error as { readonly lines?: unknown };
    throw unreadable('quotes', { row: typeof lines === 'number' ? lines : 1 });
  }
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
