import type { Latency } from '../../../../common/model/analysis/grouping.ts';

type Figure = number | null;
/** The figures of a Latency as they are read from a row; no count where its group has no cell. */
export type TimesCells = readonly [Figure, Figure, Figure, Figure, Figure, Figure, Figure];

const SHARES = [0.5, 0.9, 0.95, 0.99];
/** The columns that a TimesCells is read from. */
export const TIMES_COLUMNS = ['timed', 'average', ...SHARES.map((_, place) => `p${place}`), 'longest'];

/** Powers of two, by which numbers can be divided and multiplied without a change to their digits. */
const SMALLER = '9.094947017729282e-13';
const LARGER = '1099511627776';

/**
 * An average of `value`, which `toSql` writes. Where the sum of the largest numbers is beyond any, that of smaller ones
 * is taken.
 */
export function toAverageSql(value: string, toSql = (of: string): string => `avg(${of})`): string {
  const [plain, small] = [toSql(value), toSql(`${value} * ${SMALLER}`)];
  return `CASE WHEN isfinite(${plain}) THEN ${plain} ELSE ${small} * ${LARGER} END`;
}

/**
 * A statement that measures times by keys. `cells` is a table of the keys, `value` (a time, or null) and `records`, the
 * number of records with both; `sums` are aggregates over more of its columns. Times repeat: once equal ones are counted,
 * a fraction is left to be sorted. Counts are DOUBLE meanwhile: sums of BIGINT are HUGEINT, which takes many times as long.
 */
export function toTimesSql(
  cells: string,
  keys: readonly string[],
  sums: readonly string[] = [],
  shares: readonly number[] = SHARES,
): string {
  const partition = keys.length === 0 ? '' : `PARTITION BY ${keys.join(', ')}`;
  const columns = [
    ...keys,
    ...sums,
    'coalesce(max(whole), 0)::BIGINT AS timed',
    `${toAverageSql('value', (of) => `sum(${of} * records) / max(whole)`)} AS average`,
    ...shares.map((share, place) => `${toPercentileSql(share)} AS p${place}`),
    'max(value) AS longest',
  ];
  return `SELECT ${columns.join(', ')} FROM (
    SELECT *, sum(CASE WHEN value IS NOT NULL THEN records::DOUBLE ELSE 0 END) OVER (${partition}) AS whole,
      sum(records::DOUBLE) OVER (${partition} ORDER BY value NULLS LAST ROWS UNBOUNDED PRECEDING) AS upto
    FROM ${cells}
  ) ${keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`}`;
}

/**
 * Returns a percentile as a Latency has it, of rows with `value`, the records `upto` it, and those of the `whole`. The value
 * at a place is the least one up to which there are more records.
 */
export function toPercentileSql(share: number): string {
  const place = `${share} * (whole - 1)`;
  const low = `min(value) FILTER (upto > floor(${place}))`;
  const high = `min(value) FILTER (upto > ceil(${place}))`;
  const rest = `max(${place} - floor(${place}))`;
  const between = `${low} + (${high} - ${low}) * ${rest}`;
  // The difference of the largest numbers is beyond any.
  return `CASE WHEN isfinite(${between}) THEN ${between} ELSE ${low} * (1 - ${rest}) + ${high} * ${rest} END`;
}

/** The condition under which two tables have the same keys; no value equals no value. */
export function joinKeys(keys: readonly string[], one: string, other: string): string {
  return keys.map((key) => `${one}.${key} IS NOT DISTINCT FROM ${other}.${key}`).join(' AND ');
}

/** Returns the figures that TIMES_COLUMNS hold. */
export function toLatency([count, averageMs, medianMs, p90Ms, p95Ms, p99Ms, maxMs]: TimesCells): Latency {
  return { count: count ?? 0, averageMs, medianMs, p90Ms, p95Ms, p99Ms, maxMs };
}

export const NO_TIMES: Latency = toLatency([0, null, null, null, null, null, null]);

/** Places of so many buckets fit into a byte. */
const MAX_BYTE_PLACES = 256;

/**
 * The place of a bucket, as `toBucketSql` has it, to count records by: places in a byte are grouped without hashing.
 * Not to find percentiles by, which takes longer so.
 */
export function toCountedBucketSql(edges: readonly number[]): string {
  const place = toBucketSql(edges);
  return edges.length <= MAX_BYTE_PLACES ? `${place}::UTINYINT` : place;
}

/**
 * The place of the bucket between edges that `date_ms` lies in, which must be in one. A clock change makes buckets
 * differ in length: each run of equal ones is divided by its own. Numbers of the application, never input, stand in the statement itself.
 */
export function toBucketSql(edges: readonly number[]): string {
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
  return terms.length < 2 ? `(${terms[0]?.slice('ELSE '.length) ?? '0'})` : `(CASE ${terms.join(' ')} END)`;
}
