import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import type { ReportResponse, StatusResponse } from '../../common/reporting/wire-schemas.ts';
import { createCursorQuirks } from './distort-cursors.ts';
import { distortReport } from './distort-report.ts';
import { distortStatus } from './distort-status.ts';
import type { QuirkName } from '../../common/model/connections/simulation.ts';

const SLOW_MS = 2_000;
const HTML_PAGE =
  '<!doctype html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>';

/**
 * Returns hooks for the routes of reports and of the status that make them misbehave on purpose. Kept apart from the
 * exact service, which knows nothing of it.
 */
export function createQuirkHooks(names: readonly QuirkName[], zone: string, now: () => number) {
  const quirks = new Set(names);
  const cursors = createCursorQuirks(quirks, now);
  // What was sent, as the exact service may receive something else.
  const sentBodies = new WeakMap<FastifyRequest, Record<string, unknown>>();
  let reports = 0;
  let nextPages = 0;

  const preHandler: preHandlerHookHandler = (request, reply, done) => {
    reports += 1;
    const body = tryParseBody(request.body);
    if (body !== undefined) sentBodies.set(request, body);
    const sentCursor = readCursor(body);
    if (sentCursor !== '') nextPages += 1;
    if (quirks.has('stalls')) {
      // No response: the client's own timeout has to end it.
      reply.hijack();
    } else if (quirks.has('html-page')) {
      void reply.type('text/html; charset=utf-8').send(HTML_PAGE);
    } else if (quirks.has('rate-limited') && reports % 3 === 0) {
      void reply.code(429).header('retry-after', '1').send();
    } else if (quirks.has('unauthorised-mid-page') && sentCursor !== '' && nextPages % 2 === 1) {
      void reply.code(401).send();
    } else {
      const lastDocument = cursors.replaceSent(sentCursor);
      if (body !== undefined && (lastDocument !== sentCursor || quirks.has('small-pages'))) {
        const changed = lastDocument === sentCursor ? body : { ...body, lastDocument };
        request.body = Buffer.from(JSON.stringify(quirks.has('small-pages') ? shrinkPage(changed) : changed));
      }
      setTimeout(done, quirks.has('slow') ? SLOW_MS : 0);
    }
  };

  const distortPage = (reply: FastifyReply, payload: string, body: Record<string, unknown>): string => {
    const response = JSON.parse(payload) as ReportResponse;
    if (!response.isValid && quirks.has('invalid-with-400')) reply.code(400);
    const sentCursor = readCursor(body);
    const walk = JSON.stringify([response.idReport, body['startDate'], body['endDate']]);
    const lastDocument = cursors.replaceIssued(walk, sentCursor, response);
    const documents = cursors.isPastEnd(sentCursor) ? [] : response.documents;
    return JSON.stringify(distortReport({ ...response, documents, lastDocument }, { quirks, zone }));
  };

  const sendReport: onSendHookHandler = (request, reply, payload, done) => {
    if (!isJson(reply)) {
      done(null, payload);
      return;
    }
    const text = distortPage(reply, String(payload), sentBodies.get(request) ?? {});
    if (quirks.has('cut-body')) cutBody(reply, text);
    else done(null, text);
  };
  const sendStatus: onSendHookHandler = (_request, reply, payload, done) => {
    if (!isJson(reply)) done(null, payload);
    else done(null, JSON.stringify(distortStatus(JSON.parse(String(payload)) as StatusResponse, quirks)));
  };
  return { report: { preHandler, onSend: sendReport }, status: { onSend: sendStatus } };
}

function isJson(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('application/json');
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

function shrinkPage(body: Record<string, unknown>): Record<string, unknown> {
  const size = typeof body['size'] === 'number' && body['size'] >= 1 ? body['size'] : 100;
  return { ...body, size: Math.ceil(size / 3) };
}
