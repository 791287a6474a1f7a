import type { DuckDBConnection } from '@duckdb/node-api';
import type { Distribution, TimedField } from '../../../../common/model/analysis/measured-times.ts';
import { readRows } from '../engine-database.ts';
import { findColumn } from '../engine-tables.ts';
import { toFilterSql } from '../filter-sql.ts';
import { toSourceSql, type FilteredRecords } from '../resolved-scope.ts';
import { toLatency, toTimesSql, type TimesCells } from './times-sql.ts';

/** Steps within a power of ten: round numbers, each about a third above the one before. */
const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8];
/** Powers of ten from a millisecond to almost three hours. */
const POWERS = 7;
/** Where buckets of times begin; what is shorter than the second edge is in the first. */
export const TIME_EDGES: readonly number[] = [
  0,
  ...Array.from({ length: POWERS }, (_, power) => STEPS.map((step) => step * 10 ** power)).flat(),
  10 ** POWERS,
];

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
