import { toStartError } from '../service-options.ts';
import type { PostgresPool, Queryable } from './connect.ts';
import { MIGRATIONS } from './migrations.ts';
import { SERVING_RIGHTS } from './schema.ts';

/** Names the lock under which one process at a time changes the schema. */
const LOCK = 0x43537376;

export interface MigrationResult {
  readonly fromVersion: number;
  readonly toVersion: number;
}

/**
 * Brings the schema up to this version, one transaction for all steps that are missing; processes that do so at once
 * wait for the first. `servingRole` is given the rights to serve, and no other. Throws AppError
 * `local-service.start-failed` for a schema of a newer version.
 */
export function migrate(
  pool: PostgresPool,
  schema: string,
  servingRole: string | null = null,
): Promise<MigrationResult> {
  return pool.transact(async (connection) => {
    await connection.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const known = await connection.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    if (known.length === 0) await connection.query(`CREATE SCHEMA "${schema}"`);
    const fromVersion = await readVersion(connection, schema);
    if (fromVersion === null)
      await connection.query('CREATE TABLE schema_version (version integer NOT NULL)');
    refuseNewer(fromVersion ?? 0);
    for (const { sql } of MIGRATIONS.slice(fromVersion ?? 0)) await connection.query(sql);
    await connection.query('DELETE FROM schema_version');
    await connection.query('INSERT INTO schema_version VALUES ($1)', [MIGRATIONS.length]);
    if (servingRole !== null) await grantServing(connection, schema, servingRole);
    return { fromVersion: fromVersion ?? 0, toVersion: MIGRATIONS.length };
  });
}

/** Throws AppError `local-service.start-failed` unless the schema is of this version. */
export async function checkVersion(pool: PostgresPool, schema: string): Promise<void> {
  const version = await pool.read((connection) => readVersion(connection, schema));
  refuseNewer(version ?? 0);
  if (version === MIGRATIONS.length) return;
  const found = version === null ? 'has no tables of this service' : `is of schema ${version}`;
  throw toStartError(`The database ${found}; run it once with --migrate, as a role that may make them.`);
}

function refuseNewer(version: number): void {
  if (version > MIGRATIONS.length)
    throw toStartError(`The database was written by a newer version of this service (schema ${version}).`);
}

async function readVersion(connection: Queryable, schema: string): Promise<number | null> {
  const [table] = await connection.query<[string | null]>('SELECT to_regclass($1)::text', [
    `"${schema}".schema_version`,
  ]);
  if ((table?.[0] ?? null) === null) return null;
  const [row] = await connection.query<[number]>('SELECT version FROM schema_version');
  return row?.[0] ?? 0;
}

async function grantServing(connection: Queryable, schema: string, role: string): Promise<void> {
  const [row] = await connection.query<[string]>('SELECT quote_ident($1)', [role]);
  const name = row?.[0] ?? '';
  await connection.query(`GRANT USAGE ON SCHEMA "${schema}" TO ${name}`);
  for (const [table, rights] of Object.entries(SERVING_RIGHTS))
    await connection.query(`GRANT ${rights} ON ${table} TO ${name}`);
  await connection.query(`GRANT EXECUTE ON FUNCTION add_day_partition(text, bigint, bigint) TO ${name}`);
}
