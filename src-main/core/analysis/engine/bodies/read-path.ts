import type { DuckDBConnection } from '@duckdb/node-api';
import {
  type BodyField,
  isOwnField,
  MAX_CELL_CHARACTERS,
  type PathValues,
} from '../../../../common/model/records/body-path.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { readRows } from '../engine-database.ts';
import { toFilterSql, toPathValues, type KeptPath } from '../filter-sql.ts';
import { toSourceSql, type FilteredRecords } from '../resolved-scope.ts';

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
     SELECT left(value, ${MAX_CELL_CHARACTERS}), records, (SELECT count(value) FROM counted),
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

/** A path with what reads it of a record, as one text. */
export interface ReadPath {
  readonly path: string;
  readonly sql: string;
}

/** Returns how a path is read; one of a table that the connection doesn't have is in no record. Throws `app.invalid-input`. */
export async function toReadPath(
  path: string,
  direction: Direction,
  findOwn: () => Promise<KeptPath | undefined>,
): Promise<ReadPath> {
  const kept = await findOwn();
  if (kept === undefined && isOwnField(path)) return { path, sql: 'NULL::VARCHAR' };
  const values = toPathValues(path, direction, kept === undefined ? {} : { kept });
  if (values === null) return { path, sql: 'NULL::VARCHAR' };
  return { path, sql: values.isList ? `array_to_string(${values.sql}, ', ')` : values.sql };
}

/** Reads what records have at paths: for each id the values by their paths, those that it doesn't have left out, and cut
 * unless they are asked for whole. */
export async function readPathsOf(
  connection: DuckDBConnection,
  {
    direction,
    ids,
    isWhole = false,
  }: {
    readonly direction: Direction;
    readonly ids: readonly number[];
    readonly isWhole?: boolean | undefined;
  },
  paths: readonly ReadPath[],
): Promise<Record<string, string>[]> {
  const values = paths.map(({ sql }) => (isWhole ? sql : `left(${sql}, ${MAX_CELL_CHARACTERS})`));
  const rows = await readRows<[number, ...(string | null)[]]>(
    connection,
    `SELECT record_id, ${values.join(', ')} FROM ${direction} WHERE record_id IN (${ids.join(', ')})`,
  );
  const found = new Map(
    rows.map(([id, ...own]) => [
      id,
      Object.fromEntries(
        paths.flatMap(({ path }, place) => {
          const value = own[place] ?? '';
          return value === '' ? [] : [[path, value]];
        }),
      ),
    ]),
  );
  return ids.map((id) => found.get(id) ?? {});
}
