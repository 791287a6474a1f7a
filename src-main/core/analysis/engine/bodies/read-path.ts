import type { DuckDBConnection } from '@duckdb/node-api';
import type { BodyField } from '../../../../common/model/records/body-path.ts';
import type { PathValues } from '../../../../common/model/records/body-paths.ts';
import { readRows } from '../engine-database.ts';
import { toFilterSql, toPathValues, type KeptPath } from '../filter-sql.ts';
import { toSourceSql, type FilteredRecords } from '../resolved-scope.ts';

/** Longer values are cut where they are listed. */
const MAX_SHOWN_CHARACTERS = 1000;

/** Reads the most frequent values that some records have at a path. */
export async function readPathValues(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  {
    path,
    limit,
    kept,
  }: { readonly path: BodyField; readonly limit: number; readonly kept?: KeptPath | undefined },
): Promise<PathValues> {
  const where = toFilterSql(filter, scope.direction);
  const found = toPathValues(path, scope.direction, kept === undefined ? {} : { kept });
  const own = found === null ? { sql: 'NULL::VARCHAR', isList: false } : found;
  const source = toSourceSql(scope, [`${own.sql} AS found`], where);
  // A record counts once for each of its values.
  const texts = own.isList
    ? `SELECT unnest(CASE WHEN len(list_filter(found, lambda own: own <> '')) = 0 THEN [NULL]
         ELSE list_distinct(list_filter(found, lambda own: own <> '')) END) AS value FROM ${source}`
    : `SELECT nullif(found, '') AS value FROM ${source}`;
  const rows = await readRows<[string | null, number, number, number]>(
    connection,
    `WITH counted AS MATERIALIZED (SELECT value, count(*) AS records FROM (${texts}) GROUP BY value)
     SELECT left(value, ${MAX_SHOWN_CHARACTERS}), records, (SELECT count(value) FROM counted),
       (SELECT coalesce(sum(records), 0)::BIGINT FROM counted WHERE value IS NULL)
     FROM (
       (SELECT * FROM counted WHERE value IS NOT NULL ORDER BY records DESC, value LIMIT ${limit})
       UNION ALL SELECT NULL, 0
     ) ORDER BY value IS NULL, records DESC, value`,
    where.values,
  );
  const [, , distinctCount = 0, blankCount = 0] = rows[0] ?? [];
  const [[recordCount] = [0]] = own.isList
    ? await readRows<[number]>(connection, `SELECT count(*) FROM ${source}`, where.values)
    : await readRows<[number]>(
        connection,
        `SELECT count(*) FROM ${toSourceSql(scope, ['record_id'], where)}`,
        where.values,
      );
  return {
    recordCount,
    distinctCount,
    values: rows.flatMap(([value, count]) => (value === null ? [] : [{ value, count }])),
    blankCount,
  };
}
