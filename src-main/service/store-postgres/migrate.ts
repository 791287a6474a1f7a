import { toStartError } from '../start-error.ts';
import type { PostgresPool } from './connect.ts';
import { MIGRATIONS } from './schema.ts';

/** Names the lock under which one process at a time changes the schema. */
const LOCK = 0x43537376;

/**
 * Brings the schema up to this version, one transaction for all steps that are missing; processes that start
 * at once wait for the first. Throws AppError `local-service.start-failed` for a schema of a newer version.
 */
export async function migrate(pool: PostgresPool, schema: string): Promise<void> {
  await pool.transact(async (connection) => {
    await connection.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const known = await connection.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    if (known.length === 0) await connection.query(`CREATE SCHEMA "${schema}"`);
    const [table] = await connection.query<[string | null]>('SELECT to_regclass($1)::text', [
      `"${schema}".schema_version`,
    ]);
    if ((table?.[0] ?? null) === null)
      await connection.query('CREATE TABLE schema_version (version integer NOT NULL)');
    const [row] = await connection.query<[number]>('SELECT version FROM schema_version');
    const version = row?.[0] ?? 0;
    if (version > MIGRATIONS.length) {
      throw toStartError(`The database was written by a newer version of this service (schema ${version}).`);
    }
    if (version === MIGRATIONS.length) return;
    for (const step of MIGRATIONS.slice(version)) await connection.query(step);
    await connection.query('DELETE FROM schema_version');
    await connection.query('INSERT INTO schema_version VALUES ($1)', [MIGRATIONS.length]);
  });
}
