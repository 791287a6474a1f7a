import type { FastifyInstance } from 'fastify';

/** One line of the request log: nothing that was sent, no address, no token. */
export interface RequestLogEntry {
  readonly at: string;
  readonly request: string;
  readonly method: string;
  readonly route: string;
  /** Null until the request was found to have access to it. */
  readonly tenant: number | null;
  readonly status: number;
  readonly durationMs: number;
}

/** The entry for bytes that can't be read as a request. */
export function toUnreadableEntry(now: () => number, status: number): RequestLogEntry {
  const at = new Date(now()).toISOString();
  return { at, request: 'none', method: 'none', route: 'unreadable', tenant: null, status, durationMs: 0 };
}

/** Calls `write` for each request once its response was sent. */
export function logRequests(
  app: FastifyInstance,
  now: () => number,
  write: (entry: RequestLogEntry) => void,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    write({
      at: new Date(now()).toISOString(),
      request: request.id,
      method: request.method,
      // The pattern, never the address as sent: that may hold anything. One for all reports.
      route: request.routeOptions.url?.replace(/[\dA-F-]{36}$/, ':report') ?? 'unknown',
      tenant: request.servedTenant?.tenant ?? null,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
    });
    done();
  });
}
