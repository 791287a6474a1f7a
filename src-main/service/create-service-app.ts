import { randomUUID } from 'node:crypto';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
} from 'fastify';
import { CREATE_TOKEN_PATH, toReportPath, toStatusPath } from '../common/reporting/paths.ts';
import { hardenServer, toServerOptions } from '../node/http/harden-server.ts';
import { refuse, sendEmpty } from '../node/http/problem.ts';
import { ignoreBodyType, requireJsonBody } from '../node/http/read-json-body.ts';
import { createGuessingBrake, sendCreatedToken } from './http/create-token-route.ts';
import { createDeadline } from './http/deadline.ts';
import { createServiceHardening, type ServiceAddresses } from './http/harden-service.ts';
import { createTenantShares, shedLoad } from './http/load-shedder.ts';
import { logRequests, toUnreadableEntry, type RequestLogEntry } from './http/request-log.ts';
import { createOwnRefusalLimiter, type RefusalLimiter } from './http/refusal-limiter.ts';
import {
  collectSchemas,
  CREATE_TOKEN_SCHEMA,
  DESCRIPTION_SCHEMA,
  toReportSchema,
  toStatusSchema,
  writeDescription,
} from './openapi/route-schemas.ts';
import { OPENAPI_PATH } from './openapi/openapi-path.ts';
import { createQuirkHooks } from './quirks/create-quirk-hooks.ts';
import { tryExecuteReport } from './reports/execute-report.ts';
import { LAST_DOCUMENT_FAULT, readReportRequest } from './reports/read-report-request.ts';
import { readTenantStatus } from './reports/read-tenant-status.ts';
import { createReportCatalog, findReport, type ServedReport } from './reports/report-catalog.ts';
import type { ServiceOptions } from './service-options.ts';
import type { ServedTenant, ServedTenants } from './tenants/served-tenant.ts';
import type { IncomingMessage } from 'node:http';
import { countHeader } from '../node/http/guard-request.ts';
import type { RequestFault } from '../common/reporting/wire-schemas.ts';
import { finishPage } from './reports/page-buffer.ts';
import type { ReportPage } from './reports/report-page.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant that the request may read; undefined until that was checked. */
    servedTenant: ServedTenant | undefined;
  }
}

export interface ServiceAppParts {
  readonly options: Pick<
    ServiceOptions,
    'requireToken' | 'timeZone' | 'outboundSummaryId' | 'quirks' | 'waitSeconds'
  > &
    ServiceAddresses;
  readonly tenants: ServedTenants;
  /** A tenant's number for the examples of the description. */
  readonly exampleTenant: number;
  /** Those of this process alone where they are left out. */
  readonly refusals?: RefusalLimiter;
  /** True for an error of the store that may be gone at the next attempt. */
  readonly isTransientError: (error: unknown) => boolean;
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsedMs: () => number;
  readonly logRequest?: (entry: RequestLogEntry) => void;
  readonly reportError: (error: unknown, requestId?: string) => void;
}

