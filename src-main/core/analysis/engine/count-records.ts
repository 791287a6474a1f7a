import type { DuckDBConnection } from '@duckdb/node-api';
import { CODE_CLASSES, type TimeBucket } from '../../../common/model/record.ts';
import type { FilterField, RecordFilter } from '../../../common/model/record-filter.ts';
import { readRows } from './engine-database.ts';
import { findColumn } from './engine-tables.ts';
import { CLASS_PLACE_SQL, toFilterSql } from './filter-sql.ts';
import { toSourceSql, type RecordScope } from './record-scope.ts';

/**
 * Counts records by class of the response code between edges that rise; records without a date, or outside, are in
 * no bucket.
 */
export async function countByTime(
  connection: DuckDBConnection,
  scope: RecordScope,
  filter: RecordFilter,
  edges: readonly number[],
): Promise<TimeBucket[]> {
  const [fromMs = 0] = edges;
  const toMs = edges.at(-1) ?? fromMs;
  // Counted in steps that each edge falls on, and joined afterwards: a clock change makes buckets differ in length.
  const stepMs = edges.reduce((step, edge) => toCommonDivisor(step, edge - fromMs), 0) || 1;
  const where = toFilterSql(filter, scope.direction);
  const source = toSourceSql(scope, ['date_ms', 'response_code'], where);
  const rows = await readRows<[number, number, number]>(
    connection,
    `SELECT (date_ms - ${fromMs}) // ${stepMs} AS step, ${CLASS_PLACE_SQL} AS class, count(*) FROM ${source}
     WHERE date_ms >= ${fromMs} AND date_ms < ${toMs} GROUP BY ALL ORDER BY step`,
    where.values,
  );
  const buckets = edges.slice(0, -1).map((edge, place) => ({
    fromMs: edge,
    toMs: edges[place + 1] ?? edge,
    counts: CODE_CLASSES.map(() => 0),
  }));
  let place = 0;
  for (const [step, codeClass, records] of rows) {
    while ((buckets[place]?.toMs ?? Infinity) <= fromMs + step * stepMs) place += 1;
    const counts = buckets[place]?.counts;
    if (counts !== undefined) counts[codeClass] = (counts[codeClass] ?? 0) + records;
  }
  return buckets;
}

function toCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : toCommonDivisor(b, a % b);
}

/** A value of a field, null where it has none, and its number of records. */
export interface ValueCount {
  readonly value: string | number | null;
  readonly count: number;
}

/** Values listed of one field; the most frequent ones. */
const MAX_VALUES = 500;

/**
 * Counts the values of some fields, the most frequent first, at most 500 of each. Conditions on a field don't
 * restrict its own counts, so that what else could be chosen stays visible.
 */
export async function countValues<Field extends FilterField>(
  connection: DuckDBConnection,
  scope: RecordScope,
  filter: RecordFilter,
  fields: readonly Field[],
): Promise<Record<Field, ValueCount[]>> {
  const counts = {} as Record<Field, ValueCount[]>;
  for (const field of fields) {
    const column = findColumn(field, scope.direction)?.name;
    if (column === undefined) {
      counts[field] = [];
      continue;
    }
    const where = toFilterSql(filter, scope.direction, field);
    const rows = await readRows<[string | number | null, number]>(
      connection,
      `SELECT ${column}, count(*) AS records FROM ${toSourceSql(scope, [column], where)}
       GROUP BY ALL ORDER BY records DESC, ${column} LIMIT ${MAX_VALUES}`,
      where.values,
    );
    counts[field] = rows.map(([value, count]) => ({ value, count }));
  }
  return counts;
}

/** Number of the records of a scope. */
export async function countRecords(connection: DuckDBConnection, scope: RecordScope): Promise<number> {
  const source = toSourceSql(scope, ['record_id'], { sql: 'true', values: [] });
  const [[count] = [0]] = await readRows<[number]>(connection, `SELECT count(*) FROM ${source}`);
  return count;
}

/** The newest date; null where no record has one. */
export async function findNewestMs(connection: DuckDBConnection, scope: RecordScope): Promise<number | null> {
  const source = toSourceSql(scope, ['date_ms'], { sql: 'true', values: [] });
  const [[newestMs] = [null]] = await readRows<[number | null]>(
    connection,
    `SELECT max(date_ms) FROM ${source}`,
  );
  return newestMs;
}
