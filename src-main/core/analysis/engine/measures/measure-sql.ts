import { type DuckDBConnection, DuckDBListVector } from '@duckdb/node-api';
import { AppError } from '../../../../common/contract/errors.ts';
import { isGroupPath, type Latency } from '../../../../common/model/analysis/grouping.ts';
import { isBodyField } from '../../../../common/model/records/body-path.ts';
import type { FilterField } from '../../../../common/model/records/record-filter.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { type Interval, toQuantileRanks } from '../../../../common/statistics.ts';
import { toPlain, toTypes } from '../engine-database.ts';
import { findColumn, OUTCOME_COLUMN } from '../engine-tables.ts';
import { type BoundValue, type KeptPath, toPathValues } from '../filter-sql.ts';

/** A field as groups have it: no value is null whether the column says so, is an empty text, or is missing. */
export function toKeySql(field: FilterField, direction: Direction, kept?: KeptPath): string {
  if (isBodyField(field)) {
    if (!isGroupPath(field))
      throw new AppError('app.invalid-input', 'Records have many values there.', { field });
    const values = toPathValues(field, direction, kept === undefined ? {} : { kept });
    return values === null ? 'NULL::VARCHAR' : `nullif(${values.sql}, '')`;
  }
  const column = findColumn(field, direction);
  if (column === null) return 'NULL::VARCHAR';
  if (column === OUTCOME_COLUMN) return `${column.name}::VARCHAR`;
  return column.type === 'VARCHAR' ? `nullif(${column.name}, '')` : column.name;
}

/** What records that belong together have in common, as a number: their session; of a record without one, itself. */
export const UNIT_SQL = "CASE WHEN session_id <> '' THEN hash(session_id) ELSE hash(record_id) END";

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

/**
 * Values of a table that are kept once with their counts are listed to be ranked here up to so many: a list takes less
 * time than sorting in a statement, but has to fit into memory.
 */
export const MAX_LISTED_VALUES = 1_000_000;

/** The times of so many records are listed as they are: counting equal ones first takes longer. */
export const MAX_LISTED_RECORDS = 400_000;

/** Two columns that list the values of `value`, which may be null, with the counts in `records`. */
export const LISTS_SQL =
  'list(value) FILTER (value IS NOT NULL) AS listed, list(records::DOUBLE) FILTER (value IS NOT NULL) AS counts';

/**
 * Keeps what a statement selects as a table of the connection, so that it is there for several statements, and returns the
 * number of its rows.
 */
export async function makeCells(
  connection: DuckDBConnection,
  table: string,
  sql: string,
  values: readonly BoundValue[],
): Promise<number> {
  const text = `CREATE OR REPLACE TEMP TABLE ${table} AS ${sql}`;
  const reader = await connection.runAndReadAll(text, [...values], toTypes(values));
  return Number(reader.getRows()[0]?.[0] ?? 0);
}

const EMPTY = new Float64Array();

/** Cells of a row, whole numbers as numbers; lists, which must be of DOUBLE, as arrays of their own. */
export type ListedRow = readonly (number | string | boolean | null | Float64Array)[];

/** Reads a result whose cells are plain or lists of DOUBLE. */
export async function readListedRows(
  connection: DuckDBConnection,
  sql: string,
  values: readonly BoundValue[] = [],
): Promise<ListedRow[]> {
  const result = await connection.stream(sql, [...values], toTypes(values));
  const rows: ListedRow[] = [];
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return rows;
    const vectors = Array.from({ length: chunk.columnCount }, (_none, place) => chunk.getColumnVector(place));
    for (let row = 0; row < chunk.rowCount; row += 1) {
      rows.push(
        vectors.map((vector) => {
          if (!(vector instanceof DuckDBListVector)) return toPlain(vector.getItem(row)) as ListedRow[number];
          const items = vector.getItemVector(row) as unknown as { items: Float64Array } | null;
          return items?.items ?? null;
        }),
      );
    }
  }
}

/** Returns what the columns of LISTS_SQL hold; null where a row has none. Without counts each value occurs once. */
export function toCounted(values: unknown, counts: unknown): CountedValues {
  return {
    values: values instanceof Float64Array ? values : EMPTY,
    counts: counts instanceof Float64Array ? counts : null,
  };
}

/** Values and how often each occurs, in any order; one that comes again is added up. Without counts each occurs once. */
export interface CountedValues {
  readonly values: Float64Array;
  readonly counts: Float64Array | null;
}

/** Rising values, and how many there are up to each. */
export interface RankedValues {
  readonly values: Float64Array;
  readonly upto: Float64Array;
}

/** Whole numbers that lie so much closer together than there are values are counted by their place, without sorting. */
const MAX_PLACES_PER_VALUE = 8;

/** Returns values as they rise. */
export function rankValues(counted: CountedValues): RankedValues {
  return rankByPlace(counted) ?? rankBySorting(counted);
}

