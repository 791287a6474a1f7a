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
import { findAllowedTenant } from './http/find-allowed-tenant.ts';
import { handleUnknownPaths } from './http/handle-unknown-paths.ts';
import { createServiceHardening, type ServiceAddresses } from './http/harden-service.ts';
import { shedLoad } from './http/load-shedder.ts';
import { logRequests, toUnreadableEntry, type RequestLogEntry } from './http/request-log.ts';
import { createOwnRefusalLimiter, type RefusalLimiter } from './http/refusal-limiter.ts';
import { createTenantShares } from './http/tenant-shares.ts';
import { collectSchemas, writeDescription } from './openapi/describe-service.ts';
import { OPENAPI_PATH } from './openapi/openapi-path.ts';
import {
  CREATE_TOKEN_SCHEMA,
  DESCRIPTION_SCHEMA,
  toReportSchema,
  toStatusSchema,
} from './openapi/route-schemas.ts';
import { createQuirkHooks } from './quirks/create-quirk-hooks.ts';
import { tryExecuteReport } from './reports/execute-report.ts';
import { LAST_DOCUMENT_FAULT, readReportRequest } from './reports/read-report-request.ts';
import { readTenantStatus } from './reports/read-tenant-status.ts';
import { createReportCatalog, findReport, type ServedReport } from './reports/report-catalog.ts';
import { writeEnvelope, writeRefusal } from './reports/write-envelope.ts';
import type { ServiceOptions } from './service-options.ts';
import type { ServedTenant, ServedTenants } from './tenants/served-tenant.ts';

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
