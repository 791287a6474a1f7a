import { readFile } from 'node:fs/promises';
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import { foldCase } from '../../../common/fold-case.ts';
import {
  listOwnFields,
  type OwnRows,
  type OwnTable,
  type OwnTableField,
} from '../../../common/model/connections/own-table.ts';
import { type BodyField, isOwnField } from '../../../common/model/records/body-path.ts';
import type { FieldCondition } from '../../../common/model/records/record-filter.ts';
import type { RecordMark } from '../../../common/model/records/record.ts';
import { listLeaves, mapLeaves } from '../../../common/query/filter-tree.ts';
import { matchesWildcard } from '../../../common/query/text-tests.ts';
import type { DetailKind, Direction } from '../../../common/reporting/reports.ts';
import { toPatternsSql } from '../../../common/sql/filter-statement.ts';
import { readRows, toTypes } from './engine-database.ts';
import { findColumn, OWN_VALUES_TABLE } from './engine-tables.ts';
import type { KeptCondition, KeptPath, MarkedCondition } from './filter-sql.ts';
import { type FilteredRecords, type ResolvedScope, toSourceSql } from './resolved-scope.ts';

/** A table with the file of its rows, which the engine's process reads itself. */
export interface OwnTableSource extends OwnTable {
  readonly file: string;
}

/** Tables of a person's own, by the connection that they belong to. */
export type OwnTablesByConnection = Readonly<Record<string, readonly OwnTableSource[]>>;

/** A column of a table of one's own, as the engine's statements read it. */
export interface OwnColumn {
  readonly field: BodyField;
  /** What its table is joined by: it decides the value. */
  readonly by: OwnTableField;
  /** Different values in the table. */
  readonly valueCount: number;
  /** How SQL of a person names it. */
  readonly sqlName: string;
  /** Its value for a record, as a text; null where the table says nothing of it. */
  readonly sql: string;
}

/** What a person's own tables say of records. */
export interface OwnValues {
  /** Takes the tables of all connections; the rows of those that are new are read before the next answer. */
  set(tables: OwnTablesByConnection): void;
  listColumns(connectionId: string, direction: Direction): Promise<readonly OwnColumn[]>;
  /** Undefined for a field that is none of a table, or of one that the connection doesn't have. */
  find(connectionId: string, direction: Direction, field: string): Promise<KeptPath | undefined>;
  /** Returns the records with a filter whose conditions on own columns know what they read. */
  resolve(records: FilteredRecords, connectionId: string): Promise<FilteredRecords>;
}

/**
 * Creates them over a connection of their own. Their rows are derived from the tables' files: each process reads them
 * anew. A column of a table has a number, which no other gets within a process: a statement may still read it.
 */
