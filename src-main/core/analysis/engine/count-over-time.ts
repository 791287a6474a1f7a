import type { DuckDBConnection } from '@duckdb/node-api';
import type { EachField, HitMeasure } from '../../../common/model/alerts/alert-rule.ts';
import type { GroupValue, TimedField } from '../../../common/model/analysis/grouping.ts';
import {
  type Histogram,
  type HistogramSeries,
  type HistogramSplit,
  MAX_HISTOGRAM_VALUES,
} from '../../../common/model/records/histogram.ts';
import { CODE_CLASSES } from '../../../common/model/records/record.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { readRows } from './engine-database.ts';
import { FAILED_SQL, findColumn, SHOWN_CLASS_SQL } from './engine-tables.ts';
import { type BoundValue, type KeptPath, type SqlCondition, toFilterSql } from './filter-sql.ts';
import { toBucketSql, toCountedBucketSql, toKeySql } from './measures/measure-sql.ts';
import { type FilteredRecords, readsTexts, toSourceSql } from './resolved-scope.ts';

/** How records over time are drawn. */
export interface HistogramShape {
  /** Edges of the buckets, rising. */
  readonly edges: readonly number[];
  readonly split: HistogramSplit;
  readonly withMedian: boolean;
  /** The response times where absent. */
  readonly medianOf?: TimedField;
  /** Where the values of a split by a path are, if they are kept. */
  readonly kept?: KeptPath | undefined;
}

/** Bucket, place of the series, its value, records, number of values, median; of the median alone no place. */
type Row = [number, number | null, GroupValue, number, number, number | null];

/** After the places of the values: all others, then records without one. */
const OTHERS_PLACE = MAX_HISTOGRAM_VALUES;
const NONE_PLACE = MAX_HISTOGRAM_VALUES + 1;

/**
 * Counts records between edges by class or by the values of a field, and finds the median of their response times;
 * records without a date, or outside, are in no bucket. Values beyond the most frequent ones are counted together.
 */
export async function readHistogram(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { edges, split, withMedian, medianOf = 'responseTimeMs', kept }: HistogramShape,
): Promise<Histogram> {
  const where = toFilterSql(filter, scope.direction);
  // Outbound records don't say how long they took to reach the connector.
  const time = findColumn(medianOf, scope.direction)?.name ?? 'NULL::DOUBLE';
  const columns =
    split === 'class' ? ['response_code', 'outcome'] : [`${toKeySql(split, scope.direction, kept)} AS value`];
  const source = toSourceSql(
    scope,
    ['date_ms', ...columns, ...(withMedian ? [`${time} AS time_ms`] : [])],
    where,
  );
  const [first = 0] = edges;
  const inside = `date_ms >= ${first} AND date_ms < ${edges.at(-1) ?? first}`;
  const found = `(SELECT * FROM ${source} WHERE ${inside})`;
  // What takes long to find is found once for the counts and the medians.
  const isKept = withMedian && readsTexts(where.sql);
  const records = {
    source: isKept ? 'found' : found,
    before: isKept ? `WITH found AS MATERIALIZED ${found},` : 'WITH',
    bucket: toCountedBucketSql(edges),
    values: where.values,
  };
  const counts = await toCounts(connection, records, split);
  const medians = withMedian
    ? `UNION ALL SELECT ${toBucketSql(edges)} AS bucket, NULL, NULL, 0, 0, median(time_ms)
       FROM ${records.source} GROUP BY bucket`
    : '';
  const rows = await readRows<Row>(
    connection,
    `${counts.before} SELECT *, NULL::DOUBLE AS median_ms FROM (${counts.sql}) ${medians}`,
    counts.values,
  );
  const { series, places } = split === 'class' ? CLASS_SERIES : listSeries(rows);
  const buckets = edges.slice(0, -1).map((fromMs, place) => ({
    fromMs,
    toMs: edges[place + 1] ?? fromMs,
    counts: series.map(() => 0),
    medianResponseMs: null as number | null,
  }));
  for (const [index, place, , count, , medianMs] of rows) {
    const found = buckets[index];
    if (found === undefined) continue;
    if (place === null) found.medianResponseMs = medianMs;
    else found.counts[places.indexOf(place)] = count;
  }
  return { split, series: [...series], buckets };
}

interface CountedRecords {
  readonly source: string;
  /** How a statement over the source begins. */
  readonly before: string;
  readonly bucket: string;
  readonly values: readonly BoundValue[];
}

