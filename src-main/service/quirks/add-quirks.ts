import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReportResponse, StatusResponse } from '../../common/reporting/wire-schemas.ts';
import { distortReport } from './distort-report.ts';
import { distortStatus } from './distort-status.ts';
import type { QuirkName } from './quirk-names.ts';

const SLOW_MS = 2_000;
const HTML_PAGE =
  '<!doctype html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>';

/** Where reports and the status are; the quirks leave everything else alone. */
export interface QuirkRoutes {
  readonly report: string;
  readonly status: string;
}

/** Makes the service misbehave on purpose. Kept apart from the exact service, which knows nothing of it. */
export function addQuirks(app: FastifyInstance, names: readonly QuirkName[], routes: QuirkRoutes): void {
  const quirks = new Set(names);
  let reports = 0;
  let nextPages = 0;

  app.addHook('preHandler', (request, reply, done) => {
    if (request.routeOptions.url !== routes.report) {
      done();
      return;
    }
    reports += 1;
    const body = tryParseBody(request.body);
    if (readCursor(body) !== '') nextPages += 1;
    if (quirks.has('stalls')) {
      // Never answered: the client's own patience has to end it.
      reply.hijack();
    } else if (quirks.has('html-page')) {
      void reply.type('text/html; charset=utf-8').send(HTML_PAGE);
    } else if (quirks.has('rate-limited') && reports % 3 === 0) {
      void reply.code(429).header('retry-after', '1').send();
    } else if (quirks.has('unauthorised-mid-page') && readCursor(body) !== '' && nextPages % 2 === 1) {
      void reply.code(401).send();
    } else {
      if (quirks.has('small-pages') && body !== undefined) request.body = shrinkPage(body);
      setTimeout(done, quirks.has('slow') ? SLOW_MS : 0);
    }
  });

  app.addHook<string>('onSend', (request, reply, payload, done) => {
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
    const { url } = request.routeOptions;
    if (!isJson || (url !== routes.report && url !== routes.status)) {
      done(null, payload);
      return;
    }
    const text = distort(request, reply, payload, url === routes.report, quirks);
    if (quirks.has('cut-body') && url === routes.report) cutBody(reply, text);
    else done(null, text);
  });
}

function distort(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string,
  isReport: boolean,
  quirks: ReadonlySet<QuirkName>,
): string {
  if (!isReport) return JSON.stringify(distortStatus(JSON.parse(payload) as StatusResponse, quirks));
  const response = JSON.parse(payload) as ReportResponse;
  if (!response.isValid && quirks.has('invalid-with-400')) reply.code(400);
  return JSON.stringify(distortReport(response, readCursor(tryParseBody(request.body)), quirks));
}

function cutBody(reply: FastifyReply, text: string): void {
  reply.hijack();
  const bytes = Buffer.from(text);
  reply.raw.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
  });
  reply.raw.write(bytes.subarray(0, bytes.length >> 1), () => {
    reply.raw.destroy();
  });
}

function tryParseBody(body: unknown): Record<string, unknown> | undefined {
  if (!Buffer.isBuffer(body)) return undefined;
  try {
    const content: unknown = JSON.parse(body.toString());
    return typeof content === 'object' && content !== null ? { ...content } : undefined;
  } catch {
    return undefined;
  }
}

function readCursor(body: Record<string, unknown> | undefined): string {
  const cursor = body?.['lastDocument'];
  return typeof cursor === 'string' ? cursor : '';
}

function shrinkPage(body: Record<string, unknown>): Buffer {
  const size = typeof body['size'] === 'number' && body['size'] >= 1 ? body['size'] : 100;
  return Buffer.from(JSON.stringify({ ...body, size: Math.ceil(size / 3) }));
}