export async function createOwnValues(connection: DuckDBConnection): Promise<OwnValues> {
  // What a process before this one read: nothing is written yet, since the disk may be full.
  const [[lastPlace] = [null]] = await readRows<[number | null]>(
    connection,
    `SELECT max(place) FROM ${OWN_VALUES_TABLE}`,
  );
  let hasOthers = lastPlace !== null;
  let tables: OwnTablesByConnection = {};
  /** The number of the first column of each table that was read. */
  const places = new Map<string, number>();
  /** How many values each column has, by its number. */
  const valueCounts = new Map<number, number>();
  let nextPlace = lastPlace === null ? 0 : lastPlace + 1;
  let loading: Promise<void> = Promise.resolve();

  async function read({ id, file, columns }: OwnTableSource): Promise<void> {
    const rows = JSON.parse(await readFile(file, 'utf8')) as OwnRows;
    const first = nextPlace;
    nextPlace += columns.length;
    const appender = await connection.createAppender(OWN_VALUES_TABLE);
    for (const [key = '', ...values] of rows)
      for (const [column, value] of values.entries())
        if (value !== '') append(appender, first + column, key, value);
    appender.closeSync();
    for (const column of columns.keys()) {
      const values = new Set(rows.map((row) => row[column + 1] ?? ''));
      values.delete('');
      valueCounts.set(first + column, values.size);
    }
    places.set(id, first);
  }

  async function load(): Promise<void> {
    const wanted = Object.values(tables).flat();
    for (const table of wanted) {
      // A file that can't be read leaves its columns unknown, which is said where one is asked for.
      if (!places.has(table.id)) await read(table).catch(() => undefined);
    }
    const gone = [...places.keys()].filter((id) => !wanted.some((table) => table.id === id));
    for (const id of gone) places.delete(id);
    const kept = wanted.flatMap(({ id, columns }) => {
      const first = places.get(id);
      return first === undefined ? [] : columns.map((_name, column) => first + column);
    });
    if (gone.length === 0 && !hasOthers) return;
    // Nobody asks for rows that stay where they can't be deleted.
    hasOthers = await connection
      .run(`DELETE FROM ${OWN_VALUES_TABLE} WHERE place NOT IN (${[-1, ...kept].join(', ')})`)
      .then(
        () => false,
        () => true,
      );
  }

  const listColumns: OwnValues['listColumns'] = async (connectionId, direction) => {
    await loading;
    return listOwnFields(tables[connectionId]).flatMap(({ table, column, field, sqlName }) => {
      const first = places.get(table.id);
      if (first === undefined) return [];
      const place = first + table.columns.indexOf(column);
      const valueCount = valueCounts.get(place) ?? 0;
      return [
        { field, by: table.field, valueCount, sqlName, sql: toValueSql(place, table.field, direction) },
      ];
    });
  };
  const find: OwnValues['find'] = async (connectionId, direction, field) => {
    if (!isOwnField(field)) return undefined;
    const column = (await listColumns(connectionId, direction)).find((own) => own.field === field);
    return column === undefined ? undefined : { column: column.sql };
  };

  return {
    listColumns,
    find,
    set(next) {
      tables = next;
      loading = loading.then(load);
    },
    async resolve(records, connectionId) {
      const { scope, filter } = records;
      const asked = new Set(listLeaves(filter).flatMap(({ field }) => (isOwnField(field) ? [field] : [])));
      if (asked.size === 0) return records;
      const columns = await listColumns(connectionId, scope.direction);
      const resolved = mapLeaves(filter, (condition) => {
        const own = columns.find(({ field }) => field === condition.field);
        return own === undefined
          ? condition
          : ({ ...condition, kept: { column: own.sql } } satisfies KeptCondition);
      });
      return { scope, filter: resolved };
    },
  };
}

function append(appender: DuckDBAppender, place: number, key: string, value: string): void {
  appender.appendInteger(place);
  appender.appendVarchar(key);
  appender.appendVarchar(value);
  appender.endRow();
}

/** Numbers are keys as they are written. */
function toValueSql(place: number, field: OwnTableField, direction: Direction): string {
  const column = findColumn(field, direction);
  if (column === null) return 'NULL::VARCHAR';
  return `(SELECT own.value FROM ${OWN_VALUES_TABLE} AS own WHERE own.place = ${place} AND own.key = ${column.name}::VARCHAR)`;
}

/** Marks as the engine reads them from the cache. */
export interface MarkSource {
  listMarks(
    connectionId: string,
    report: DetailKind,
  ): readonly { readonly sessionId: string; readonly dateMs: number | null }[];
  /** The mark of each record, null for one without. */
  readMarks(report: DetailKind, ids: readonly number[]): readonly (RecordMark | null)[];
}

/** True for a condition on what a person noted on a record, which the engine has no columns for. */
function isOnMarks({ field }: FieldCondition): boolean {
  return field === 'mark' || field === 'note';
}