/** A statement that counts records by bucket and place of their series, and what stands before it. */
async function toCounts(
  connection: DuckDBConnection,
  records: CountedRecords,
  split: HistogramSplit,
): Promise<SqlCondition & { readonly before: string }> {
  const { source, before, bucket, values } = records;
  if (split === 'client') return toFewCounts(connection, records);
  // Codes beyond the classes are no codes; small whole numbers are grouped without hashing.
  const value = split === 'class' ? 'TRY_CAST(response_code AS SMALLINT) AS response_code, outcome' : 'value';
  const cells = `${before} cells AS MATERIALIZED (SELECT ${bucket} AS bucket, ${value}, count(*) AS records
    FROM ${source} GROUP BY ALL)`;
  if (split === 'class') {
    const sql = `SELECT bucket, ${CLASS_PLACE_SQL} AS place, NULL AS value, sum(records)::BIGINT AS records,
      ${CODE_CLASSES.length} AS value_count FROM cells GROUP BY bucket, place`;
    return { before: cells, sql, values };
  }
  return {
    before: `${cells}, ranked AS (
      SELECT value, row_number() OVER (ORDER BY value IS NULL, sum(records) DESC, value) - 1 AS rank,
        count(value) OVER () AS value_count
      FROM cells GROUP BY value
    )`,
    sql: `SELECT bucket, ${PLACE_SQL} AS place, CASE WHEN rank < ${OTHERS_PLACE} THEN cells.value END AS value,
        sum(records)::BIGINT AS records, any_value(value_count) AS value_count
      FROM cells JOIN ranked ON cells.value IS NOT DISTINCT FROM ranked.value GROUP BY ALL`,
    values,
  };
}

/** Where a ranked value is counted. */
const PLACE_SQL = `CASE WHEN cells.value IS NULL THEN ${NONE_PLACE} ELSE least(rank, ${OTHERS_PLACE}) END`;

/** Of texts with very many values the most frequent ones are found first: counted by bucket, all would be held. */
async function toFewCounts(
  connection: DuckDBConnection,
  { source, before, bucket, values }: CountedRecords,
): Promise<SqlCondition & { readonly before: string }> {
  const found = await readRows<[string, number]>(
    connection,
    `${before} counted AS (
       SELECT value, count(*) AS records FROM ${source} WHERE value IS NOT NULL GROUP BY value
     ) SELECT value, count(*) OVER () FROM counted ORDER BY records DESC, value LIMIT ${MAX_HISTOGRAM_VALUES}`,
    values,
  );
  const [[, valueCount] = ['', 0]] = found;
  const named = found.map(([value], place) => ({ value, place, at: values.length + place + 1 }));
  const cases = named.map(({ at, place }) => `WHEN value = $${at} THEN ${place}`).join(' ');
  const texts = named.map(({ at, place }) => `WHEN ${place} THEN $${at}`).join(' ');
  return {
    before: `${before} placed AS MATERIALIZED (
      SELECT ${bucket} AS bucket, CASE WHEN value IS NULL THEN ${NONE_PLACE} ${cases} ELSE ${OTHERS_PLACE} END::UTINYINT AS place,
        count(*) AS records FROM ${source} GROUP BY ALL
    )`,
    sql: `SELECT bucket, place, ${texts === '' ? 'NULL' : `CASE place ${texts} END`} AS value, records, ${valueCount} AS value_count FROM placed`,
    values: [...values, ...named.map(({ value }) => value)],
  };
}

/** The class that a record is shown in, as its place in CODE_CLASSES. */
const CLASS_PLACE_SQL = `CASE ${SHOWN_CLASS_SQL.map((is, place) => `WHEN ${is} THEN ${place}`).join(' ')} ELSE ${SHOWN_CLASS_SQL.length} END`;
const CLASS_SERIES: PlacedSeries = {
  series: CODE_CLASSES.map((codeClass) => ({ kind: 'class', codeClass })),
  places: [...CODE_CLASSES.keys()],
};

/** Series in their order, and the places that the rows name them by. */
interface PlacedSeries {
  readonly series: readonly HistogramSeries[];
  readonly places: readonly number[];
}

function listSeries(rows: readonly Row[]): PlacedSeries {
  const found = new Map<number, HistogramSeries>();
  for (const [, place, value, , valueCount] of rows) {
    if (place === null) continue;
    found.set(
      place,
      place === OTHERS_PLACE
        ? { kind: 'others', valueCount: valueCount - MAX_HISTOGRAM_VALUES }
        : { kind: 'value', value },
    );
  }
  const places = [...found.keys()].sort((a, b) => a - b);
  return { series: places.flatMap((place) => found.get(place) ?? []), places };
}

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
