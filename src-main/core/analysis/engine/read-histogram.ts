import type { DuckDBConnection } from '@duckdb/node-api';
import {
  MAX_HISTOGRAM_VALUES,
  type Histogram,
  type HistogramSeries,
  type HistogramSplit,
} from '../../../common/model/histogram.ts';
import { CODE_CLASSES } from '../../../common/model/record.ts';
import type { RecordFilter } from '../../../common/model/record-filter.ts';
import { readRows } from './engine-database.ts';
import { CLASS_PLACE_SQL, toFilterSql } from './filter-sql.ts';
import { toSourceSql, type RecordScope } from './record-scope.ts';

/** How records over time are drawn. */
export interface HistogramShape {
  /** Edges of the buckets, rising. */
  readonly edges: readonly number[];
  readonly split: HistogramSplit;
  readonly withMedian: boolean;
}

/** Bucket, place of the series, its value, records, number of values, median; of the median alone no place. */
type Row = [number, number | null, number | null, number, number, number | null];

/**
 * Counts records between edges by class, channel or service, and finds the median of their response times; records
 * without a date, or outside, are in no bucket. Values beyond the most frequent ones are counted together.
 */
export async function readHistogram(
  connection: DuckDBConnection,
  scope: RecordScope,
  filter: RecordFilter,
  { edges, split, withMedian }: HistogramShape,
): Promise<Histogram> {
  const where = toFilterSql(filter, scope.direction);
  const column = split === 'class' ? 'response_code' : split;
  const source = toSourceSql(scope, ['date_ms', column, ...(withMedian ? ['response_time_ms'] : [])], where);
  const [first = 0] = edges;
  const inside = `date_ms >= ${first} AND date_ms < ${edges.at(-1) ?? first}`;
  const bucket = toBucketSql(edges);
  const counts =
    split === 'class'
      ? `SELECT ${bucket} AS bucket, ${CLASS_PLACE_SQL} AS place, NULL AS value, count(*) AS records, 5 AS value_count
         FROM ${source} WHERE ${inside} GROUP BY bucket, place`
      : `SELECT bucket, least(rank, ${MAX_HISTOGRAM_VALUES}) AS place,
           CASE WHEN rank < ${MAX_HISTOGRAM_VALUES} THEN cells.value END AS value, sum(records)::BIGINT, any_value(value_count)
         FROM cells JOIN ranked ON cells.value IS NOT DISTINCT FROM ranked.value GROUP BY ALL`;
  const cells =
    split === 'class'
      ? ''
      : `WITH cells AS MATERIALIZED (
           SELECT ${bucket} AS bucket, ${column} AS value, count(*) AS records FROM ${source} WHERE ${inside} GROUP BY ALL
         ), ranked AS (
           SELECT value, row_number() OVER (ORDER BY sum(records) DESC, value NULLS LAST) - 1 AS rank,
             count(*) OVER () AS value_count
           FROM cells GROUP BY value
         )`;
  const medians = withMedian
    ? `UNION ALL SELECT ${bucket} AS bucket, NULL, NULL, 0, 0, median(response_time_ms)
       FROM ${source} WHERE ${inside} GROUP BY bucket`
    : '';
  const rows = await readRows<Row>(
    connection,
    `${cells} SELECT *, NULL::DOUBLE AS median_ms FROM (${counts}) ${medians}`,
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

/**
 * The place of the bucket that a date lies in. A clock change makes buckets differ in length: each run of equal ones is
 * divided by its own. Numbers of the application, never input, stand in the statement itself.
 */
function toBucketSql(edges: readonly number[]): string {
  const runs: { readonly place: number; readonly fromMs: number; readonly widthMs: number }[] = [];
  for (const [place, fromMs] of edges.entries()) {
    const widthMs = (edges[place + 1] ?? fromMs) - fromMs;
    if (widthMs > 0 && runs.at(-1)?.widthMs !== widthMs) runs.push({ place, fromMs, widthMs });
  }
  const terms = runs.map(({ place, fromMs, widthMs }, index) => {
    const sql = `${place} + (date_ms - ${fromMs}) // ${widthMs}`;
    const next = runs[index + 1];
    return next === undefined ? `ELSE ${sql}` : `WHEN date_ms < ${next.fromMs} THEN ${sql}`;
  });
  return terms.length < 2 ? `(${terms[0]?.slice('ELSE '.length) ?? '0'})` : `CASE ${terms.join(' ')} END`;
}
