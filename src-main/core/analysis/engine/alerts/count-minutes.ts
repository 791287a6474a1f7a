import type { DuckDBConnection } from '@duckdb/node-api';
import type { HitMeasure } from '../../../../common/model/alerts/alert-rule.ts';
import { MINUTE_MS } from '../../../../common/time/durations.ts';
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
  /** Records with a response time. */
  readonly timed: number[];
  /** Of each limit, the records that took longer. */
  readonly slower: number[][];
}

/** Counts the records of each minute from `fromMs` on in one statement; limits are response times in milliseconds. */
export async function countMinutes(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { fromMs, toMs, limits }: TimeSpan & { limits: readonly number[] },
): Promise<MinuteCounts> {
  const where = toFilterSql(filter, scope.direction);
  const source = toSourceSql(scope, ['date_ms', 'outcome', 'response_time_ms'], where);
  // Numbers of the contract, checked as such: they stand in the statement itself.
  const slower = limits.map((limit) => `, count(*) FILTER (response_time_ms > ${limit})`);
  const rows = await readRows<[number, number, number, number, ...number[]]>(
    connection,
    `SELECT (date_ms - ${fromMs}) // ${MINUTE_MS} AS place, count(*),
       count(*) FILTER (${FAILED_SQL}), count(response_time_ms)${slower.join('')}
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

/** The percentile of the response time in each bucket of so many timed records or more, by its place in the span. */
export async function readPercentiles(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  span: TimeSpan & { bucketMs: number; share: number; minRecords: number },
): Promise<[place: number, valueMs: number][]> {
  const { fromMs, toMs, bucketMs, share, minRecords } = span;
  const where = toFilterSql(filter, scope.direction);
  return readRows<[number, number]>(
    connection,
    `SELECT (date_ms - ${fromMs}) // ${bucketMs} AS place, quantile_cont(response_time_ms, ${share})
     FROM ${toSourceSql(scope, ['date_ms', 'response_time_ms'], where)}
     WHERE date_ms >= ${fromMs} AND date_ms < ${toMs} AND response_time_ms IS NOT NULL
     GROUP BY place HAVING count(*) >= ${minRecords} ORDER BY place`,
    where.values,
  );
}
