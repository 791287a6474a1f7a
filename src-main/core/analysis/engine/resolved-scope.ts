import type { RecordFilter } from '../../../common/model/records/record-filter.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
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

/**
 * A scope as a table expression that has the columns named, and `part`, the place of the part. Each part is read by its
 * range of ids and dates, so that storage outside of them is skipped; the order of rows is that of the parts, and
 * within a part that in which records were stored. `table` is that of the direction, where its name alone is not
 * enough to find it.
 */
export function toSourceSql(
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
