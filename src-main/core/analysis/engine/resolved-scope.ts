import type { RecordFilter } from '../../../common/model/records/record-filter.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { RECORD_ID_SPAN, toRecordId } from '../../../common/model/records/record.ts';
import type { SqlCondition } from './filter-sql.ts';

/** Where the records of a question are: those of one direction, in parts that don't overlap. */
export interface ResolvedScope {
  readonly direction: Direction;
  /** In the order of time: a part of a snapshot, or (`spans` null) all of it, records without a date included. */
  readonly parts: readonly ScopePart[];
}

/** The records of a scope that a filter leaves: what most questions are about. */
export interface FilteredRecords {
  readonly scope: ResolvedScope;
  readonly filter: RecordFilter;
}

export interface ScopePart {
  readonly snapshotId: number;
  readonly recordCount: number;
  /** Records before this place don't belong to it. */
  readonly fromSeq?: number;
  /** Dates, in rising spans that don't meet; null for every record. */
  readonly spans: readonly TimeSpan[] | null;
  /** Records whose date can't be read belong to it too. */
  readonly withUndated: boolean;
  /** Ids of those of them that don't: an overlapping snapshot holds the same ones. */
  readonly repeatedIds?: readonly number[];
  /** The first and the last date of its snapshot's records, both null where none has one; missing where that is not known. */
  readonly dates?: { readonly firstMs: number | null; readonly lastMs: number | null };
}

/** The number of records of a scope, or more where spans leave some out. */
export function countAtMost({ parts }: ResolvedScope): number {
  return parts.reduce((sum, { recordCount, fromSeq = 0 }) => sum + recordCount - fromSeq, 0);
}

/**
 * A part as runs in the order of time, each a part: its snapshot may have been read from its end on. `starts` says where
 * the snapshot's runs begin.
 */
export function splitPart(part: ScopePart, starts: readonly number[]): readonly ScopePart[] {
  if (starts.length < 2) return [part];
  const { fromSeq = 0, recordCount } = part;
  const rising = [...starts].sort((a, b) => a - b);
  const ends = new Map(rising.map((start, place) => [start, rising[place + 1] ?? Infinity]));
  return starts.flatMap((start) => {
    const run = {
      fromSeq: Math.max(start, fromSeq),
      recordCount: Math.min(ends.get(start) ?? 0, recordCount),
    };
    return run.fromSeq < run.recordCount ? [{ ...part, ...run }] : [];
  });
}

