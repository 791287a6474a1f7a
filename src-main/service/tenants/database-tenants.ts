import type { DatabasePlace } from '../service-options.ts';
import {
  addTenant,
  hasTenant,
  listTenants,
  readTenantRecords,
  removeTenant,
  withDatabase,
} from '../store-postgres/tenants.ts';
import { checkVersion } from '../store-postgres/schema.ts';
import { openPostgresStore } from '../store-postgres/open-postgres-store.ts';
import type { TenantDirectory, TenantRecords } from '../store/record-store.ts';

/** The tenants of a PostgreSQL database. Adding and removing need the rights of the tables' owner. */
export function openDatabaseTenants(
  place: DatabasePlace,
  surroundings: { readonly now: () => number; readonly reportError: (error: unknown) => void },
): TenantDirectory {
  const use: typeof withDatabase = (address, work) =>
    withDatabase(address, async (pool) => {
      await checkVersion(pool, place.schema);
      return work(pool);
    });
  return {
    list: () =>
      use(place, async (pool) => {
        const all: TenantRecords[] = [];
        for (const tenant of await listTenants(pool)) all.push(await readTenantRecords(pool, tenant));
        return all;
      }),
    add: (tenant) => use(place, (pool) => addTenant(pool, tenant, surroundings.now())),
    open: async (tenant) => {
      const isKnown = await use(place, (pool) => hasTenant(pool, tenant));
      return isKnown ? openPostgresStore({ ...place, tenant }, surroundings) : null;
    },
    remove: (tenant) => use(place, (pool) => removeTenant(pool, tenant)),
  };
}
