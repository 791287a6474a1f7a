import { toErrorInfo, AppError } from '../common/contract/errors.ts';
import type { Answer } from '../common/contract/operation.ts';
import type { Core } from '../core/create-core.ts';
import type { EventStreams } from './event-streams.ts';
import { refuse, sendText, type Exchange } from './exchange.ts';
import type { ExportDownloads } from './export-downloads.ts';
import type { FailureLimiter } from './failure-limiter.ts';
import type { ImportUploads } from './import-uploads.ts';
import { readJsonBody } from './read-json-body.ts';
import { checkOrigin } from './request-guard.ts';
import type { WebSessions } from './web-sessions.ts';

const CALL_PREFIX = '/api/call/';
const EXPORT_PREFIX = '/api/exports/';

export interface ApiParts {
  readonly core: Core;
  readonly sessions: WebSessions;
  readonly limiter: FailureLimiter;
  readonly streams: EventStreams;
  readonly downloads: ExportDownloads;
  readonly uploads: ImportUploads;
  /** Two instances on one computer share their cookies, so the name tells them apart. */
  readonly cookieName: string;
}

/** The value of the one cookie of that name; empty when it is missing or sent twice. */
function readCookie(header: string | undefined, name: string): string {
  const values = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1));
  return values.length === 1 ? (values[0] ?? '') : '';
}

/** Refuses a caller that isn't who it should be, and slows down one that keeps trying. */
export function refuseStranger(exchange: Exchange, limiter: FailureLimiter, status: 401 | 403): void {
  const waitSeconds = limiter.secondsToWait();
  if (waitSeconds > 0) {
    refuse(exchange, 429, { 'retry-after': String(waitSeconds) });
    return;
  }
  limiter.count();
  refuse(exchange, status);
}

async function answerCall(exchange: Exchange, core: Core): Promise<void> {
  if (exchange.request.method !== 'POST') {
    refuse(exchange, 405, { allow: 'POST' });
    return;
  }
  const body = await readJsonBody(exchange.request);
  if ('refusal' in body && body.refusal !== 400) {
    refuse(exchange, body.refusal);
    return;
  }
  const answer: Answer<unknown> =
    'refusal' in body
      ? { ok: false, error: toErrorInfo(new AppError('app.invalid-input', 'The body is not JSON.')) }
      : await core.call(exchange.path.slice(CALL_PREFIX.length), body.value);
  sendText(exchange, 200, 'application/json; charset=utf-8', JSON.stringify(answer));
}

async function answerUpload(exchange: Exchange, uploads: ImportUploads): Promise<void> {
  const answer = await uploads.receive(exchange.request);
  if ('refusal' in answer) refuse(exchange, answer.refusal);
  else sendText(exchange, 200, 'application/json; charset=utf-8', JSON.stringify(answer));
}

/** Answers everything under /api: calls, events, uploads, downloads, and the end of a session. */
export async function answerApi(exchange: Exchange, parts: ApiParts): Promise<void> {
  const { request, response, path } = exchange;
  const method = request.method ?? '';
  const isReading = method === 'GET' || method === 'HEAD';
  if (!isReading && method !== 'POST') {
    refuse(exchange, 405, { allow: 'GET, HEAD, POST' });
    return;
  }
  const refusal = checkOrigin(request);
  if (refusal !== null) {
    refuse(exchange, refusal);
    return;
  }
  const cookie = readCookie(request.headers.cookie, parts.cookieName);
  const token = request.headers['x-channelscope-session'];
  // A download is a navigation and can't bring the header: there, the path is the second secret.
  const isDownload = isReading && path.startsWith(EXPORT_PREFIX);
  const isAllowed = (): boolean =>
    isDownload
      ? parts.sessions.hasCookie(cookie)
      : parts.sessions.isAllowed(cookie, typeof token === 'string' ? token : '');
  if (!isAllowed()) {
    refuseStranger(exchange, parts.limiter, 401);
    return;
  }
  if (isDownload) {
    const isSent = await parts.downloads.send(path.slice(EXPORT_PREFIX.length), method === 'HEAD', response);
    if (!isSent) refuse(exchange, 404);
  } else if (path.startsWith(CALL_PREFIX)) {
    await answerCall(exchange, parts.core);
  } else if (path === '/api/events' && method === 'GET') {
    if (!parts.streams.open(response, isAllowed)) refuse(exchange, 429, { 'retry-after': '15' });
  } else if (path === '/api/imports' && method === 'POST') {
    await answerUpload(exchange, parts.uploads);
  } else if (path === '/api/logout' && method === 'POST') {
    parts.sessions.end(cookie);
    response.writeHead(204, {
      'clear-site-data': '"cookies", "storage"',
      'set-cookie': `${parts.cookieName}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`,
    });
    response.end();
  } else refuse(exchange, 404);
}
