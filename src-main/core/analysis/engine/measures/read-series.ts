import type { DuckDBConnection } from '@duckdb/node-api';
import type {
  Distribution,
  HeatMap,
  SeriesBucket,
  TimedField,
} from '../../../../common/model/analysis/grouping.ts';
import type { ResponseTimes, TimesRow } from '../../../../common/model/records/histogram.ts';
import { HOUR_MS } from '../../../../common/time/durations.ts';
import { listZoneOffsets, type ZoneOffset } from '../../../../common/time/civil-time.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL, findColumn } from '../engine-tables.ts';
import { toFilterSql } from '../filter-sql.ts';
import { countAtMost, type FilteredRecords, toSourceSql } from '../resolved-scope.ts';
import { type TimesCells, toBucketSql, toCountedBucketSql, toLatency, toTimesSql } from './measure-sql.ts';

const WEEK_HOURS = 168;
/** The first of January 1970 was a Thursday. */
const MONDAY_HOURS = 72;
/** Whole weeks before which no date lies: the remainder of a negative number would be negative. */
const NO_DATE_BEFORE_MS = 14_400_000 * WEEK_HOURS * HOUR_MS;

type Measured = readonly [
  place: number,
  count: number,
  failures: number,
  ...percentiles: readonly [medianMs: number | null, p95Ms?: number | null],
];

/** Of more records equal times are counted first: the engine holds each of fewer ones, in eight bytes and more. */
const MAX_HELD_RECORDS = 16_000_000;

interface MeasuredPlaces {
  /** An expression over `date_ms`. */
  readonly place: string;
  readonly condition: string;
  readonly shares: readonly number[];
  readonly maxHeld: number;
}

/** Measures the records of a scope by the value of an expression over `date_ms`, as far as a condition holds. */
async function readMeasured(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { place, condition, shares, maxHeld }: MeasuredPlaces,
): Promise<Measured[]> {
  const where = toFilterSql(filter, scope.direction);
  const columns = [`${place} AS place`, 'date_ms', 'outcome', 'response_time_ms AS value'];
  const source = toSourceSql(scope, columns, where);
  const failing = `count(*) FILTER (${FAILED_SQL})`;
  if (countAtMost(scope) <= maxHeld) {
    const percentiles = shares.map((_, at) => `percentiles[${at + 1}]`);
    return readRows<Measured>(
      connection,
      `SELECT place, records, failures, ${percentiles.join(', ')} FROM (
         SELECT place, count(*) AS records, ${failing} AS failures,
           quantile_cont(value, [${shares.join(', ')}]) AS percentiles
         FROM ${source} WHERE ${condition} GROUP BY place
       )`,
      where.values,
    );
  }
  const sums = ['sum(records)::BIGINT AS records', 'sum(failures)::BIGINT AS failures'];
  const percentiles = shares.map((_, at) => `p${at}`);
  return readRows<Measured>(
    connection,
    `WITH cells AS MATERIALIZED (
       SELECT place, value, count(*) AS records, ${failing} AS failures
       FROM ${source} WHERE ${condition} GROUP BY ALL
     ) SELECT place, records, failures, ${percentiles.join(', ')}
     FROM (${toTimesSql('cells', ['place'], sums, shares)})`,
    where.values,
  );
}

/** Measures the records of each bucket between edges, which rise. */
export async function readSeries(
  connection: DuckDBConnection,
  records: FilteredRecords,
  edges: readonly number[],
  maxHeld = MAX_HELD_RECORDS,
): Promise<SeriesBucket[]> {
  const [first = 0] = edges;
  const condition = `date_ms >= ${first} AND date_ms < ${edges.at(-1) ?? first}`;
  const buckets = edges.slice(0, -1).map((fromMs, place): SeriesBucket => {
    const toMs = edges[place + 1] ?? fromMs;
    return { fromMs, toMs, count: 0, failures: 0, medianMs: null, p95Ms: null };
  });
  const [place, shares] = [toBucketSql(edges), [0.5, 0.95]];
  for (const row of await readMeasured(connection, records, { place, condition, shares, maxHeld })) {
    const [bucket, count, failures, medianMs, p95Ms = null] = row;
    Object.assign(buckets[bucket] ?? {}, { count, failures, medianMs, p95Ms });
  }
  return buckets;
}

