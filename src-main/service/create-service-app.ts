import { randomUUID } from 'node:crypto';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
} from 'fastify';
import { CREATE_TOKEN_PATH, toReportPath, toStatusPath } from '../common/reporting/paths.ts';
import { hardenServer, toServerOptions } from '../node/http/harden-server.ts';
import { sendEmpty } from '../node/http/problem.ts';
import { ignoreBodyType, requireJsonBody } from '../node/http/read-json-body.ts';
import { hasAccess } from './http/check-access.ts';
import { createGuessingBrake, sendCreatedToken } from './http/create-token-route.ts';
import { createDeadline } from './http/deadline.ts';
import { handleUnknownPaths } from './http/handle-unknown-paths.ts';
import { createServiceHardening, type ServiceAddresses } from './http/harden-service.ts';
import { shedLoad } from './http/load-shedder.ts';
import { logRequests, toUnreadableEntry, type RequestLogEntry } from './http/request-log.ts';
import { createOwnRefusalLimiter, type RefusalLimiter } from './http/refusal-limiter.ts';
import { collectSchemas, writeDescription } from './openapi/describe-service.ts';
import { OPENAPI_PATH } from './openapi/openapi-path.ts';
import {
  CREATE_TOKEN_SCHEMA,
  DESCRIPTION_SCHEMA,
  toReportSchema,
  toStatusSchema,
} from './openapi/route-schemas.ts';
import type { CredentialCheck } from './credentials.ts';
import { createQuirkHooks } from './quirks/create-quirk-hooks.ts';
import { tryExecuteReport } from './reports/execute-report.ts';
import { LAST_DOCUMENT_FAULT, readReportRequest } from './reports/read-report-request.ts';
import { readTenantStatus } from './reports/read-tenant-status.ts';
import { createReportCatalog, findReport, type ServedReport } from './reports/report-catalog.ts';
import type { ReportSource } from './reports/report-page.ts';
import { writeEnvelope, writeRefusal } from './reports/write-envelope.ts';
import type { ServiceOptions } from './service-options.ts';
import type { SimulatedPlatform } from './simulation/simulated-platform.ts';
import { createOwnTokenIssuer } from './tokens/own-token-issuer.ts';
import type { TokenIssuer } from './tokens/token-issuer.ts';

export interface ServiceAppParts extends ReportSource {
  readonly options: Pick<
    ServiceOptions,
    'requireToken' | 'tokenMinutes' | 'timeZone' | 'outboundSummaryId' | 'quirks' | 'waitSeconds'
  > &
    ServiceAddresses;
  readonly platform: Pick<SimulatedPlatform, 'read'>;
  readonly checkCredentials: CredentialCheck;
  /** What this process shares with others; what is its own where they are left out. */
  readonly tokens?: TokenIssuer;
  readonly refusals?: RefusalLimiter;
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

/** The service's HTTP side. It never listens and owns nothing: the store stays with the caller. */
export function createServiceApp(parts: ServiceAppParts): FastifyInstance {
  const { tenant, options } = parts;
  const deadline = createDeadline(options.waitSeconds * 1000);
  const hardening = createServiceHardening(options, {
    onError: parts.reportError,
    onUnreadable: (status) => parts.logRequest?.(toUnreadableEntry(parts.now, status)),
    isTransient: (error) => deadline.isMissed(error) || parts.store.isTransientError(error),
  });
  // Among the lines of many processes, each request is known by a number of its own.
  const app = fastify({ ...toServerOptions(hardening), genReqId: () => randomUUID() });
  hardenServer(app, hardening);
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  const { now, elapsedMs } = parts;
  const lifetimeMs = options.tokenMinutes * 60_000;
  const tokens = parts.tokens ?? createOwnTokenIssuer({ now, elapsedMs, lifetimeMs });
  const refusals = parts.refusals ?? createOwnRefusalLimiter(elapsedMs);
  const catalog = createReportCatalog(options.outboundSummaryId);

  shedLoad(app, elapsedMs);
  if (parts.logRequest !== undefined) logRequests(app, now, parts.logRequest);

  const checkTenant = async (request: FastifyRequest<TenantRoute>, reply: FastifyReply): Promise<unknown> => {
    const allowed = await deadline.meet(hasAccess(request.raw, tokens, options.requireToken));
    return allowed && request.params.tenant === String(tenant) ? undefined : sendEmpty(reply, 401);
  };

  const hooks = options.quirks.length > 0 ? createQuirkHooks(options.quirks, now) : null;
  const addRoutes = (): void => {
    app.post(
      CREATE_TOKEN_PATH,
      { schema: CREATE_TOKEN_SCHEMA, onRequest: [createGuessingBrake(refusals), requireJsonBody] },
      (request, reply) => deadline.meet(sendCreatedToken({ ...parts, tokens, refusals }, request, reply)),
    );
    app.post<TenantRoute>(
      toStatusPath(':tenant'),
      { schema: toStatusSchema(tenant), onRequest: [checkTenant, ignoreBodyType], ...hooks?.status },
      async (_request, reply) => {
        const status = await deadline.meet(readTenantStatus(parts.store, now(), parts.platform));
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
          return reply.type(JSON_TYPE).send(await deadline.meet(answerReport(parts, report, request.body)));
        },
      );
    };
    for (const report of catalog) addReport(report.idReport, toReportSchema(tenant, report));
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

async function answerReport(
  parts: ServiceAppParts,
  report: ServedReport,
  body: unknown,
): Promise<string | Buffer> {
  const startedMs = parts.elapsedMs();
  const request = readReportRequest(body, parts.options.timeZone);
  if (!request.ok) return writeRefusal(report, request.errors, parts.elapsedMs() - startedMs);
  const page = await tryExecuteReport(parts, report, request.query);
  return page === undefined
    ? writeRefusal(report, [LAST_DOCUMENT_FAULT], parts.elapsedMs() - startedMs)
    : writeEnvelope(report, page, parts.elapsedMs() - startedMs);
}
