import type { DuckDBConnection } from '@duckdb/node-api';
import type { FilterField, RecordFilter } from '../../../common/model/record-filter.ts';
import { readRows } from './engine-database.ts';
import { findColumn } from './engine-tables.ts';
import { toFilterSql } from './filter-sql.ts';
import { toSourceSql, type RecordScope } from './record-scope.ts';

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
