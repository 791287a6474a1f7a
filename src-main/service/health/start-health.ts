import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { hardenServer, toServerOptions } from '../../node/http/harden-server.ts';
import { sendEmpty } from '../../node/http/problem.ts';
import { createDeadline } from '../http/deadline.ts';
import { createServiceHardening } from '../http/harden-service.ts';
import type { RequestLogEntry } from '../http/request-log.ts';
import type { ServiceOptions } from '../service-options.ts';
import { toStartError } from '../start-error.ts';
import type { ConnectionCounts } from '../store/shared-state.ts';
import { createServiceMetrics } from './service-metrics.ts';

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
