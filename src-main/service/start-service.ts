import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { prepareCredentials, prepareCursorKey } from './credentials.ts';
import { createServiceApp } from './create-service-app.ts';
import type { ServiceHealth } from './health/start-health.ts';
import type { RequestLogEntry } from './http/request-log.ts';
import { shareWithOthers } from './share-with-others.ts';
import type { Simulation } from '../common/model/connections/simulation.ts';
import type { ImportOutcome, ImportRequest } from './import/import-file.ts';
import { createImporter } from './import/importer.ts';
import { delayRecords } from './quirks/delay-records.ts';
import { applyOptionQuirks } from './quirks/quirk-names.ts';
import { fillStore } from './sample/fill-store.ts';
import { createLiveTraffic, type LiveTraffic } from './sample/live-traffic.ts';
import { createRandom } from './sample/random.ts';
import { isLoopbackHost, type ServiceOptions } from './service-options.ts';
import { reportIncidents } from './simulation/reported-incidents.ts';
import { createSimulatedPlatform, type SimulatedPlatform } from './simulation/simulated-platform.ts';
import { watchHeartbeat, type Heartbeat } from './simulation/watch-heartbeat.ts';
import { toStartError } from './start-error.ts';
import type { RecordStore, StoreSize } from './store/record-store.ts';
import { hasRealRecords } from './tenants/prepare-tenant.ts';
import { openSqliteStore } from './store-sqlite/open-sqlite-store.ts';

/** What the service takes from its surroundings. */
export interface ServiceSurroundings {
  readonly now: () => number;
  readonly elapsedMs: () => number;
  readonly logRequest?: (entry: RequestLogEntry) => void;
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
  /** Both empty for credentials that were printed once when they were given, and are not kept. */
  readonly accessToken: string;
  readonly accessTokenSecret: string;
  setLive(live: boolean): void;
  setSimulation(simulation: Simulation): void;
  /** One at a time, while requests are served; never throws. */
  importFile(request: ImportRequest): Promise<ImportOutcome>;
  readSize(): Promise<StoreSize>;
  /**
   * Is no longer ready, and serves on for as long as the options say; then cancels a running import, finishes requests
   * in progress, for at most five seconds, and closes the store. Can be called twice.
   */
  stop(): Promise<void>;
}

const LIVE_EVERY_MS = 1_000;
const STOP_WITHIN_MS = 5_000;

/**
 * Opens the data folder, fills it on the first start, and serves it over HTTP. Throws AppError
 * `local-service.start-failed` when the folder, the port or the options don't allow it.
 */
export async function startService(
  given: ServiceOptions,
  surroundings: ServiceSurroundings,
): Promise<RunningService> {
  const options = applyOptionQuirks(given);
  if (!isLoopbackHost(options.host) && !options.requireToken) {
    throw toStartError(`Listening on ${options.host} needs --require-token.`);
  }
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
  const shared = await shareWithOthers(store, options, surroundings);
  const reported = await readHeartbeat(
    reportIncidents(platform, await findHistoryEnd(store), live.isOn, now),
    options,
    now,
  );
  const app = createServiceApp({
    ...surroundings,
    ...shared.parts,
    logRequest: (entry) => {
      surroundings.health?.countRequest(entry);
      surroundings.logRequest?.(entry);
    },
    store,
    options,
    platform: reported,
    tenant: options.tenant,
    seed,
    cursorKey: await prepareCursorKey(store),
    checkCredentials: check,
  });
  const url = await listen(app, options);
  const importer = createImporter({ store, seed, zone: options.timeZone, elapsedMs });
  live.set(isLive);
  surroundings.health?.watch(store);
  const stop = async (): Promise<void> => {
    surroundings.health?.drain();
    // Whoever sends requests here has to learn first that there is another process to send them to.
    await delay(options.drainSeconds * 1000);
    shared.stop();
    reported.stop();
    await live.stop();
    await importer.stop();
    const timer = setTimeout(() => {
      app.server.closeAllConnections();
    }, STOP_WITHIN_MS);
    await app.close();
    clearTimeout(timer);
    await traffic.noteEnd().catch(reportError);
    await store.close();
  };
  let stopping: Promise<void> | undefined;
  return {
    url,
    tenant: options.tenant,
    accessToken: clear?.accessToken ?? '',
    accessTokenSecret: clear?.accessTokenSecret ?? '',
    setLive: live.set,
    setSimulation: platform.set,
    importFile: importer.run,
    readSize: store.readSize,
    stop: () => (stopping ??= stop()),
  };
}

function readHeartbeat(
  platform: Pick<SimulatedPlatform, 'read'>,
  { heartbeatFile, heartbeatSeconds }: ServiceOptions,
  now: () => number,
): Promise<Heartbeat> {
  if (heartbeatFile === null) return Promise.resolve({ ...platform, stop: () => undefined });
  return watchHeartbeat(platform, { file: heartbeatFile, maxAgeMs: heartbeatSeconds * 1000 }, now);
}

/** Null without a sample history. */
async function findHistoryEnd(store: RecordStore): Promise<number | null> {
  const properties = await store.readProperties();
  return Number(properties['records'] ?? 0) > 0 ? Number(properties['history_end_ms']) : null;
}

async function listen(app: FastifyInstance, options: ServiceOptions): Promise<string> {
  try {
    await app.listen({ port: options.port, host: options.host });
  } catch (error) {
    throw toStartError(`Port ${options.port} of ${options.host} can't be listened on.`, error);
  }
  const { port } = app.server.address() as AddressInfo;
  return `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`;
}

/** Writes traffic once a second while it is on; a second is left out while the one before is being written. */
function createLiveSwitch(traffic: LiveTraffic, reportError: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;
  let noting: Promise<void> = Promise.resolve();
  const write = (): void => {
    // A full disk must not end the service: what is stored can still be read.
    writing ??= traffic
      .writeSecond()
      .catch(reportError)
      .finally(() => {
        writing = null;
      });
  };
  const set = (live: boolean): void => {
    clearInterval(timer);
    timer = live ? setInterval(write, LIVE_EVERY_MS) : undefined;
    noting = noting.then(() => traffic.noteSilence(!live)).catch(reportError);
  };
  return {
    set,
    isOn: (): boolean => timer !== undefined,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await Promise.all([writing, noting]);
    },
  };
}
