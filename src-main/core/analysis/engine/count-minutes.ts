import type { DuckDBConnection } from '@duckdb/node-api';
import type { EachField, HitMeasure } from '../../../common/model/alerts/alert-rule.ts';
import type { GroupValue } from '../../../common/model/analysis/grouping.ts';
import type { TimedField } from '../../../common/model/analysis/measured-times.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { readRows } from './engine-database.ts';
import { FAILED_SQL } from './engine-tables.ts';
import { toFilterSql } from './filter-sql.ts';
import { toKeySql } from './measures/key-sql.ts';
import { toSourceSql, type FilteredRecords } from './resolved-scope.ts';

/** Values of a field, each of which is counted by itself; the filter leaves no others. */
interface CountedValues {
  readonly field: EachField;
  readonly values: readonly GroupValue[];
}

/** Minutes that have records, by their place in the span. */
interface MinuteCounts {
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

/** What records are told apart by: a value, or nothing. */
function toOwnKeySql(each: CountedValues | undefined, direction: Direction): string {
  return each === undefined ? 'NULL' : toKeySql(each.field, direction);
}

/** Parts rows by the value that they begin with, in the order of the values; all are of one where there are none. */
function partRows<Rest extends readonly unknown[]>(
  rows: readonly (readonly [GroupValue, ...Rest])[],
  each: CountedValues | undefined,
): Rest[][] {
  const parts: Rest[][] = (each?.values ?? [null]).map(() => []);
  const places = new Map(each?.values.map((value, place) => [value, place]));
  for (const [value, ...rest] of rows) {
    const place = each === undefined ? 0 : places.get(value);
    if (place !== undefined) parts[place]?.push(rest);
  }
  return parts;
}

/**
 * Counts the records of each minute from `fromMs` on in one statement, and of each value by itself; limits are of the
 * time, in milliseconds.
 */
export async function countMinutes(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  {
    fromMs,
    toMs,
    limits,
    timeOf = 'responseTimeMs',
    each,
  }: TimeSpan & { limits: readonly number[]; timeOf?: TimedField; each?: CountedValues | undefined },
): Promise<MinuteCounts[]> {
  const where = toFilterSql(filter, scope.direction);
  const time = toTimeSql(scope.direction, timeOf);
  const key = `${toOwnKeySql(each, scope.direction)} AS own_key`;
  const source = toSourceSql(scope, ['date_ms', 'outcome', key, ...time.columns], where);
  // Numbers of the contract, checked as such: they stand in the statement itself.
  const slower = limits.map((limit) => `, count(*) FILTER (${time.sql} > ${limit})`);
  const rows = await readRows<[GroupValue, number, number, number, number, ...number[]]>(
    connection,
    `SELECT own_key, (date_ms - ${fromMs}) // ${MINUTE_MS} AS place, count(*),
       count(*) FILTER (${FAILED_SQL}), count(${time.sql})${slower.join('')}
     FROM ${source} WHERE date_ms >= ${fromMs} AND date_ms < ${toMs} GROUP BY own_key, place ORDER BY place`,
    where.values,
  );
  return partRows(rows, each).map((own) => ({
    places: own.map(([place]) => place),
    counts: own.map(([, count]) => count),
    failures: own.map(([, , failures]) => failures),
    timed: own.map(([, , , timed]) => timed),
    slower: limits.map((_limit, place) => own.map((row) => Number(row[4 + place]))),
  }));
}

/**
 * Returns by how many more sessions or clients, each counted once, the `minutes` that end with a minute have failures than
 * those that end with the minute before; minutes by their place in the span, those where nothing changes are missing.
 */
export async function countHitMinutes(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  {
    fromMs,
    toMs,
    measure,
    minutes,
    each,
  }: TimeSpan & { measure: HitMeasure; minutes: number; each?: CountedValues | undefined },
): Promise<[place: number, more: number][][]> {
  const where = toFilterSql(filter, scope.direction);
  const column = measure === 'failed-sessions' ? 'session_id' : 'client';
  const key = `${toOwnKeySql(each, scope.direction)} AS own_key`;
  const source = toSourceSql(scope, ['date_ms', 'outcome', column, key], where);
  const rows = await readRows<[GroupValue, number, number]>(
    connection,
    `WITH failing AS (
       SELECT DISTINCT own_key, (date_ms - ${fromMs}) // ${MINUTE_MS} AS place, hash(${column}) AS who
       FROM ${source} WHERE date_ms >= ${fromMs} AND date_ms < ${toMs} AND ${FAILED_SQL} AND ${column} <> ''
     ), told AS (
       SELECT own_key, place, lead(place) OVER (PARTITION BY own_key, who ORDER BY place) AS again FROM failing
     ), changes AS (
       SELECT own_key, place, 1 AS more FROM told
       UNION ALL
       SELECT own_key, least(coalesce(again, place + ${minutes}), place + ${minutes}) AS place, -1 AS more FROM told
     )
     SELECT own_key, place, sum(more)::DOUBLE AS more FROM changes
     GROUP BY own_key, place HAVING sum(more) <> 0 ORDER BY place`,
    where.values,
  );
  return partRows(rows, each);
}

/** Lists the values of a field that records of a span have, the most frequent first, each with its last record. */
export async function listMinuteValues(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { fromMs, toMs, field, limit }: TimeSpan & { field: EachField; limit: number },
): Promise<[value: GroupValue, lastMs: number][]> {
  const where = toFilterSql(filter, scope.direction);
  const source = toSourceSql(scope, ['date_ms', `${toKeySql(field, scope.direction)} AS own_key`], where);
  return readRows<[GroupValue, number]>(
    connection,
    `SELECT own_key, max(date_ms) FROM ${source} WHERE date_ms >= ${fromMs} AND date_ms < ${toMs}
     GROUP BY own_key ORDER BY count(*) DESC, own_key NULLS FIRST LIMIT ${limit}`,
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

/**
 * Finds when error families came that no earlier record of the scope has; those of them that a filter leaves, by their
 * first record that it does, and of each value by itself. The scope is everything cached: what is older than the span
 * decides what is new.
 */
export async function findNewFamilies(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { fromMs, toMs, each }: TimeSpan & { each?: CountedValues | undefined },
): Promise<number[][]> {
  const where = toFilterSql(filter, scope.direction);
  const span = `date_ms >= ${fromMs} AND date_ms < ${toMs} AND error_pattern <> ''`;
  const key = each === undefined ? 'NULL' : toKeySql(each.field, scope.direction);
  const inSpan = toSourceSql(scope, ['error_pattern', 'date_ms', `${key} AS own_key`], {
    sql: [span, where.sql].filter((sql) => sql !== 'true').join(' AND '),
    values: where.values,
  });
  const before = toSourceSql(scope, ['error_pattern'], { sql: `date_ms < ${fromMs}`, values: [] });
  const rows = await readRows<[GroupValue, number]>(
    connection,
    `SELECT own_key, min(date_ms) AS first_ms FROM ${inSpan}
     WHERE error_pattern NOT IN (SELECT DISTINCT error_pattern FROM ${before} WHERE error_pattern IS NOT NULL)
     GROUP BY own_key, error_pattern ORDER BY first_ms`,
    where.values,
  );
  return partRows(rows, each).map((own) => own.map(([firstMs]) => firstMs));
}
