import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { hasAccess } from './http/check-access.ts';
import { answerCreateToken } from './http/create-token-route.ts';
import { findForeignRequest } from './http/guard-request.ts';
import { sendEmpty, sendProblem } from './http/problem.ts';
import { RefusalCounter } from './http/refusal-counter.ts';
import { logRequests, type RequestLogEntry } from './http/request-log.ts';
import { TokenKeeper } from './http/token-keeper.ts';
import { addQuirks } from './quirks/add-quirks.ts';
import { tryExecuteReport, type ReportSource } from './reports/execute-report.ts';
import { LAST_DOCUMENT_FAULT, readReportRequest } from './reports/read-report-request.ts';
import { readTenantStatus } from './reports/read-tenant-status.ts';
import { createReportCatalog, findReport, type ReportDefinition } from './reports/report-catalog.ts';
import { writeEnvelope, writeRefusal } from './reports/write-envelope.ts';
import { refuseUnsupportedBodies, setLimits, SERVER_LIMITS } from './http/limits.ts';
import type { ServiceOptions } from './service-options.ts';

export interface ServiceAppParts extends ReportSource {
  readonly options: Pick<
    ServiceOptions,
    'host' | 'requireToken' | 'tokenMinutes' | 'timeZone' | 'outboundSummaryId' | 'quirks'
  >;
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsedMs: () => number;
  readonly logRequest?: (entry: RequestLogEntry) => void;
  readonly reportError: (error: unknown) => void;
}

const BASE = '/api/ServiceReporting';
const STATUS_ROUTE = `${BASE}/Status/:tenant`;
const REPORT_ROUTE = `${BASE}/ExecuteReport/:tenant/:report`;
const OPERATION_PATH = /^\/api\/ServiceReporting\/(CreateToken|Status\/[^/]+|ExecuteReport\/[^/]+\/[^/]+)$/;
const JSON_TYPE = 'application/json; charset=utf-8';

/** The service's HTTP side. It never listens and owns nothing: the store stays with the caller. */
export function createServiceApp(parts: ServiceAppParts): FastifyInstance {
  const app = fastify(SERVER_LIMITS);
  setLimits(app);
  const tokens = new TokenKeeper(parts.now, parts.options.tokenMinutes * 60_000);
  const refusals = new RefusalCounter(parts.now);
  const catalog = createReportCatalog(parts.options.outboundSummaryId);

  app.addHook('onRequest', (request, reply, done) => {
    const status = findForeignRequest(request.raw, parts.options.host);
    if (status === null) done();
    else void sendEmpty(reply.header('connection', 'close'), status);
  });
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    done();
  });
  if (parts.logRequest !== undefined) logRequests(app, parts.now, parts.logRequest);

  const { quirks } = parts.options;
  if (quirks.length > 0) addQuirks(app, quirks, { report: REPORT_ROUTE, status: STATUS_ROUTE }, parts.now);

  const checkTenant = (
    request: FastifyRequest<{ Params: { tenant: string } }>,
    reply: FastifyReply,
    done: () => void,
  ): void => {
    const allowed = hasAccess(request.raw, tokens, parts.options.requireToken);
    if (allowed && request.params.tenant === String(parts.tenant)) done();
    else void sendEmpty(reply, 401);
  };

  app.post(`${BASE}/CreateToken`, { onRequest: refuseUnsupportedBodies }, (request, reply) =>
    answerCreateToken({ ...parts, tokens, refusals }, request, reply),
  );
  app.post<{ Params: { tenant: string } }>(STATUS_ROUTE, { onRequest: checkTenant }, (_request, reply) =>
    reply.type(JSON_TYPE).send(JSON.stringify(readTenantStatus(parts.store, parts.now()))),
  );
  app.post<{ Params: { tenant: string; report: string } }>(
    REPORT_ROUTE,
    { onRequest: [checkTenant, refuseUnsupportedBodies] },
    (request, reply) => {
      const report = findReport(catalog, request.params.report);
      if (report === undefined) return sendEmpty(reply, 404);
      return reply.type(JSON_TYPE).send(answerReport(parts, report, request.body));
    },
  );

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const isOtherMethod = request.method !== 'POST' && OPERATION_PATH.test(path);
    return isOtherMethod ? sendEmpty(reply.header('allow', 'POST'), 405) : sendEmpty(reply, 404);
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) parts.reportError(error);
    return sendProblem(reply, status);
  });
  return app;
}

function answerReport(parts: ServiceAppParts, report: ReportDefinition, body: unknown): string {
  const startedMs = parts.elapsedMs();
  const request = readReportRequest(Buffer.isBuffer(body) ? body : undefined, parts.options.timeZone);
  if (!request.ok) return writeRefusal(report, request.errors, parts.elapsedMs() - startedMs);
  const page = tryExecuteReport(parts, report, request.query);
  return page === undefined
    ? writeRefusal(report, [LAST_DOCUMENT_FAULT], parts.elapsedMs() - startedMs)
    : writeEnvelope(report, page, parts.elapsedMs() - startedMs);
}
