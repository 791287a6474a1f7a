import { setTimeout as delay } from 'node:timers/promises';
import { createServiceApp } from '../create-service-app.ts';
import { fitsHashes, openTokenIssuer, prepareCursorKey } from '../tokens/open-token-issuer.ts';
import { createSharedRefusalLimiter } from '../http/create-token-route.ts';
import { listen, stopListening } from '../http/harden-service.ts';
import { refuseOpenAccess, type ServiceOptions } from '../service-options.ts';
import {
  createSimulatedPlatform,
  type ReportedPlatform,
  watchPlatform,
} from '../simulation/watch-platform.ts';
import type { ServiceSurroundings } from '../start-service.ts';
import type { PostgresDatabase } from '../store-postgres/open-postgres-store.ts';
import type { ServedTenant, ServedTenants } from './served-tenant.ts';

/** A tenant that was removed, or added again, is served as it was for no longer than this. */
const LIST_EVERY_MS = 2_000;
/** Each holds some hundred groups of records in memory. */
const MAX_OPEN = 500;
/** Half of what a process takes and has: a tenant whose records take long leaves the rest to the others. */
const MAX_IN_PROGRESS = 100;
const SHARE_OF_CONNECTIONS = 0.5;
/** Tenants whose newest record is read for the figures. */
const MAX_MEASURED = 20;

interface EveryTenantParts {
  readonly platformOf: (tenant: number) => ReportedPlatform;
  readonly lifetimeMs: number;
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsedMs: () => number;
}

interface EveryTenant extends ServedTenants {
  /** Date of the newest inbound record of the tenants that were asked for last, in milliseconds; null for none. */
  readNewestMs(): Promise<number | null>;
}

interface OpenTenant {
  readonly addedMs: number;
  readonly served: Promise<ServedTenant | undefined>;
}

/**
 * Serves every tenant of a database. Which there are is read while requests arrive, at most every two seconds; each is
 * opened when it is first asked for, and closed when many others were asked for since.
 */
export function serveEveryTenant(
  database: Pick<PostgresDatabase, 'readAddedMs' | 'readProperties' | 'openTenant' | 'maxConnections'>,
  parts: EveryTenantParts,
): EveryTenant {
  const { elapsedMs } = parts;
  let addedMs: ReadonlyMap<number, number> = new Map();
  let listedAtMs = -Infinity;
  let listing: Promise<void> | null = null;
  const list = async (): Promise<void> => {
    const startedMs = elapsedMs();
    addedMs = await database.readAddedMs();
    listedAtMs = startedMs;
  };
  const listOnce = (): Promise<void> =>
    (listing ??= list().finally(() => {
      listing = null;
    }));
  /** The one that was asked for last at the end. */
  const open = new Map<number, OpenTenant>();

  const openTenant = async (tenant: number): Promise<ServedTenant | undefined> => {
    const properties = await database.readProperties(tenant);
    const daysLeft = Number(properties['days']) - Number(properties['days_written']);
    // Another process is still adding it, or its sample.
    if (properties['tenant'] !== String(tenant) || daysLeft > 0) return undefined;
    const store = await database.openTenant(tenant, database.maxConnections * SHARE_OF_CONNECTIONS);
    return {
      store,
      tenant,
      seed: Number(properties['seed']),
      cursorKey: await prepareCursorKey(store),
      platform: parts.platformOf(tenant),
      tokens: await openTokenIssuer(store, { ...parts, tenant }),
    };
  };
  const forget = (tenant: number, opened: OpenTenant): void => {
    if (open.get(tenant) === opened) open.delete(tenant);
  };
  const find = async (tenant: number): Promise<ServedTenant | undefined> => {
    if (elapsedMs() - listedAtMs >= LIST_EVERY_MS) await listOnce();
    const known = open.get(tenant);
    open.delete(tenant);
    const since = addedMs.get(tenant);
    if (since === undefined) return undefined;
    const opened = known?.addedMs === since ? known : { addedMs: since, served: openTenant(tenant) };
    open.set(tenant, opened);
    const oldest = open.keys().next();
    if (open.size > MAX_OPEN && oldest.done !== true) open.delete(oldest.value);
    try {
      const served = await opened.served;
      if (served === undefined) forget(tenant, opened);
      return served;
    } catch (error) {
      forget(tenant, opened);
      throw error;
    }
  };
  return {
    find,
    authenticate: async ({ tenant, accessToken, accessTokenSecret }) => {
      // Asked of the database whether or not the tenant is there: both take as long.
      const properties = await database.readProperties(tenant);
      if (!fitsHashes(properties, { accessToken, accessTokenSecret })) return undefined;
      // Just added: a look that began before would not show it.
      if (!addedMs.has(tenant)) await list();
      return find(tenant);
    },
    maxInProgress: MAX_IN_PROGRESS,
    readNewestMs: async () => {
      const newest = await Promise.all(
        [...open.values()].slice(-MAX_MEASURED).map(async ({ served }) => {
          const tenant = await served;
          return tenant === undefined ? null : tenant.store.readNewestMs();
        }),
      );
      const known = newest.filter((each) => each !== null);
      return known.length === 0 ? null : Math.max(...known);
    },
  };
}

export interface ServingTenants {
  /** Base address without a trailing slash. */
  readonly url: string;
  /**
   * Reports that the process isn't ready any more and serves on for as long as the options say; then finishes
   * requests in progress, for at most five seconds, and closes the database. Can be called twice.
   */
  stop(): Promise<void>;
}

/**
 * Serves every tenant of a database over HTTP, as they are at that moment: it makes no sample and no traffic. Throws
 * AppError `local-service.start-failed` when the database, the port or the options don't allow it.
 */
export async function serveTenants(
  options: ServiceOptions,
  surroundings: Omit<ServiceSurroundings, 'openStore'> & {
    readonly openDatabase: () => Promise<PostgresDatabase>;
  },
): Promise<ServingTenants> {
  refuseOpenAccess(options);
  const database = await surroundings.openDatabase();
  try {
    return await serveFrom(database, options, surroundings);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function serveFrom(
  database: PostgresDatabase,
  options: ServiceOptions,
  surroundings: Omit<ServiceSurroundings, 'openStore'>,
): Promise<ServingTenants> {
  const { now, elapsedMs, health } = surroundings;
  const platform = await watchPlatform(createSimulatedPlatform(now), options, surroundings);
  const tenants = serveEveryTenant(database, {
    platformOf: platform.forTenant,
    lifetimeMs: options.tokenMinutes * 60_000,
    now,
    elapsedMs,
  });
  const app = createServiceApp({
    ...surroundings,
    options,
    tenants,
    exampleTenant: options.tenant,
    refusals: createSharedRefusalLimiter(database.refusals, elapsedMs),
    isTransientError: database.isTransientError,
    logRequest: (entry) => {
      health?.countRequest(entry);
      surroundings.logRequest?.(entry);
    },
  });
  const url = await listen(app, options);
  health?.watch({
    check: database.readAddedMs,
    readNewestMs: tenants.readNewestMs,
    countConnections: database.countConnections,
  });
  const stop = async (): Promise<void> => {
    health?.drain();
    // What sends requests here has to learn first that it must send them to another process.
    await delay(options.drainSeconds * 1000);
    platform.stop();
    await stopListening(app);
    await database.close();
  };
  let stopping: Promise<void> | undefined;
  return { url, stop: () => (stopping ??= stop()) };
}
