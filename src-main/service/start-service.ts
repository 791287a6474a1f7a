import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { prepareCredentials, prepareCursorKey } from './credentials.ts';
import { createServiceApp } from './create-service-app.ts';
import type { RequestLogEntry } from './http/request-log.ts';
import type { Simulation } from '../common/model/simulation.ts';
import type { ImportOutcome, ImportRequest } from './import/import-file.ts';
import { Importer } from './import/importer.ts';
import { delayRecords } from './quirks/delay-records.ts';
import { applyOptionQuirks } from './quirks/quirk-names.ts';
import { fillStore } from './sample/fill-store.ts';
import { LiveTraffic } from './sample/live-traffic.ts';
import { createRandom } from './sample/random.ts';
import { isLoopbackHost, type ServiceOptions } from './service-options.ts';
import { SimulatedPlatform } from './simulation/simulated-platform.ts';
import { toStartError } from './store/open-database.ts';
import { openRecordStore, type RecordStore } from './store/record-store.ts';

/** What the service takes from its surroundings. */
export interface ServiceSurroundings {
  readonly now: () => number;
  readonly elapsedMs: () => number;
  readonly logRequest?: (entry: RequestLogEntry) => void;
  readonly reportError: (error: unknown) => void;
}

export interface RunningService {
  /** Base address without a trailing slash. */
  readonly url: string;
  readonly tenant: number;
  readonly accessToken: string;
  readonly accessTokenSecret: string;
  setLive(live: boolean): void;
  setSimulation(simulation: Simulation): void;
  /** One at a time, while requests are answered; never throws. */
  importFile(request: ImportRequest): Promise<ImportOutcome>;
  readStats(): ServiceStats;
  /** Cancels a running import, finishes what is being answered, at most five seconds, then closes the store. Can be asked for twice. */
  stop(): Promise<void>;
}

export interface ServiceStats {
  readonly inboundRecords: number;
  readonly outboundRecords: number;
  readonly storeBytes: number;
}

const LIVE_EVERY_MS = 1_000;
const STOP_WITHIN_MS = 5_000;

/**
 * Opens the data folder, fills it on the first start, and answers on HTTP. Throws AppError
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
  const store = openRecordStore(options.dataFolder);
  try {
    return await startOnStore(store, options, surroundings);
  } catch (error) {
    store.close();
    throw error;
  }
}

async function startOnStore(
  store: RecordStore,
  options: ServiceOptions,
  surroundings: ServiceSurroundings,
): Promise<RunningService> {
  const { now } = surroundings;
  fillStore(store, { ...options, nowMs: now() });
  const credentials = prepareCredentials(options.dataFolder, store.properties);
  const seed = Number(store.properties.tryGet('seed'));
  const platform = new SimulatedPlatform(now, options.simulation);
  const app = createServiceApp({
    ...surroundings,
    store,
    options,
    platform,
    tenant: options.tenant,
    seed,
    cursorKey: prepareCursorKey(store.properties),
  });
  const url = await listen(app, options);
  const toArriving = options.quirks.includes('late-records') ? delayRecords : undefined;
  const traffic = new LiveTraffic(store, createRandom(now()), now, { toArriving, platform });
  const { elapsedMs } = surroundings;
  const importer = new Importer({ store, seed, zone: options.timeZone, elapsedMs });
  const live = createLiveSwitch(traffic, surroundings.reportError);
  live.set(options.live);
  const stop = async (): Promise<void> => {
    live.set(false);
    await importer.stop();
    const timer = setTimeout(() => {
      app.server.closeAllConnections();
    }, STOP_WITHIN_MS);
    await app.close();
    clearTimeout(timer);
    store.close();
  };
  let stopping: Promise<void> | undefined;
  return {
    url,
    tenant: options.tenant,
    ...credentials,
    setLive: live.set,
    setSimulation: (simulation) => {
      platform.set(simulation);
    },
    importFile: (request) => importer.run(request),
    readStats: () => ({
      inboundRecords: store.properties.getCounter('inbound_arrival'),
      outboundRecords: store.properties.getCounter('outbound_arrival'),
      storeBytes: store.measureBytes(),
    }),
    stop: () => (stopping ??= stop()),
  };
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

function createLiveSwitch(
  traffic: LiveTraffic,
  reportError: (error: unknown) => void,
): { readonly set: (live: boolean) => void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    set: (live) => {
      clearInterval(timer);
      timer = undefined;
      if (!live) return;
      timer = setInterval(() => {
        try {
          traffic.writeSecond();
        } catch (error) {
          // A full disk must not end the service: what is stored can still be read.
          reportError(error);
        }
      }, LIVE_EVERY_MS);
    },
  };
}