/** Returns the records with a filter that has the ids which its conditions on marks and notes stand for. */
export async function resolveMarks(
  connection: DuckDBConnection,
  records: FilteredRecords,
  source: MarkSource,
  connectionId: string,
): Promise<FilteredRecords> {
  const { scope, filter } = records;
  if (!listLeaves(filter).some(isOnMarks)) return records;
  const report = `${scope.direction}-detail` as const;
  const wanted = source.listMarks(connectionId, report);
  const ids = wanted.length === 0 ? [] : await findCandidates(connection, scope, wanted);
  const marks = source.readMarks(report, ids);
  const matched = new Map<FieldCondition, ReadonlySet<string>>();
  for (const condition of listLeaves(filter)) {
    if (!isOnMarks(condition) || condition.regex === undefined) continue;
    const texts = marks.map((mark) => readOwn(condition, mark));
    matched.set(condition, await findMatching(connection, condition, texts));
  }
  const resolved = mapLeaves(filter, (condition): FieldCondition | MarkedCondition => {
    if (!isOnMarks(condition)) return condition;
    const meets = (mark: RecordMark | null): boolean =>
      isMet(condition, mark) || matched.get(condition)?.has(readOwn(condition, mark)) === true;
    // What holds for a record without mark and note holds for all that are not marked.
    const isExcept = meets(null);
    const listed = ids.filter((_, place) => meets(marks[place] ?? null) !== isExcept);
    return { ...condition, marked: { ids: listed, isExcept } };
  });
  return { scope, filter: resolved };
}

/** The texts that a regular expression finds. It is the engine that runs it, since that can't be slow. */
async function findMatching(
  connection: DuckDBConnection,
  condition: FieldCondition,
  texts: readonly string[],
): Promise<ReadonlySet<string>> {
  const values = [...new Set(texts)];
  if (values.length === 0) return new Set();
  const rows = values.map((_, place) => `($${place + 1}::VARCHAR)`).join(', ');
  const where = toPatternsSql(condition, 'text', (pattern) => `$${values.push(pattern)}`);
  const found = await connection.runAndReadAll(
    `SELECT text FROM (VALUES ${rows}) AS notes(text) WHERE ${where.join(' OR ')}`,
    values,
    toTypes(values),
  );
  return new Set(found.getRows().map(([text]) => String(text)));
}

/** The marked records of a scope, with their marks. */
export async function findMarks(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  source: MarkSource,
  connectionId: string,
): Promise<(RecordMark & { readonly id: number })[]> {
  const report = `${scope.direction}-detail` as const;
  const wanted = source.listMarks(connectionId, report);
  const ids = wanted.length === 0 ? [] : await findCandidates(connection, scope, wanted);
  return source
    .readMarks(report, ids)
    .flatMap((mark, place) => (mark === null ? [] : [{ ...mark, id: ids[place] ?? 0 }]));
}

/** Records that may be marked ones: of the same session and moment. */
async function findCandidates(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  wanted: ReturnType<MarkSource['listMarks']>,
): Promise<number[]> {
  const values: (string | bigint)[] = [];
  const bind = (value: string | bigint): string => `$${values.push(value)}`;
  const sessions = [...new Set(wanted.map(({ sessionId }) => sessionId))].map(bind);
  const moments = [...new Set(wanted.map(({ dateMs }) => dateMs ?? -1))].map((atMs) => bind(BigInt(atMs)));
  const sql = `session_id IN (${sessions.join(', ')}) AND coalesce(date_ms, -1) IN (${moments.join(', ')})`;
  const from = toSourceSql(scope, ['record_id'], { sql, values });
  const found = await connection.runAndReadAll(`SELECT record_id FROM ${from}`, values, toTypes(values));
  return found.getRows().map(([id]) => Number(id));
}

function readOwn({ field }: FieldCondition, mark: RecordMark | null): string {
  return (field === 'mark' ? mark?.mark : mark?.note) ?? '';
}

function isMet(condition: FieldCondition, mark: RecordMark | null): boolean {
  const { values, anyCase, text, wildcard } = condition;
  const own = readOwn(condition, mark);
  if (values?.some((value) => String(value ?? '') === own) === true) return true;
  const folded = foldCase(own);
  if (anyCase?.some((value) => foldCase(value) === folded) === true) return true;
  if (wildcard !== undefined && own !== '' && matchesWildcard(own, wildcard)) return true;
  return text !== undefined && folded.includes(foldCase(text));
}
