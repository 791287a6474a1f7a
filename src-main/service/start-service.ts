import { setTimeout as delay } from 'node:timers/promises';
import { openTokenIssuer, prepareCredentials, prepareCursorKey } from './tokens/open-token-issuer.ts';
import { createServiceApp } from './create-service-app.ts';
import type { ServiceHealth } from './http/start-health.ts';
import { listen, type RequestLogEntry, stopListening } from './http/harden-service.ts';
import { createSharedRefusalLimiter } from './http/create-token-route.ts';
import type { Simulation } from '../common/model/connections/local-service.ts';
import { createImporter, type ImportOutcome, type ImportRequest } from './import/import-file.ts';
import { delayRecords } from './quirks/create-quirk-hooks.ts';
import { applyOptionQuirks, refuseOpenAccess, type ServiceOptions } from './service-options.ts';
import { fillStore } from './sample/generate-history.ts';
import { createLiveSwitch, createLiveTraffic } from './simulation/live-traffic.ts';
import { createRandom } from './sample/random.ts';
import {
  createSimulatedPlatform,
  reportIncidents,
  type StatusChange,
  watchPlatform,
} from './simulation/watch-platform.ts';
import type { RecordStore, StoreSize } from './store/record-store.ts';
import { hasRealRecords, serveOneTenant, type ServedTenant } from './tenants/served-tenant.ts';
import { openSqliteStore } from './store-sqlite/open-sqlite-store.ts';

/** What the service takes from its surroundings. */
export interface ServiceSurroundings {
  readonly now: () => number;
  readonly elapsedMs: () => number;
  readonly logRequest?: (entry: RequestLogEntry) => void;
  readonly logStatus?: (change: StatusChange) => void;
  /** Takes the identifier of the request that met the error. */
  readonly reportError: (error: unknown, requestId?: string) => void;
  /** What operators are shown; nothing unless it is given. Closed by whoever made it. */
  readonly health?: Pick<ServiceHealth, 'watch' | 'drain' | 'countRequest'>;
  /** Where records are kept; a SQLite file in the data folder unless it is given. */
  readonly openStore?: () => Promise<RecordStore>;
}

export interface RunningService {
  /** Base address without a trailing slash. */
  readonly url: string;
  readonly tenant: number;
  /** Both empty where the credentials were printed once, when they were made, and not kept. */
  readonly accessToken: string;
  readonly accessTokenSecret: string;
  setLive(live: boolean): void;
  setSimulation(simulation: Simulation): void;
  /** One at a time, while requests are served; never throws. */
  importFile(request: ImportRequest): Promise<ImportOutcome>;
  readSize(): Promise<StoreSize>;
  /**
   * Reports that the process isn't ready any more and serves on for as long as the options say; then cancels a
   * running import, finishes requests in progress, for at most five seconds, and closes the store. Can be called
   * twice.
   */
  stop(): Promise<void>;
}

/**
 * Opens the data folder, fills it on the first start, and serves it over HTTP. Throws AppError
 * `local-service.start-failed` when the folder, the port or the options don't allow it.
 */
export async function startService(
  given: ServiceOptions,
  surroundings: ServiceSurroundings,
): Promise<RunningService> {
  const options = applyOptionQuirks(given);
  refuseOpenAccess(options);
  const store = await (surroundings.openStore?.() ?? openSqliteStore(options.dataFolder));
  try {
    return await startOnStore(store, options, surroundings);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function startOnStore(
  store: RecordStore,
  options: ServiceOptions,
  surroundings: ServiceSurroundings,
): Promise<RunningService> {
  const { now, elapsedMs, reportError } = surroundings;
  const seed = await fillStore(store, { ...options, nowMs: now() });
  const { clear, check } = await prepareCredentials(options.dataFolder, store);
  const platform = createSimulatedPlatform(now, options.simulation);
  const toArriving = options.quirks.includes('late-records') ? delayRecords : undefined;
  const traffic = await createLiveTraffic(store, createRandom(now()), now, {
    toArriving,
    platform,
    perSecond: options.livePerSecond,
  });
  const isLive = options.live && !(await hasRealRecords(store));
  if (isLive) await traffic.writeMissed();
  const live = createLiveSwitch(traffic, reportError);
  const reported = await watchPlatform(
    reportIncidents(platform, await findHistoryEnd(store), live.isOn, now),
    options,
    surroundings,
  );
  const { tenant } = options;
  const served: ServedTenant = {
    store,
    tenant,
    seed,
    cursorKey: await prepareCursorKey(store),
    platform: reported.forTenant(tenant),
    tokens: await openTokenIssuer(store, {
      tenant,
      lifetimeMs: options.tokenMinutes * 60_000,
      now,
      elapsedMs,
    }),
  };
  const app = createServiceApp({
    ...surroundings,
    tenants: serveOneTenant(served, check),
    exampleTenant: tenant,
    ...(store.shared === null
      ? {}
      : { refusals: createSharedRefusalLimiter(store.shared.refusals, elapsedMs) }),
    isTransientError: store.isTransientError,
    logRequest: (entry) => {
      surroundings.health?.countRequest(entry);
      surroundings.logRequest?.(entry);
    },
    options,
  });
  const url = await listen(app, options);
  const importer = createImporter({ store, seed, zone: options.timeZone, elapsedMs });
  live.set(isLive);
  surroundings.health?.watch({
    check: store.readNewestMs,
    readNewestMs: store.readNewestMs,
    countConnections: () => store.shared?.countConnections() ?? null,
  });
  const stop = async (): Promise<void> => {
    surroundings.health?.drain();
    // What sends requests here has to learn first that it must send them to another process.
    await delay(options.drainSeconds * 1000);
    reported.stop();
    await live.stop();
    await importer.stop();
    await stopListening(app);
    await traffic.noteEnd().catch(reportError);
    await store.close();
  };
  let stopping: Promise<void> | undefined;
  return {
    url,
    tenant,
    accessToken: clear?.accessToken ?? '',
    accessTokenSecret: clear?.accessTokenSecret ?? '',
    setLive: live.set,
    setSimulation: platform.set,
    importFile: importer.run,
    readSize: store.readSize,
    stop: () => (stopping ??= stop()),
  };
}

/** Null without a sample history. */
async function findHistoryEnd(store: RecordStore): Promise<number | null> {
  const properties = await store.readProperties();
  return Number(properties['records'] ?? 0) > 0 ? Number(properties['history_end_ms']) : null;
}
