import type { DuckDBConnection } from '@duckdb/node-api';
import { foldCase } from '../../../common/fold-case.ts';
import type { FieldCondition } from '../../../common/model/records/record-filter.ts';
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
  if (!filter.conditions.some(isOnMarks)) return records;
  const report = `${scope.direction}-detail` as const;
  const wanted = source.listMarks(connectionId, report);
  const ids = wanted.length === 0 ? [] : await findCandidates(connection, scope, wanted);
  const marks = source.readMarks(report, ids);
  const conditions = filter.conditions.map((condition): FieldCondition | MarkedCondition => {
    if (!isOnMarks(condition)) return condition;
    // What holds for a record without mark and note holds for all that are not marked.
    const isExcept = isMet(condition, null);
    const listed = ids.filter((_, place) => isMet(condition, marks[place] ?? null) !== isExcept);
    return { ...condition, marked: { ids: listed, isExcept } };
  });
  return { scope, filter: { conditions } };
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

function isMet({ field, values, anyCase, text }: FieldCondition, mark: RecordMark | null): boolean {
  const own = (field === 'mark' ? mark?.mark : mark?.note) ?? '';
  if (values?.some((value) => String(value ?? '') === own) === true) return true;
  const folded = foldCase(own);
  if (anyCase?.some((value) => foldCase(value) === folded) === true) return true;
  return text !== undefined && folded.includes(foldCase(text));
}
