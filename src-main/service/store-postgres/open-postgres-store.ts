import { createGate } from '../../node/gate.ts';
import type { ConnectionCounts, RecordStore, SharedRefusals } from '../store/record-store.ts';
import {
  connectPostgres,
  isTransientPostgresError,
  MAX_CONNECTIONS,
  type PostgresConnection,
  toDatabaseError,
} from './connect.ts';
import {
  openTenantStore,
  type PostgresSurroundings,
  type Properties,
  readProperties,
} from './open-tenant-store.ts';
import { checkVersion } from './schema.ts';
import { createRefusals } from './shared-state.ts';
import { addTenant, hasTenant, readAddedMs } from './tenants.ts';

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

export type PostgresPlace = Pick<PostgresConnection, 'url' | 'schema'>;

/** A database whose tenants share the connections of a process. */
export interface PostgresDatabase {
  /** When each tenant was added, in milliseconds, by its number. */
  readAddedMs(): Promise<ReadonlyMap<number, number>>;
  /** What is remembered of a tenant; nothing of one that isn't there. */
  readProperties(tenant: number): Promise<Properties>;
  /** Its `close` leaves the connections to other tenants. It uses all of them unless it is given how many. */
  openTenant(tenant: number, maxConnections?: number): Promise<RecordStore>;
  /** Makes a tenant that isn't there, where the role may. Throws AppError `local-service.start-failed`. */
  ensureTenant(tenant: number): Promise<void>;
  readonly refusals: SharedRefusals;
  /** Connections that all tenants share. */
  readonly maxConnections: number;
  countConnections(): ConnectionCounts;
  isTransientError(error: unknown): boolean;
  /** Can be called twice. */
  close(): Promise<void>;
}

/** Opens a database that `migrate` has brought up to date. Throws AppError `local-service.start-failed`. */
export async function openPostgresDatabase(
  { url, schema }: PostgresPlace,
  surroundings: PostgresSurroundings,
): Promise<PostgresDatabase> {
  const pool = connectPostgres({ url, schema }, surroundings.reportError);
  try {
    await checkVersion(pool, schema);
  } catch (error) {
    await pool.close();
    throw toDatabaseError(error);
  }
  return {
    readAddedMs: () => readAddedMs(pool),
    readProperties: (tenant) => readProperties(pool.forTenant(tenant), tenant),
    openTenant: (tenant, maxConnections) =>
      openTenantStore(
        pool.forTenant(tenant, maxConnections === undefined ? undefined : createGate(maxConnections)),
        { schema, tenant },
        surroundings,
      ),
    ensureTenant: async (tenant) => {
      if (!(await hasTenant(pool, tenant))) await addTenant(pool, tenant, surroundings.now());
    },
    refusals: createRefusals(pool),
    maxConnections: MAX_CONNECTIONS,
    countConnections: pool.countConnections,
    isTransientError: isTransientPostgresError,
    close: pool.close,
  };
}
