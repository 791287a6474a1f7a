import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
} from 'fastify';
import { CREATE_TOKEN_PATH, toReportPath, toStatusPath } from '../common/reporting/reports.ts';
import {
  type RequestFault,
  type StatusResponse,
  toWireStatus,
  writeTraffic,
} from '../common/reporting/wire-documents.ts';
import { countHeader, hardenServer, toServerOptions } from '../node/http/harden-server.ts';
import { ignoreBodyType, refuse, requireJsonBody, sendEmpty } from '../node/http/problem.ts';
import {
  createGuessingBrake,
  sendCreatedToken,
  createOwnRefusalLimiter,
  type RefusalLimiter,
} from './http/create-token-route.ts';
import {
  createDeadline,
  createServiceHardening,
  logRequests,
  type RequestLogEntry,
  type ServiceAddresses,
  toUnreadableEntry,
} from './http/harden-service.ts';
import {
  collectSchemas,
  CREATE_TOKEN_SCHEMA,
  DESCRIPTION_SCHEMA,
  toReportSchema,
  toStatusSchema,
  writeDescription,
} from './http/route-schemas.ts';
import { createQuirkHooks } from './quirks/create-quirk-hooks.ts';
import { tryExecuteReport } from './reports/execute-report.ts';
import {
  createReportCatalog,
  findReport,
  finishPage,
  LAST_DOCUMENT_FAULT,
  readReportRequest,
  type ReportPage,
  type ServedReport,
} from './reports/report-catalog.ts';
import type { ServiceOptions } from './service-options.ts';
import type { ReportedPlatform } from './simulation/watch-platform.ts';
import type { RecordStore } from './store/record-store.ts';
import type { ServedTenant, ServedTenants } from './tenants/served-tenant.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant that the request may read; undefined until that was checked. */
    servedTenant: ServedTenant | undefined;
  }
}

interface ServiceAppParts {
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

const MAX_IN_PROGRESS = 200;
const MAX_IN_PROGRESS_WHEN_LATE = 100;
const LATE_MS = 2_000;
const CHECK_EVERY_MS = 500;

/**
 * Responds with 503 and `Retry-After: 1` at once, before a body is read, while more than 200 requests are in
 * progress (100 when the thread has just been two seconds late), and once the service is closing.
 * `elapsedMs` is a clock that never goes back.
 */
function shedLoad(app: FastifyInstance, elapsedMs: () => number): void {
  let inProgress = 0;
  let maxInProgress = MAX_IN_PROGRESS;
  let closing = false;
  let checkedMs = elapsedMs();
  const timer = setInterval(() => {
    const nowMs = elapsedMs();
    const isLate = nowMs - checkedMs > CHECK_EVERY_MS + LATE_MS;
    maxInProgress = isLate ? MAX_IN_PROGRESS_WHEN_LATE : MAX_IN_PROGRESS;
    checkedMs = nowMs;
  }, CHECK_EVERY_MS).unref();

  app.addHook('onRequest', (_request, reply, done) => {
    inProgress += 1;
    reply.raw.once('close', () => {
      inProgress -= 1;
    });
    if (inProgress <= maxInProgress && !closing) done();
    else void refuse(reply.header('retry-after', '1'), 503);
  });
  app.addHook('preClose', (done) => {
    closing = true;
    clearInterval(timer);
    done();
  });
}

/** How much of a process one tenant may take. */
interface TenantShares {
  /** Counts the request until its connection or response ends; false where the tenant has as many already. */
  tryEnter(tenant: number, reply: FastifyReply): boolean;
}

/** Lets each tenant have at most `maxInProgress` requests in progress. */
function createTenantShares(maxInProgress: number): TenantShares {
  const inProgress = new Map<number, number>();
  return {
    tryEnter: (tenant, reply) => {
      // Nobody waits for it any more, and nothing would end it.
      if (reply.raw.destroyed) return true;
      const count = inProgress.get(tenant) ?? 0;
      if (count >= maxInProgress) return false;
      inProgress.set(tenant, count + 1);
      reply.raw.once('close', () => {
        const left = (inProgress.get(tenant) ?? 1) - 1;
        if (left === 0) inProgress.delete(tenant);
        else inProgress.set(tenant, left);
      });
      return true;
    },
  };
}

const SESSIONS_MS = 3_600_000;
const HEALTH_MS = 300_000;
const MIN_HEALTH_RECORDS = 5;
const DIVISIONS = 3;
const TIMED_RECORDS = 200;

/**
 * Tenant status (specification, "Tenant status response"; decision 2): sessions of the last hour, the
 * response time over the newest requests however old, so that a pause in the traffic doesn't read as no
 * time at all, and the connector's state over the last five minutes. The connector counts as down when more
 * than half of at least five requests found it unavailable. What is simulated counts at once.
 */
async function readTenantStatus(
  store: RecordStore,
  nowMs: number,
  platform: ReportedPlatform,
): Promise<StatusResponse> {
  const { simulation, changedMs } = await platform.read();
  const activity = await store.readActivity({
    sessionsFromMs: nowMs - SESSIONS_MS,
    healthFromMs: Math.max(nowMs - HEALTH_MS, changedMs),
    toMs: nowMs,
    timedRecords: TIMED_RECORDS,
  });
  const { records, unavailable } = activity;
  const isConnectorDown =
    simulation.connectorDown || (records >= MIN_HEALTH_RECORDS && unavailable * 2 > records);
  const groups = activity.sessions.map((group) => ({ ...group, division: toDivision(group.service) }));
  const busiest = activity.sessions.reduce<(typeof activity.sessions)[number] | undefined>(
    (most, group) => (most === undefined || group.sessions > most.sessions ? group : most),
    undefined,
  );
  return toWireStatus({
    internalResponseTimeMs: toMilliseconds(activity.averageResponseTimeUs),
    platform: simulation.platformDown ? 'down' : 'up',
    traffic: writeTraffic(groups),
    sessions: activity.sessions.reduce((sum, { sessions }) => sum + sessions, 0),
    division: busiest === undefined ? 0 : toDivision(busiest.service),
    channel: busiest?.channel ?? 0,
    service: busiest?.service ?? 0,
    connector: isConnectorDown ? 'down' : 'up',
  });
}

function toMilliseconds(timeUs: number | null): number {
  return timeUs === null ? 0 : Math.max(1, Math.round(timeUs / 1000));
}

/** Records don't name a division; in the sample each belongs to some of the services. */
function toDivision(service: number): number {
  return 1 + (service % DIVISIONS);
}

/** Where the service describes itself. Not part of the specification; needs no token. */
const OPENAPI_PATH = '/openapi.json';
