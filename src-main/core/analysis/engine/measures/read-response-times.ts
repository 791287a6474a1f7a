import type { DuckDBConnection } from '@duckdb/node-api';
import type { TimedField } from '../../../../common/model/analysis/measured-times.ts';
import type { ResponseTimes, TimesRow } from '../../../../common/model/records/response-times.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL, findColumn } from '../engine-tables.ts';
import { toFilterSql } from '../filter-sql.ts';
import { toSourceSql, type FilteredRecords } from '../resolved-scope.ts';
import { toCountedBucketSql } from './bucket-sql.ts';
import { TIME_EDGES } from './read-distribution.ts';

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

/** Places in a byte are grouped without hashing. */
const PLACE_SQL = `CASE WHEN value IS NOT NULL THEN ${toPlaceSql(0, TIME_EDGES.length - 1)} END::UTINYINT`;