/** Measures the records of each hour of the week, as a zone's clock shows it. */
export async function readHeatMap(
  connection: DuckDBConnection,
  records: FilteredRecords,
  zone: string,
  maxHeld = MAX_HELD_RECORDS,
): Promise<HeatMap> {
  const cells: HeatMap['cells'] = Array.from({ length: WEEK_HOURS }, () => ({
    count: 0,
    failures: 0,
    medianMs: null,
  }));
  const { scope, filter } = records;
  const where = toFilterSql(filter, scope.direction);
  const [[firstMs, lastMs] = [null, null]] = await readRows<[number | null, number | null]>(
    connection,
    `SELECT min(date_ms), max(date_ms) FROM ${toSourceSql(scope, ['date_ms'], where)}`,
    where.values,
  );
  if (firstMs === null || lastMs === null) return { cells };
  const place = toWeekHourSql(listZoneOffsets(firstMs, lastMs + 1, zone));
  const [condition, shares] = ['date_ms IS NOT NULL', [0.5]];
  for (const row of await readMeasured(connection, records, { place, condition, shares, maxHeld })) {
    const [hour, count, failures, medianMs] = row;
    cells[hour] = { count, failures, medianMs };
  }
  return { cells };
}

/** The hour of the week that `date_ms` lies in, that of Monday's midnight 0. */
function toWeekHourSql(offsets: readonly ZoneOffset[]): string {
  const [first, ...changes] = offsets;
  // The last change that a date is not before decides.
  const cases = changes
    .toReversed()
    .map(({ fromMs, offsetMs }) => `WHEN date_ms >= ${fromMs} THEN ${offsetMs}`);
  const offset =
    cases.length === 0
      ? String(first?.offsetMs ?? 0)
      : `CASE ${cases.join(' ')} ELSE ${first?.offsetMs ?? 0} END`;
  const hours = `(date_ms + ${NO_DATE_BEFORE_MS} + ${offset}) // ${HOUR_MS}`;
  return `((${hours} + ${MONDAY_HOURS}) % ${WEEK_HOURS})`;
}

/** More rows than these are too low to be read: each two then are one. */
export const MAX_TIMES_ROWS = 32;

/** Bucket, place between TIME_EDGES, records, those that failed; of records without a time the place is null. */
type Cell = [number, number | null, number, number];

/** How records are laid out by how long they took. */
export interface ResponseTimesShape {
  /** Edges of the buckets, rising. */
  readonly edges: readonly number[];
  readonly field: TimedField;
}

/** Counts records between edges by how long they took; records without a date, or outside, are in no cell. */
export async function readResponseTimes(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { edges, field }: ResponseTimesShape,
): Promise<ResponseTimes> {
  const where = toFilterSql(filter, scope.direction);
  const column = findColumn(field, scope.direction)?.name ?? 'NULL::DOUBLE';
  const source = toSourceSql(scope, ['date_ms', 'outcome', `${column} AS value`], where);
  const [first = 0] = edges;
  const found = await readRows<Cell>(
    connection,
    `SELECT ${toCountedBucketSql(edges)} AS bucket, ${PLACE_SQL} AS place, count(*),
       count(*) FILTER (${FAILED_SQL})
     FROM ${source} WHERE date_ms >= ${first} AND date_ms < ${edges.at(-1) ?? first} GROUP BY ALL`,
    where.values,
  );
  const places = found.flatMap(([, place]) => place ?? []);
  const [low, high] = [Math.min(...places), Math.max(...places)];
  const isPaired = high - low >= MAX_TIMES_ROWS;
  const toRow = (place: number): number => toGroup(place, isPaired) - toGroup(low, isPaired);
  const cells = new Map<string, ResponseTimes['cells'][number]>();
  let missingCount = 0;
  for (const [bucket, place, count, failures] of found) {
    if (place === null) {
      missingCount += count;
      continue;
    }
    const key = `${bucket} ${toRow(place)}`;
    const before = cells.get(key) ?? { bucket, row: toRow(place), count: 0, failures: 0 };
    cells.set(key, { ...before, count: before.count + count, failures: before.failures + failures });
  }
  return {
    buckets: edges.slice(0, -1).map((fromMs, place) => ({ fromMs, toMs: edges[place + 1] ?? fromMs })),
    rows: places.length === 0 ? [] : listRows(low, high, isPaired),
    cells: [...cells.values()].sort((a, b) => a.bucket - b.bucket || a.row - b.row),
    missingCount,
  };
}