interface TenantRoute {
  readonly Params: { readonly tenant: string; readonly report?: string };
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The service's HTTP side. It never listens and owns nothing: stores stay with the caller. */
export function createServiceApp(parts: ServiceAppParts): FastifyInstance {
  const { exampleTenant, options, tenants } = parts;
  const deadline = createDeadline(options.waitSeconds * 1000);
  const hardening = createServiceHardening(options, {
    onError: parts.reportError,
    onUnreadable: (status) => parts.logRequest?.(toUnreadableEntry(parts.now, status)),
    isTransient: (error) => deadline.isMissed(error) || parts.isTransientError(error),
  });
  // Among the lines of many processes, each request is known by a number of its own.
  const app = fastify({ ...toServerOptions(hardening), genReqId: () => randomUUID() });
  hardenServer(app, hardening);
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  const { now, elapsedMs } = parts;
  const refusals = parts.refusals ?? createOwnRefusalLimiter(elapsedMs);
  const catalog = createReportCatalog(options.outboundSummaryId);

  shedLoad(app, elapsedMs);
  if (parts.logRequest !== undefined) logRequests(app, catalog, now, parts.logRequest);

  const shares = createTenantShares(tenants.maxInProgress);
  app.decorateRequest('servedTenant', undefined);
  const checkTenant = async (request: FastifyRequest<TenantRoute>, reply: FastifyReply): Promise<unknown> => {
    const { tenant } = request.params;
    const allowed = await deadline.meet(
      findAllowedTenant(request.raw, tenant, tenants, options.requireToken),
    );
    if (allowed === undefined) return sendEmpty(reply, 401);
    if (!shares.tryEnter(allowed.tenant, reply)) return refuse(reply.header('retry-after', '1'), 503);
    request.servedTenant = allowed;
    return undefined;
  };

  const hooks = options.quirks.length > 0 ? createQuirkHooks(options.quirks, options.timeZone, now) : null;
  const addRoutes = (): void => {
    app.post(
      CREATE_TOKEN_PATH,
      { schema: CREATE_TOKEN_SCHEMA, onRequest: [createGuessingBrake(refusals), requireJsonBody] },
      (request, reply) => deadline.meet(sendCreatedToken({ tenants, refusals }, request, reply)),
    );
    app.post<TenantRoute>(
      toStatusPath(':tenant'),
      { schema: toStatusSchema(exampleTenant), onRequest: [checkTenant, ignoreBodyType], ...hooks?.status },
      async (request, reply) => {
        const { store, platform } = getServedTenant(request);
        const status = await deadline.meet(readTenantStatus(store, now(), platform));
        return reply.type(JSON_TYPE).send(JSON.stringify(status));
      },
    );
    const addReport = (identifier: string, schema: FastifySchema): void => {
      app.post<TenantRoute>(
        toReportPath(':tenant', identifier),
        { schema, onRequest: [checkTenant, requireJsonBody], ...hooks?.report },
        async (request, reply) => {
          const report = findReport(catalog, request.params.report ?? identifier);
          if (report === undefined) return sendEmpty(reply, 404);
          return reply.type(JSON_TYPE).send(await deadline.meet(answerReport(parts, report, request)));
        },
      );
    };
    for (const report of catalog) addReport(report.idReport, toReportSchema(exampleTenant, report));
    // Identifiers in other letter cases, and unknown ones.
    addReport(':report', { hide: true });
    app.get(OPENAPI_PATH, { schema: DESCRIPTION_SCHEMA }, (_request, reply) =>
      reply.type(JSON_TYPE).send(writeDescription(app)),
    );
  };
  collectSchemas(app, options.requireToken);
  app.after(addRoutes);

  handleUnknownPaths(app);
  return app;
}

/** Of a request that `checkTenant` let through. */
function getServedTenant({ servedTenant }: FastifyRequest): ServedTenant {
  if (servedTenant === undefined) throw new Error('The tenant of the request was not checked.');
  return servedTenant;
}

async function answerReport(
  parts: ServiceAppParts,
  report: ServedReport,
  request: FastifyRequest,
): Promise<string | Buffer> {
  const startedMs = parts.elapsedMs();
  const read = readReportRequest(request.body, parts.options.timeZone);
  if (!read.ok) return writeRefusal(report, read.errors, parts.elapsedMs() - startedMs);
  const page = await tryExecuteReport(getServedTenant(request), report, read.query);
  return page === undefined
    ? writeRefusal(report, [LAST_DOCUMENT_FAULT], parts.elapsedMs() - startedMs)
    : writeEnvelope(report, page, parts.elapsedMs() - startedMs);
}

const OPERATION_PATH = new RegExp(
  `^(${CREATE_TOKEN_PATH}|${toStatusPath('[^/]+')}|${toReportPath('[^/]+', '[^/]+')})$`,
);

/** Responds to what no route takes: 404, or 405 for a known path with another method, with no body (decision 19). */
function handleUnknownPaths(app: FastifyInstance): void {
  app.setNotFoundHandler(refuseUnknownPath);
  // Before a body is read: neither what it holds nor its type matters here.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) void refuseUnknownPath(request, reply);
    else done();
  });
}

function refuseUnknownPath(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? '';
  const allowed = path === OPENAPI_PATH ? 'GET' : 'POST';
  const isKnown = path === OPENAPI_PATH || OPERATION_PATH.test(path);
  if (!isKnown || request.method === allowed) return sendEmpty(reply, 404);
  return sendEmpty(reply.header('allow', allowed), 405);
}

/**
 * The tenant of the path, where the request may read it; undefined for one that isn't there too. Decision 13: without
 * an Authorization header it may, unless tokens are required; with one, only with a valid token of this tenant. The word
 * before the token may be in any letter case (decision 15).
 */
async function findAllowedTenant(
  request: IncomingMessage,
  tenantText: string,
  tenants: ServedTenants,
  requireToken: boolean,
): Promise<ServedTenant | undefined> {
  const token = readToken(request);
  const tenant = readTenant(tenantText);
  if (token === undefined || tenant === undefined || (token === null && requireToken)) return undefined;
  const served = await tenants.find(tenant);
  if (served === undefined || token === null) return served;
  return (await served.tokens.isValid(token)) ? served : undefined;
}

/** Null without a header; undefined for one that holds no token. */
function readToken(request: IncomingMessage): string | null | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return null;
  if (countHeader(request, 'authorization') > 1) return undefined;
  return /^bearer +([\w-]{1,128})$/i.exec(header)?.[1];
}

/** Only as it is written without need of anything else. */
function readTenant(text: string): number | undefined {
  const tenant = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(tenant) ? tenant : undefined;
}

/** Specification, section "Report response envelope", as JSON. `executionTimeMs` is what the query took. */
function writeEnvelope(report: ServedReport, page: ReportPage, executionTimeMs: number): Buffer {
  const head =
    `${writeHead(report, true, executionTimeMs)},"totalDocument":${page.totalDocument},"pageCount":null` +
    `,"lastDocument":"${page.lastDocument}","documents":[`;
  return finishPage(page.documents, head, ']}');
}

/** The envelope of a refused request (decision 6). */
function writeRefusal(
  report: ServedReport,
  errors: readonly RequestFault[],
  executionTimeMs: number,
): string {
  return (
    `${writeHead(report, false, executionTimeMs)},"totalDocument":0,"pageCount":null` +
    `,"lastDocument":"","documents":[],"errors":${JSON.stringify(errors)}}`
  );
}

function writeHead(report: ServedReport, isValid: boolean, executionTimeMs: number): string {
  return (
    `{"isValid":${isValid ? 'true' : 'false'},"executionTime":${Math.round(executionTimeMs * 1000) / 1000}` +
    `,"idReport":"${report.idReport}","nameVisualization":"${report.name}"`
  );
}
