import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ServiceRequest } from '../../common/model/connections/local-service.ts';
import type { ServerHardening } from '../../node/http/harden-server.ts';
import { findReport, type ServedReport } from '../reports/report-catalog.ts';
import { type ServiceOptions, toStartError } from '../service-options.ts';

/** Where the service is, and how it is called. */
export type ServiceAddresses = Pick<ServiceOptions, 'host' | 'publicHosts' | 'trustedProxies'>;

/** Headers of every response: nothing is kept, guessed, framed or read by a page of another site. */
const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/** What one client may take from the service, and under which names it may call it. */
export function createServiceHardening(
  { host, publicHosts, trustedProxies }: ServiceAddresses,
  callbacks: Pick<ServerHardening, 'onError' | 'onUnreadable' | 'isTransient'>,
): ServerHardening {
  return {
    ...callbacks,
    publicHosts,
    trustedProxies,
    hostNames: [host.toLowerCase(), 'localhost', '127.0.0.1'],
    createHeaders: () => SAFE_HEADERS,
    maxBodyBytes: 65_536,
    strangers: 'stay',
    closing: 'idle',
    undecodablePath: 400,
  };
}

class MissedDeadlineError extends Error {
  override readonly name = 'MissedDeadlineError';
}

/** How long a request waits for what it needs of the store. */
interface Deadline {
  /** Rejects when the work has not ended in time; what it still brings is dropped. */
  meet<Result>(work: Promise<Result>): Promise<Result>;
  /** True for the error that it rejects with. */
  isMissed(error: unknown): boolean;
}

/** Creates a deadline: each work that has to meet it gets `limitMs` milliseconds. */
export function createDeadline(limitMs: number): Deadline {
  return {
    meet: async (work) => {
      let timer: NodeJS.Timeout | undefined;
      const missed = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => {
          reject(new MissedDeadlineError(`The store did not respond within ${limitMs} ms.`));
        }, limitMs);
      });
      try {
        return await Promise.race([work, missed]);
      } finally {
        clearTimeout(timer);
      }
    },
    isMissed: (error) => error instanceof MissedDeadlineError,
  };
}

const STOP_WITHIN_MS = 5_000;

/** Returns the base address without a trailing slash. Throws AppError `local-service.start-failed`. */
export async function listen(
  app: FastifyInstance,
  { host, port: wanted }: Pick<ServiceOptions, 'host' | 'port'>,
): Promise<string> {
  try {
    await app.listen({ port: wanted, host });
  } catch (error) {
    throw toStartError(`Port ${wanted} of ${host} can't be listened on.`, error);
  }
  const { port } = app.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Finishes requests in progress, for at most five seconds. */
export async function stopListening(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => {
    app.server.closeAllConnections();
  }, STOP_WITHIN_MS);
  await app.close();
  clearTimeout(timer);
}

/** At the end of the route that a report has of its own. */
const IDENTIFIER = /[\dA-F-]{36}$/;

/** One line of the request log: nothing that was sent, no address, no token. */
export interface RequestLogEntry {
  readonly at: string;
  readonly request: string;
  readonly method: string;
  readonly route: string;
  /** The report that was asked for, of those that are served. */
  readonly report: ServiceRequest['report'];
  /** Null until the request was found to have access to it. */
  readonly tenant: number | null;
  readonly status: number;
  readonly durationMs: number;
}

/** The entry for bytes that can't be read as a request. */
export function toUnreadableEntry(now: () => number, status: number): RequestLogEntry {
  const at = new Date(now()).toISOString();
  const nothing = { request: 'none', method: 'none', route: 'unreadable', report: null, tenant: null };
  return { at, ...nothing, status, durationMs: 0 };
}

/** Calls `write` for each request once its response was sent. */
export function logRequests(
  app: FastifyInstance,
  catalog: readonly ServedReport[],
  now: () => number,
  write: (entry: RequestLogEntry) => void,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { url } = request.routeOptions;
    const { report: asked } = (request.params ?? {}) as { readonly report?: string };
    const report = findReport(catalog, asked ?? IDENTIFIER.exec(url ?? '')?.[0] ?? '');
    write({
      at: new Date(now()).toISOString(),
      request: request.id,
      method: request.method,
      // The pattern, never the address as sent: that may hold anything. One for all reports.
      route: url?.replace(IDENTIFIER, ':report') ?? 'unknown',
      report: report === undefined ? null : { identifier: report.idReport, kinds: [...report.kinds] },
      tenant: request.servedTenant?.tenant ?? null,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
    });
    done();
  });
}
