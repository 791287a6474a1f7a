import type { DuckDBConnection } from '@duckdb/node-api';
import type { GroupValue } from '../../../../common/model/analysis/grouping.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { readRows } from '../engine-database.ts';
import { toFilterSql } from '../filter-sql.ts';
import { toKeySql } from '../measures/key-sql.ts';
import { toSourceSql, type FilteredRecords } from '../resolved-scope.ts';
import { partRows, type CountedValues } from './count-minutes.ts';

/**
 * Finds when error families came that no earlier record of the scope has; those of them that a filter leaves, by their
 * first record that it does, and of each value by itself. The scope is everything cached: what is older than the span
 * decides what is new.
 */
export async function findNewFamilies(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { fromMs, toMs, each }: TimeSpan & { each?: CountedValues | undefined },
): Promise<number[][]> {
  const where = toFilterSql(filter, scope.direction);
  const span = `date_ms >= ${fromMs} AND date_ms < ${toMs} AND error_pattern <> ''`;
  const key = each === undefined ? 'NULL' : toKeySql(each.field, scope.direction);
  const inSpan = toSourceSql(scope, ['error_pattern', 'date_ms', `${key} AS own_key`], {
    sql: [span, where.sql].filter((sql) => sql !== 'true').join(' AND '),
    values: where.values,
  });
  const before = toSourceSql(scope, ['error_pattern'], { sql: `date_ms < ${fromMs}`, values: [] });
  const rows = await readRows<[GroupValue, number]>(
    connection,
    `SELECT own_key, min(date_ms) AS first_ms FROM ${inSpan}
     WHERE error_pattern NOT IN (SELECT DISTINCT error_pattern FROM ${before} WHERE error_pattern IS NOT NULL)
     GROUP BY own_key, error_pattern ORDER BY first_ms`,
    where.values,
  );
  return partRows(rows, each).map((own) => own.map(([firstMs]) => firstMs));
}