function rankByPlace({ values, counts }: CountedValues): RankedValues | null {
  let least = Infinity;
  let most = -Infinity;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    if (!Number.isInteger(value)) return null;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (values.length === 0 || most - least >= values.length * MAX_PLACES_PER_VALUE) return null;
  const places = new Float64Array(most - least + 1);
  for (let at = 0; at < values.length; at += 1) {
    const place = (values[at] ?? 0) - least;
    places[place] = (places[place] ?? 0) + (counts === null ? 1 : (counts[at] ?? 0));
  }
  return accumulate(places, (place) => least + place);
}

function rankBySorting({ values, counts }: CountedValues): RankedValues {
  const sorted = values.toSorted();
  const places = new Float64Array(sorted.length);
  for (let at = 0; at < values.length; at += 1) {
    const place = findFirst(sorted, values[at] ?? 0);
    places[place] = (places[place] ?? 0) + (counts === null ? 1 : (counts[at] ?? 0));
  }
  return accumulate(places, (place) => sorted[place] ?? 0);
}

/** Returns the values of several, as they rise. */
export function joinRanked(parts: readonly RankedValues[]): RankedValues {
  const length = parts.reduce((sum, { values }) => sum + values.length, 0);
  const [values, counts] = [new Float64Array(length), new Float64Array(length)];
  let at = 0;
  for (const part of parts) {
    values.set(part.values, at);
    for (let place = 0; place < part.upto.length; place += 1)
      counts[at + place] = (part.upto[place] ?? 0) - (part.upto[place - 1] ?? 0);
    at += part.values.length;
  }
  return rankValues({ values, counts });
}

/** Leaves out what occurs nowhere. */
function accumulate(counts: Float64Array, toValue: (place: number) => number): RankedValues {
  const values = new Float64Array(counts.length);
  const upto = new Float64Array(counts.length);
  let [length, sum] = [0, 0];
  for (let place = 0; place < counts.length; place += 1) {
    const count = counts[place] ?? 0;
    if (count === 0) continue;
    sum += count;
    values[length] = toValue(place);
    upto[length] = sum;
    length += 1;
  }
  return { values: values.subarray(0, length), upto: upto.subarray(0, length) };
}

/** Returns the first place of rising numbers whose number is not below a value; their length where all are. */
function findFirst(rising: Float64Array, value: number): number {
  let [from, until] = [0, rising.length];
  while (from < until) {
    const middle = (from + until) >>> 1;
    if ((rising[middle] ?? 0) < value) from = middle + 1;
    else until = middle;
  }
  return from;
}

/** Returns the value at a rank, from 1 to the number of values. */
function findAtRank({ values, upto }: RankedValues, rank: number): number {
  return values[findFirst(upto, rank)] ?? NaN;
}

/** Returns how many values there are. */
export function countRanked({ upto }: RankedValues): number {
  return upto.at(-1) ?? 0;
}

/** Returns the percentile that a quantile names, as a Latency has it; null of no values. */
export function toPercentile(ranked: RankedValues, quantile: number): number | null {
  const count = countRanked(ranked);
  if (count === 0) return null;
  const place = quantile * (count - 1);
  const low = findAtRank(ranked, Math.floor(place) + 1);
  const high = findAtRank(ranked, Math.ceil(place) + 1);
  const share = place % 1;
  const between = low + (high - low) * share;
  // The difference of the largest numbers is beyond any.
  return Number.isFinite(between) ? between : low * (1 - share) + high * share;
}

/** Returns the interval that a quantile of what the values are a sample of lies in; null of too few values. */
export function toQuantileInterval(ranked: RankedValues, quantile: number, level?: number): Interval | null {
  const ranks = toQuantileRanks(countRanked(ranked), quantile, level);
  return ranks === null ? null : { low: findAtRank(ranked, ranks.low), high: findAtRank(ranked, ranks.high) };
}

/** Returns the average; null of no values. */
function toAverage({ values, upto }: RankedValues): number | null {
  const total = upto.at(-1) ?? 0;
  if (total === 0) return null;
  const addUp = (divisor: number): number => {
    let sum = 0;
    let before = 0;
    for (let place = 0; place < upto.length; place += 1) {
      const count = upto[place] ?? 0;
      sum += (values[place] ?? 0) * ((count - before) / divisor);
      before = count;
    }
    return sum;
  };
  const average = addUp(1) / total;
  // The sum of the largest numbers is beyond any.
  return Number.isFinite(average) ? average : addUp(total);
}

/** Returns the figures of values that are times in milliseconds. */
export function measureRanked(ranked: RankedValues): Latency {
  return {
    count: countRanked(ranked),
    averageMs: toAverage(ranked),
    medianMs: toPercentile(ranked, 0.5),
    p90Ms: toPercentile(ranked, 0.9),
    p95Ms: toPercentile(ranked, 0.95),
    p99Ms: toPercentile(ranked, 0.99),
    maxMs: ranked.values.at(-1) ?? null,
  };
}
