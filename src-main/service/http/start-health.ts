import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type OpenMetricsContentType,
} from 'prom-client';
import { hardenServer, toServerOptions } from '../../node/http/harden-server.ts';
import { sendEmpty } from '../../node/http/problem.ts';
import { toStartError, type ServiceOptions } from '../service-options.ts';
import type { ConnectionCounts } from '../store/record-store.ts';
import { createDeadline, createServiceHardening, type RequestLogEntry } from './harden-service.ts';

/** A probe waits a second or a few: a store that takes longer than this counts as not answering. */
const STORE_WITHIN_MS = 800;

export type HealthOptions = Pick<ServiceOptions, 'metricsHost' | 'publicHosts'> & {
  /** 0 lets the system choose. */
  readonly metricsPort: number;
};

export interface HealthSurroundings {
  readonly now: () => number;
  readonly reportError: (error: unknown) => void;
}

/** What is told of the store that a process serves from. */
export interface WatchedStore {
  /** Rejects while it can't be read. */
  check(): Promise<unknown>;
  /** Date of the newest inbound record in milliseconds; null while there is none. */
  readNewestMs(): Promise<number | null>;
  /** Null for a store without connections. */
  countConnections(): ConnectionCounts | null;
}

/** What operators see of a process, on a port of its own. */
export interface ServiceHealth {
  readonly url: string;
  countRequest(entry: RequestLogEntry): void;
  /** From now on the process is ready, as long as its store answers. */
  watch(store: WatchedStore): void;
  /** From now on the process is not ready, since it is about to end. */
  drain(): void;
  close(): Promise<void>;
}

/**
 * Serves `/healthz` (both of the following), `/healthz/live` (the process responds), `/healthz/ready` (it serves, and its
 * store answers within 800 ms; else 503) and `/metrics`. Throws AppError `local-service.start-failed` when the port
 * can't be listened on.
 */
export async function startHealth(
  { metricsHost, metricsPort, publicHosts }: HealthOptions,
  { now, reportError }: HealthSurroundings,
): Promise<ServiceHealth> {
  const addresses = { host: metricsHost, publicHosts, trustedProxies: [] };
  const hardening = createServiceHardening(addresses, { onError: reportError });
  const app = fastify(toServerOptions(hardening));
  hardenServer(app, hardening);
  const metrics = createServiceMetrics();
  const deadline = createDeadline(STORE_WITHIN_MS);
  let store: WatchedStore | null = null;
  let isDraining = false;

  const isReady = async (): Promise<boolean> => {
    if (store === null || isDraining) return false;
    // Why the store doesn't answer is said where requests meet it.
    return deadline.meet(store.check()).then(
      () => true,
      () => false,
    );
  };
  app.get('/healthz', async (_request, reply) => {
    const ready = await isReady();
    return reply.code(ready ? 200 : 503).send({ alive: true, ready });
  });
  app.get('/healthz/live', (_request, reply) => reply.send({ alive: true }));
  app.get('/healthz/ready', async (_request, reply) => {
    const ready = await isReady();
    return reply.code(ready ? 200 : 503).send({ ready });
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.write()));
  app.setNotFoundHandler((_request, reply) => sendEmpty(reply, 404));

  try {
    await app.listen({ host: metricsHost, port: metricsPort });
  } catch (error) {
    throw toStartError(`Port ${metricsPort} of ${metricsHost} can't be listened on.`, error);
  }
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://${metricsHost.includes(':') ? `[${metricsHost}]` : metricsHost}:${port}`,
    countRequest: metrics.countRequest,
    watch: (opened) => {
      store = opened;
      metrics.watch({
        countConnections: opened.countConnections,
        readLagMs: () =>
          deadline.meet(opened.readNewestMs()).then(
            (newestMs) => (newestMs === null ? null : Math.max(0, now() - newestMs)),
            () => null,
          ),
      });
    },
    drain: () => {
      isDraining = true;
    },
    close: () => app.close(),
  };
}

/** Seconds. A page of a thousand records takes milliseconds; a request that waits in vain ends after five seconds. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Why a request was refused, by the status of its response. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [401, 'unauthorised'],
  [421, 'foreign host'],
  [429, 'slowed down'],
  [503, 'unavailable'],
]);

/** What is read at the moment of asking. */
interface MeasuredStore {
  /** Null for a store without connections. */
  countConnections(): ConnectionCounts | null;
  /** Milliseconds since the newest inbound record; null while there is none, or it can't be read in time. */
  readLagMs(): Promise<number | null>;
}

interface ServiceMetrics {
  readonly contentType: string;
  countRequest(entry: RequestLogEntry): void;
  watch(store: MeasuredStore): void;
  /** All figures in the text format of OpenMetrics 1.0. */
  write(): Promise<string>;
}

/** Figures of one process. */
function createServiceMetrics(): ServiceMetrics {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const registers = [registry];
  let store: MeasuredStore | null = null;
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'channelscope_requests',
    help: 'Requests by route and status.',
    labelNames: ['route', 'status'],
    registers,
  });
  const refusals = new Counter({
    name: 'channelscope_refusals',
    help: 'Requests that were refused, by reason.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of [...REFUSALS.values(), 'malformed']) refusals.inc({ reason }, 0);
  const latencies = new Histogram({
    name: 'channelscope_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response.',
    labelNames: ['route'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  new Gauge({
    name: 'channelscope_database_connections',
    help: 'Connections to the database, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const counts = store?.countConnections();
      if (!counts) return;
      this.set({ state: 'idle' }, counts.idle);
      this.set({ state: 'busy' }, counts.open - counts.idle);
    },
  });
  new Gauge({
    name: 'channelscope_database_waiting',
    help: 'Statements that wait for a connection.',
    registers,
    collect() {
      this.set(store?.countConnections()?.waiting ?? 0);
    },
  });
  new Gauge({
    name: 'channelscope_records_lag_seconds',
    help: 'Age of the newest inbound record, of every tenant that was asked for lately; NaN while it is not known.',
    registers,
    async collect() {
      const lagMs = (await store?.readLagMs()) ?? NaN;
      this.set(lagMs / 1000);
    },
  });
  return {
    contentType: registry.contentType,
    countRequest: ({ route, status, durationMs }) => {
      requests.inc({ route, status: String(status) });
      latencies.observe({ route }, durationMs / 1000);
      const reason = REFUSALS.get(status) ?? (status >= 400 && status < 500 ? 'malformed' : undefined);
      if (reason !== undefined) refusals.inc({ reason });
    },
    watch: (watched) => {
      store = watched;
    },
    write: () => registry.metrics(),
  };
}
