import type { DuckDBConnection } from '@duckdb/node-api';
import type { TimedField } from '../../../../common/model/analysis/measured-times.ts';
import type { HitMeasure } from '../../../../common/model/alerts/alert-rule.ts';
import { MINUTE_MS } from '../../../../common/time/durations.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL } from '../engine-tables.ts';
import { toFilterSql } from '../filter-sql.ts';
import { toSourceSql, type FilteredRecords } from '../resolved-scope.ts';

/** Minutes that have records, by their place in the span. */
export interface MinuteCounts {
  readonly places: number[];
  readonly counts: number[];
  /** Records that failed. */
  readonly failures: number[];
  /** Records with the time. */
  readonly timed: number[];
  /** Of each limit, the records that took longer. */
  readonly slower: number[][];
}

/** Outbound requests have no time to the connector. */
function toTimeSql(
  direction: Direction,
  field: TimedField,
): { readonly columns: string[]; readonly sql: string } {
  if (field === 'responseTimeMs') return { columns: ['response_time_ms'], sql: 'response_time_ms' };
  return direction === 'inbound'
    ? { columns: ['bot_latency_ms'], sql: 'bot_latency_ms' }
    : { columns: [], sql: 'NULL::DOUBLE' };
}

/** Counts the records of each minute from `fromMs` on in one statement; limits are of the time, in milliseconds. */
export async function countMinutes(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  {
    fromMs,
    toMs,
    limits,
    timeOf = 'responseTimeMs',
  }: TimeSpan & { limits: readonly number[]; timeOf?: TimedField },
): Promise<MinuteCounts> {
  const where = toFilterSql(filter, scope.direction);
  const time = toTimeSql(scope.direction, timeOf);
  const source = toSourceSql(scope, ['date_ms', 'outcome', ...time.columns], where);
  // Numbers of the contract, checked as such: they stand in the statement itself.
  const slower = limits.map((limit) => `, count(*) FILTER (${time.sql} > ${limit})`);
  const rows = await readRows<[number, number, number, number, ...number[]]>(
    connection,
    `SELECT (date_ms - ${fromMs}) // ${MINUTE_MS} AS place, count(*),
       count(*) FILTER (${FAILED_SQL}), count(${time.sql})${slower.join('')}
     FROM ${source} WHERE date_ms >= ${fromMs} AND date_ms < ${toMs} GROUP BY place ORDER BY place`,
    where.values,
  );
  return {
    places: rows.map(([place]) => place),
    counts: rows.map(([, count]) => count),
    failures: rows.map(([, , failures]) => failures),
    timed: rows.map(([, , , timed]) => timed),
    slower: limits.map((_limit, place) => rows.map((row) => Number(row[4 + place]))),
  };
}

/**
 * Returns by how many more sessions or clients, each counted once, the `minutes` that end with a minute have failures than
 * those that end with the minute before; minutes by their place in the span, those where nothing changes are missing.
 */
export async function countHitMinutes(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { fromMs, toMs, measure, minutes }: TimeSpan & { measure: HitMeasure; minutes: number },
): Promise<[place: number, more: number][]> {
  const where = toFilterSql(filter, scope.direction);
  const column = measure === 'failed-sessions' ? 'session_id' : 'client';
  const source = toSourceSql(scope, ['date_ms', 'outcome', column], where);
  return readRows<[number, number]>(
    connection,
    `WITH failing AS (
       SELECT DISTINCT (date_ms - ${fromMs}) // ${MINUTE_MS} AS place, hash(${column}) AS who
       FROM ${source} WHERE date_ms >= ${fromMs} AND date_ms < ${toMs} AND ${FAILED_SQL} AND ${column} <> ''
     ), told AS (
       SELECT place, lead(place) OVER (PARTITION BY who ORDER BY place) AS again FROM failing
     ), changes AS (
       SELECT place, 1 AS more FROM told
       UNION ALL
       SELECT least(coalesce(again, place + ${minutes}), place + ${minutes}) AS place, -1 AS more FROM told
     )
     SELECT place, sum(more)::DOUBLE AS more FROM changes GROUP BY place HAVING sum(more) <> 0 ORDER BY place`,
    where.values,
  );
}

/** The percentile of a time in each bucket of so many timed records or more, by its place in the span. */
export async function readPercentiles(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  span: TimeSpan & { bucketMs: number; share: number; minRecords: number; timeOf?: TimedField },
): Promise<[place: number, valueMs: number][]> {
  const { fromMs, toMs, bucketMs, share, minRecords, timeOf = 'responseTimeMs' } = span;
  const time = toTimeSql(scope.direction, timeOf);
  const where = toFilterSql(filter, scope.direction);
  return readRows<[number, number]>(
    connection,
    `SELECT (date_ms - ${fromMs}) // ${bucketMs} AS place, quantile_cont(${time.sql}, ${share})
     FROM ${toSourceSql(scope, ['date_ms', ...time.columns], where)}
     WHERE date_ms >= ${fromMs} AND date_ms < ${toMs} AND ${time.sql} IS NOT NULL
     GROUP BY place HAVING count(*) >= ${minRecords} ORDER BY place`,
    where.values,
  );
}
