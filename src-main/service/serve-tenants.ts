import { setTimeout as delay } from 'node:timers/promises';
import { createServiceApp } from './create-service-app.ts';
import { listen, stopListening } from './http/listen.ts';
import { createSharedRefusalLimiter } from './http/refusal-limiter.ts';
import { refuseOpenAccess, type ServiceOptions } from './service-options.ts';
import { watchPlatform } from './simulation/watch-platform.ts';
import { createSimulatedPlatform } from './simulation/simulated-platform.ts';
import type { ServiceSurroundings } from './start-service.ts';
import type { PostgresDatabase } from './store-postgres/open-postgres-database.ts';
import { serveEveryTenant } from './tenants/serve-every-tenant.ts';

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
