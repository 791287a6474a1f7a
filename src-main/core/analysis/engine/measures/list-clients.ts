import type { DuckDBConnection } from '@duckdb/node-api';
import { readRows } from '../engine-database.ts';
import { toSourceSql, type ResolvedScope } from '../resolved-scope.ts';

/** Distinct clients in the order of their characters: those behind `after`, at most `limit`. */
export interface ClientPage {
  /** Null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Returns a page of the clients of a scope, without the empty one. */
export async function listClients(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { after, limit }: ClientPage,
): Promise<string[]> {
  const values = [after ?? ''];
  const source = toSourceSql(scope, ['client'], { sql: 'client > $1', values });
  const rows = await readRows<[string]>(
    connection,
    `SELECT DISTINCT client FROM ${source} ORDER BY client LIMIT ${limit}`,
    values,
  );
  return rows.map(([client]) => client);
}
