import type { DuckDBConnection } from '@duckdb/node-api';
import { foldCase } from '../../../common/fold-case.ts';
import type { FieldCondition } from '../../../common/model/records/record-filter.ts';
import { listLeaves, mapLeaves } from '../../../common/query/filter-tree.ts';
import { matchesWildcard } from '../../../common/query/wildcards.ts';
import { toPatternsSql } from '../../../common/sql/filter-statement.ts';
import type { RecordMark } from '../../../common/model/records/record-mark.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { toTypes } from './engine-database.ts';
import type { MarkedCondition } from './filter-sql.ts';
import { toSourceSql, type FilteredRecords, type ResolvedScope } from './resolved-scope.ts';

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
