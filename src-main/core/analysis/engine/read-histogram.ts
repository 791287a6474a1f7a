import type { DuckDBConnection } from '@duckdb/node-api';
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
import { toFilterSql } from './filter-sql.ts';
import { toBucketSql, toCountedBucketSql } from './measures/bucket-sql.ts';
import { toSourceSql, type FilteredRecords } from './resolved-scope.ts';

/** How records over time are drawn. */
export interface HistogramShape {
  /** Edges of the buckets, rising. */
  readonly edges: readonly number[];
  readonly split: HistogramSplit;
  readonly withMedian: boolean;
  /** The response times where absent. */
  readonly medianOf?: TimedField;
}

/** Bucket, place of the series, its value, records, number of values, median; of the median alone no place. */
type Row = [number, number | null, number | null, number, number, number | null];

/**
 * Counts records between edges by class, channel or service, and finds the median of their response times; records
 * without a date, or outside, are in no bucket. Values beyond the most frequent ones are counted together.
 */
export async function readHistogram(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { edges, split, withMedian, medianOf = 'responseTimeMs' }: HistogramShape,
): Promise<Histogram> {
  const where = toFilterSql(filter, scope.direction);
  const columns = split === 'class' ? ['response_code', 'outcome'] : [split];
  // Outbound records don't say how long they took to reach the connector.
  const time = findColumn(medianOf, scope.direction)?.name ?? 'NULL::DOUBLE';
  const source = toSourceSql(
    scope,
    ['date_ms', ...columns, ...(withMedian ? [`${time} AS time_ms`] : [])],
    where,
  );
  const [first = 0] = edges;
  const inside = `date_ms >= ${first} AND date_ms < ${edges.at(-1) ?? first}`;
  // Codes beyond the classes are no codes; small whole numbers are grouped without hashing.
  const value =
    split === 'class' ? 'TRY_CAST(response_code AS SMALLINT) AS response_code, outcome' : `${split} AS value`;
  const cells = `SELECT ${toCountedBucketSql(edges)} AS bucket, ${value}, count(*) AS records
    FROM ${source} WHERE ${inside} GROUP BY ALL`;
  const counts =
    split === 'class'
      ? `SELECT bucket, ${CLASS_PLACE_SQL} AS place, NULL AS value, sum(records)::BIGINT AS records, 5 AS value_count
         FROM cells GROUP BY bucket, place`
      : `SELECT bucket, least(rank, ${MAX_HISTOGRAM_VALUES}) AS place,
           CASE WHEN rank < ${MAX_HISTOGRAM_VALUES} THEN cells.value END AS value, sum(records)::BIGINT, any_value(value_count)
         FROM cells JOIN ranked ON cells.value IS NOT DISTINCT FROM ranked.value GROUP BY ALL`;
  const ranked =
    split === 'class'
      ? ''
      : `, ranked AS (SELECT value, row_number() OVER (ORDER BY sum(records) DESC, value NULLS LAST) - 1 AS rank,
      count(*) OVER () AS value_count
    FROM cells GROUP BY value)`;
  const medians = withMedian
    ? `UNION ALL SELECT ${toBucketSql(edges)} AS bucket, NULL, NULL, 0, 0, median(time_ms)
       FROM ${source} WHERE ${inside} GROUP BY bucket`
    : '';
  const rows = await readRows<Row>(
    connection,
    `WITH cells AS MATERIALIZED (${cells})${ranked}
     SELECT *, NULL::DOUBLE AS median_ms FROM (${counts}) ${medians}`,
    where.values,
  );
  const series = split === 'class' ? CLASS_SERIES : listSeries(rows);
  const buckets = edges.slice(0, -1).map((fromMs, place) => ({
    fromMs,
    toMs: edges[place + 1] ?? fromMs,
    counts: series.map(() => 0),
    medianResponseMs: null as number | null,
  }));
  for (const [index, place, , records, , medianMs] of rows) {
    const found = buckets[index];
    if (found === undefined) continue;
    if (place === null) found.medianResponseMs = medianMs;
    else found.counts[place] = records;
  }
  return { split, series: [...series], buckets };
}

/** The class that a record is shown in, as its place in CODE_CLASSES. */
const CLASS_PLACE_SQL = `CASE ${SHOWN_CLASS_SQL.map((is, place) => `WHEN ${is} THEN ${place}`).join(' ')} ELSE ${SHOWN_CLASS_SQL.length} END`;
const CLASS_SERIES: readonly HistogramSeries[] = CODE_CLASSES.map((codeClass) => ({
  kind: 'class',
  codeClass,
}));

function listSeries(rows: readonly Row[]): HistogramSeries[] {
  const series: HistogramSeries[] = [];
  for (const [, place, value, , valueCount] of rows) {
    if (place === null) continue;
    series[place] =
      place < MAX_HISTOGRAM_VALUES
        ? { kind: 'value', value }
        : { kind: 'others', valueCount: valueCount - MAX_HISTOGRAM_VALUES };
  }
  return series;
}
