import type { DuckDBConnection } from '@duckdb/node-api';
import type { GroupValue } from '../../../common/model/analysis/grouping.ts';
import {
  MAX_HISTOGRAM_VALUES,
  type Histogram,
  type HistogramSeries,
  type HistogramSplit,
} from '../../../common/model/records/histogram.ts';
import type { TimedField } from '../../../common/model/analysis/measured-times.ts';
import { CODE_CLASSES } from '../../../common/model/records/record.ts';
import { readRows } from './engine-database.ts';
import { findColumn, SHOWN_CLASS_SQL } from './engine-tables.ts';
import { toFilterSql, type BoundValue, type KeptPath, type SqlCondition } from './filter-sql.ts';
import { toBucketSql, toCountedBucketSql } from './measures/times-sql.ts';
import { toKeySql } from './measures/key-sql.ts';
import { readsTexts, toSourceSql, type FilteredRecords } from './resolved-scope.ts';

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
