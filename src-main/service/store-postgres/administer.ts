import { connectPostgres, type PostgresConnection, type PostgresPool } from './connect.ts';
import { toDatabaseError } from './database-error.ts';
import { checkVersion, migrate, type MigrationResult } from './migrate.ts';
import { retainDays } from './retain-days.ts';
import { listTenants } from './tenants.ts';

export type DatabaseAddress = Pick<PostgresConnection, 'url' | 'schema'>;

/** Brings a database up to date, and lets a role serve from it. Throws AppError `local-service.start-failed`. */
export function migrateDatabase(
  address: DatabaseAddress,
  servingRole: string | null = null,
): Promise<MigrationResult> {
  return withDatabase(address, (pool) => migrate(pool, address.schema, servingRole));
}

/** Removes days before `cutoffMs` of every tenant, or of one; tells how many records those were, by tenant. */
export function retainInDatabase(
  address: DatabaseAddress,
  { cutoffMs, only }: { readonly cutoffMs: number; readonly only: number | null },
  onRetained: (result: { readonly tenant: number; readonly removedRecords: number }) => void,
): Promise<void> {
  return withDatabase(address, async (pool) => {
    await checkVersion(pool, address.schema);
    const tenants = await listTenants(pool);
    for (const tenant of tenants.filter((each) => only === null || each === only))
      onRetained({ tenant, removedRecords: await retainDays(pool, tenant, cutoffMs) });
  });
}

/** Runs `work` with connections of its own. What the database refuses becomes AppError `local-service.start-failed`. */
export async function withDatabase<Result>(
  { url, schema }: DatabaseAddress,
  work: (pool: PostgresPool) => Promise<Result>,
): Promise<Result> {
  // Changing a schema and dropping partitions take as long as they take.
  const pool = connectPostgres({ url, schema, statementLimitMs: 0 }, () => undefined);
  try {
    return await work(pool);
  } catch (error) {
    throw toDatabaseError(error);
  } finally {
    await pool.close();
  }
}
