import type { DuckDBConnection } from '@duckdb/node-api';
import type { HeatMap, SeriesBucket } from '../../../../common/model/analysis/measured-times.ts';
import { HOUR_MS } from '../../../../common/time/durations.ts';
import { listZoneOffsets, type ZoneOffset } from '../../../../common/time/time-zones.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL } from '../engine-tables.ts';
import { toFilterSql } from '../filter-sql.ts';
import { countAtMost, toSourceSql, type FilteredRecords } from '../resolved-scope.ts';
import { toBucketSql, toTimesSql } from './times-sql.ts';

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
