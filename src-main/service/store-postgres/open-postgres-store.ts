import type { RecordStore } from '../store/record-store.ts';
import { toDatabaseError } from './connect.ts';
import { openPostgresDatabase, type PostgresPlace } from './open-postgres-database.ts';
import type { PostgresSurroundings } from './open-tenant-store.ts';

/**
 * Opens one tenant's store in a PostgreSQL database that `migrate` has brought up to date; a tenant that isn't there is
 * added where the role may. Several processes may have the same one open: writers of a tenant take turns. Throws
 * AppError `local-service.start-failed`.
 */
export async function openPostgresStore(
  { tenant, ...place }: PostgresPlace & { readonly tenant: number },
  surroundings: PostgresSurroundings,
): Promise<RecordStore> {
  const database = await openPostgresDatabase(place, surroundings);
  try {
    await database.ensureTenant(tenant);
    return { ...(await database.openTenant(tenant)), close: database.close };
  } catch (error) {
    await database.close();
    throw toDatabaseError(error);
  }
}