/** Whether SQL looks through texts: preparing it takes milliseconds, answering it most of a statement's time. */
export function readsTexts(sql: string): boolean {
  return /fold_case\(|regexp_matches\(/.test(sql);
}

/**
 * A scope as a table expression that has the columns named, and `part`, the place of the part. Each part is read by its
 * range of ids and dates, so that storage outside of them is skipped. What looks through texts stands once, over one reading
 * of all parts: a month of thirty parts would prepare it thirty times, which takes longer than most answers. So the rows
 * come in no order; see `toRowsInOrderSql`. `table` is that of the direction, where its name alone is not enough to
 * find it.
 */
export function toSourceSql(
  scope: ResolvedScope,
  columns: readonly string[],
  where: SqlCondition,
  table: string = scope.direction,
): string {
  const { parts } = scope;
  const isPlain = parts.length < 2 || !readsTexts([...columns, where.sql].join(' '));
  if (isPlain) return toRowsInOrderSql(scope, columns, where, table);
  const ranges = parts.map(toRangeSql);
  const place = ranges.map((range, index) => `WHEN ${range} THEN ${index}`).join(' ');
  const [firstId, untilId] = findIds(parts);
  return `(SELECT ${columns.join(', ')}, CASE ${place} END AS part FROM ${table}
    WHERE record_id >= ${firstId} AND record_id < ${untilId} AND (${ranges.map((range) => `(${range})`).join(' OR ')})
      AND ${where.sql})`;
}

/** The same, its rows in the order of the parts, and within a part in that in which records were stored. */
export function toRowsInOrderSql(
  scope: ResolvedScope,
  columns: readonly string[],
  where: SqlCondition,
  table: string = scope.direction,
): string {
  const list = columns.join(', ');
  if (scope.parts.length === 0) {
    return `(SELECT ${list}, 0 AS part FROM ${table} WHERE false AND (${where.sql}))`;
  }
  const selects = scope.parts.map((part, place) => {
    const conditions = [toRangeSql(part), where.sql].filter((sql) => sql !== 'true');
    return `SELECT ${list}, ${place} AS part FROM ${table} WHERE ${conditions.join(' AND ')}`;
  });
  return `(${selects.join(' UNION ALL ')})`;
}

/** The first id of the records of parts, and the one after their last. */
function findIds(parts: readonly ScopePart[]): readonly [firstId: number, untilId: number] {
  const ids = parts.flatMap(({ snapshotId, recordCount, fromSeq = 0 }) => [
    toRecordId(snapshotId, fromSeq),
    toRecordId(snapshotId, recordCount),
  ]);
  return ids.length === 0 ? [0, 0] : [Math.min(...ids), Math.max(...ids)];
}

/** Numbers of the application, never input: they stand in the statement itself. */
function toRangeSql({ snapshotId, recordCount, fromSeq = 0, ...part }: ScopePart): string {
  const firstId = toRecordId(snapshotId, fromSeq);
  const ids = `record_id >= ${firstId} AND record_id < ${toRecordId(snapshotId, recordCount)}`;
  const { spans, withUndated, repeatedIds = [] } = part;
  if (spans === null) return ids;
  const dates = spans.map(({ fromMs, toMs }) => `date_ms >= ${fromMs} AND date_ms < ${toMs}`);
  const repeated = repeatedIds.length === 0 ? '' : ` AND record_id NOT IN (${repeatedIds.join(', ')})`;
  const ways = [...(withUndated ? [`date_ms IS NULL${repeated}`] : []), ...dates];
  const [only = 'false'] = ways;
  return `${ids} AND ${ways.length > 1 ? `(${ways.map((way) => `(${way})`).join(' OR ')})` : only}`;
}

/**
 * The records of several scopes as what follows FROM, ending in a condition that others can be added to: a direction's
 * table, with columns `names` that have the `labels` (SQL) of each record's scope. The table is read once, whatever number
 * of scopes there is: a scan for each would read storage that holds records of several of them as often.
 */
export function toSharedSql(
  table: string,
  own: readonly { readonly scope: ResolvedScope; readonly labels: readonly string[] }[],
  names: readonly string[],
): string {
  const parts = own.flatMap(({ scope }) => scope.parts);
  const rows = own.flatMap(({ scope, labels }) => scope.parts.flatMap((part) => toRows(part, labels)));
  // A row of no snapshot gives the columns their types.
  if (rows.length === 0) rows.push(`(-1, 0, 0, false, false, 0, 0, ${(own[0]?.labels ?? []).join(', ')})`);
  const repeated = parts.flatMap(({ repeatedIds = [] }) => repeatedIds);
  const isUndated = ['is_undated', 'date_ms IS NULL'];
  if (repeated.length > 0) isUndated.push(`record_id NOT IN (${repeated.join(', ')})`);
  const inside = [`record_id >> ${Math.log2(RECORD_ID_SPAN)} = snapshot`, 'record_id < until_id'];
  if (parts.some(({ fromSeq = 0 }) => fromSeq > 0)) inside.push('record_id >= from_id');
  if (parts.some(({ spans }) => spans !== null))
    inside.push(`(is_whole OR (date_ms >= from_ms AND date_ms < to_ms) OR (${isUndated.join(' AND ')}))`);
  const [firstId, untilId] = findIds(parts);
  const columns = ['snapshot', 'from_id', 'until_id', 'is_whole', 'is_undated', 'from_ms', 'to_ms', ...names];
  return `${table} JOIN (VALUES ${rows.join(', ')}) AS parts(${columns.join(', ')}) ON ${inside.join(' AND ')}
    WHERE record_id >= ${firstId} AND record_id < ${untilId}`;
}

/** Rows that say which records of a snapshot belong to a part, each record by one of them. */
function toRows(
  { snapshotId, recordCount, fromSeq = 0, spans, withUndated }: ScopePart,
  labels: readonly string[],
): string[] {
  const ids = [snapshotId, toRecordId(snapshotId, fromSeq), toRecordId(snapshotId, recordCount)];
  const toRow = (...how: readonly (boolean | number)[]): string =>
    `(${[...ids, ...how, ...labels].join(', ')})`;
  if (spans === null) return [toRow(true, false, 0, 0)];
  const dated = spans.map(({ fromMs, toMs }) => toRow(false, false, fromMs, toMs));
  return withUndated ? [...dated, toRow(false, true, 0, 0)] : dated;
}
