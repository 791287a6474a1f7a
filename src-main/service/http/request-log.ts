import type { FastifyInstance } from 'fastify';
import type { ServiceRequest } from '../../common/model/connections/local-service.ts';
import { findReport, type ServedReport } from '../reports/report-catalog.ts';

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