/** In pairs each begins at a rounder number: 1, 2, 4, 6, 10. What is below the first of them stays by itself. */
function toGroup(place: number, isPaired: boolean): number {
  return isPaired ? Math.ceil(place / 2) : place;
}

function listRows(low: number, high: number, isPaired: boolean): TimesRow[] {
  const rows: TimesRow[] = [];
  for (let place = 0; place < TIME_EDGES.length; place += 1) {
    const row = toGroup(place, isPaired) - toGroup(low, isPaired);
    if (row < 0 || toGroup(place, isPaired) > toGroup(high, isPaired)) continue;
    const toMs = TIME_EDGES[place + 1] ?? null;
    // What is shorter than nothing is in the first row too.
    const fromMs = rows[row]?.fromMs ?? (place === 0 ? null : (TIME_EDGES[place] ?? null));
    rows[row] = { fromMs, toMs };
  }
  return rows;
}

/** Halves the edges at each step: asked for one after the other, they would take four times as long. */
function toPlaceSql(low: number, high: number): string {
  if (low === high) return String(low);
  const middle = Math.ceil((low + high) / 2);
  return `CASE WHEN value < ${TIME_EDGES[middle] ?? 0} THEN ${toPlaceSql(low, middle - 1)} ELSE ${toPlaceSql(middle, high)} END`;
}

/** Powers of ten from a millisecond to almost three hours. */
const POWERS = 7;

/** Steps within a power of ten: round numbers, each about a third above the one before. */
const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8];

/** Where buckets of times begin; what is shorter than the second edge is in the first. */
const TIME_EDGES: readonly number[] = [
  0,
  ...Array.from({ length: POWERS }, (_, power) => STEPS.map((step) => step * 10 ** power)).flat(),
  10 ** POWERS,
];

/** Places in a byte are grouped without hashing. */
const PLACE_SQL = `CASE WHEN value IS NOT NULL THEN ${toPlaceSql(0, TIME_EDGES.length - 1)} END::UTINYINT`;

/** Distributes the records of a scope by how long they took. */
export async function readDistribution(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  field: TimedField,
): Promise<Distribution> {
  const where = toFilterSql(filter, scope.direction);
  const column = findColumn(field, scope.direction)?.name ?? 'NULL::DOUBLE';
  const cases = TIME_EDGES.slice(1).map((edge, place) => `WHEN value < ${edge} THEN ${place}`);
  const rows = await readRows<readonly [number | null, number, ...TimesCells]>(
    connection,
    `WITH cells AS MATERIALIZED (
       SELECT value, count(*) AS records FROM ${toSourceSql(scope, [`${column} AS value`], where)} GROUP BY value
     ), placed AS (
       SELECT CASE WHEN value IS NULL THEN NULL ${cases.join(' ')} ELSE ${TIME_EDGES.length - 1} END AS place,
         sum(records)::BIGINT AS count
       FROM cells GROUP BY place
     )
     SELECT placed.*, times.* FROM (${toTimesSql('cells', [])}) times LEFT JOIN placed ON true ORDER BY place`,
    where.values,
  );
  const counts = new Map(rows.map(([place, count]) => [place, count]));
  const places = rows.flatMap(([place]) => place ?? []);
  const last = places.at(-1) ?? -1;
  const buckets: Distribution['buckets'] = [];
  for (let place = places[0] ?? 0; place <= last; place += 1) {
    const [fromMs = 0, toMs = null] = TIME_EDGES.slice(place, place + 2);
    buckets.push({ fromMs, toMs, count: counts.get(place) ?? 0 });
  }
  const [[, , ...times] = [null, 0, 0, null, null, null, null, null, null]] = rows;
  return { buckets, times: toLatency(times), missingCount: counts.get(null) ?? 0 };
}
