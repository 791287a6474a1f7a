import { AppError, type ErrorCode } from '../../common/contract/errors.ts';
import { readRefusal } from '../../common/reporting/reading/read-envelope.ts';
import { toFirstLine } from '../../common/reporting/reading/read-json.ts';
import type { StatusReading } from '../../common/reporting/reading/read-status.ts';
import type { ReportKind } from '../../common/reporting/reports.ts';
import { civilToUtcMs, isRealCivilTime } from '../../common/time/civil-time.ts';
import { rejectOnAbort } from '../calls/calls.ts';
import type { SecretCleaner } from '../secrets/secret-cleaner.ts';
import { mapNetworkError } from './map-network-error.ts';

/** What a client needs of a connection. */
export interface ClientTarget {
  readonly connectionId: string;
  readonly baseAddress: string;
  readonly tenant: number;
  readonly reportIdentifiers: Readonly<Record<ReportKind, string>>;
}

export interface PageRequest {
  readonly report: ReportKind;
  readonly startDate: string;
  readonly endDate: string;
  /** Records requested. */
  readonly size: number;
  /** Empty for the first page. */
  readonly lastDocument: string;
}

/** The response to a page request, not parsed: the cache's writer does that. Times are of this computer's clock. */
export interface PageResponse {
  readonly bytes: ArrayBuffer;
  readonly status: number;
  readonly requestedAtMs: number;
  readonly receivedAtMs: number;
  /** The `Date` header as an instant, where there was one. */
  readonly serverTimeMs: number | null;
  /** Places from which a secret or token was removed that the service sent back. */
  readonly removedSecrets: number;
}

export interface PageCallOptions {
  readonly signal?: AbortSignal;
  /** Called before each wait, with the time of the next attempt. */
  readonly onRetry?: (retryAtMs: number) => void;
}

/** Calls of one connection's reporting service. Failures are AppErrors with a `client.*` or `secrets.*` code. */
export interface ReportingClient {
  /** Obtains a fresh token (operation 1), whatever was held before. */
  createToken(signal?: AbortSignal): Promise<void>;
  /** Tenant status, operation 2. */
  fetchStatus(signal?: AbortSignal): Promise<{ reading: StatusReading; roundTripMs: number }>;
  /** One page of a report, operations 3 to 6. */
  fetchPage(request: PageRequest, options?: PageCallOptions): Promise<PageResponse>;
}

/** Limits of one request with its response, in milliseconds. */
export interface Timeouts {
  /** From the start until the headers are there: name, connection, TLS and the service's own work. */
  readonly headersMs: number;
  /** Between two chunks of the body. */
  readonly idleMs: number;
  /** From the start to the last byte. */
  readonly totalMs: number;
}

interface RequestToSend {
  readonly url: string;
  /** JSON text, or null for a request without a body. */
  readonly body: string | null;
  readonly token: string | null;
  readonly timeouts: Timeouts;
  /** Most decoded bytes of a 2xx body. */
  readonly limitBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Takes secrets out of words of the response, before they are cut. */
  readonly cleanText: (text: string) => string;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: ArrayBuffer;
  readonly requestedAtMs: number;
  readonly receivedAtMs: number;
  readonly serverTimeMs: number | null;
}

/** More than is shown of it, so that no secret is cut in two before it is removed. */
const MAX_ERROR_BODY_BYTES = 96 * 1024;
const ENCODINGS = new Set(['identity', 'gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

/**
 * Sends one POST and reads its whole response, whatever the status; nothing is repeated. Rejects with an
 * AppError: `client.timeout` (details `kind`: connect, headers, idle, total), `client.truncated`,
 * `client.too-large`, `client.unknown-encoding`, `client.redirected` (details `location`), `app.cancelled`, or
 * the error of `mapNetworkError`.
 */
export async function sendRequest(
  fetch: typeof globalThis.fetch,
  now: () => number,
  request: RequestToSend,
): Promise<ServiceResponse> {
  const { timeouts, signal } = request;
  const controller = new AbortController();
  const stop = (error: AppError): void => controller.abort(error);
  const cancel = (): void => stop(new AppError('app.cancelled', 'The call was cancelled.'));
  const limit = (kind: string, ms: number): NodeJS.Timeout =>
    setTimeout(() => stop(new AppError('client.timeout', `Time limit: ${kind}.`, { kind, limitMs: ms })), ms);
  if (signal?.aborted === true) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const total = limit('total', timeouts.totalMs);
  let phaseTimer = limit('headers', timeouts.headersMs);
  let phase: 'headers' | 'body' = 'headers';
  try {
    controller.signal.throwIfAborted();
    const requestedAtMs = now();
    const response = await rejectOnAbort(
      fetch(request.url, toInit(request, controller.signal)),
      controller.signal,
    );
    clearTimeout(phaseTimer);
    phase = 'body';
    phaseTimer = limit('idle', timeouts.idleMs);
    await refuseRedirect(response, request);
    if (response.ok) await refuseEncoding(response, request);
    const bytes = await rejectOnAbort(
      readBody(response, {
        limitBytes: response.ok ? request.limitBytes : MAX_ERROR_BODY_BYTES,
        onChunk: () => phaseTimer.refresh(),
      }),
      controller.signal,
    );
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      requestedAtMs,
      receivedAtMs: now(),
      serverTimeMs: parseHttpDate(response.headers.get('date')),
    };
  } catch (error) {
    const failure = mapNetworkError(controller.signal.aborted ? controller.signal.reason : error, phase);
    // Ends the connection where the failure was ours, such as a body over its limit.
    stop(failure);
    throw failure;
  } finally {
    clearTimeout(total);
    clearTimeout(phaseTimer);
    signal?.removeEventListener('abort', cancel);
  }
}

function toInit({ body, token }: RequestToSend, signal: AbortSignal): RequestInit {
  return {
    method: 'POST',
    headers: {
      accept: 'application/json',
      ...(token === null ? {} : { authorization: `bearer ${token}` }),
      ...(body === null ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    },
    body,
    redirect: 'manual',
    credentials: 'omit',
    cache: 'no-store',
    signal,
  };
}

/** Never followed (decision 29): a credential would go to an address that the user didn't enter. */
async function refuseRedirect(response: Response, { url, cleanText }: RequestToSend): Promise<void> {
  const location = response.headers.get('location');
  const isRedirect = response.status >= 300 && response.status < 400 && location !== null;
  if (!isRedirect && response.type !== 'opaqueredirect') return;
  await response.body?.cancel();
  throw new AppError('client.redirected', 'The service points to another address.', {
    status: response.status,
    location: cleanText(toBareAddress(location ?? '', url)).slice(0, 500),
  });
}

/** An address without user, query and fragment: they are where a service repeats what it was sent. */
function toBareAddress(location: string, base: string): string {
  const target = location === '' ? null : URL.parse(location, base);
  if (target === null) return location.replace(/[?#].*$/su, '');
  target.username = '';
  target.password = '';
  target.search = '';
  target.hash = '';
  return target.href;
}

/** A fetch passes an encoding that it doesn't know through, and the body would be reported as not being JSON. */
async function refuseEncoding(response: Response, { cleanText }: RequestToSend): Promise<void> {
  const names = (response.headers.get('content-encoding') ?? '').toLowerCase().split(',');
  const encoding = names.map((name) => name.trim()).find((name) => name !== '' && !ENCODINGS.has(name));
  if (encoding === undefined) return;
  await response.body?.cancel();
  throw new AppError('client.unknown-encoding', 'The body has an unknown encoding.', {
    encoding: cleanText(encoding).slice(0, 100),
  });
}

const MAX_RATIO = 100;
/** Smaller bodies may exceed the ratio: short repetitive JSON does. */
const RATIO_FROM_BYTES = 16 * 1024 * 1024;
const LEAST_BYTES = 65_536;
/** A service that announces more than it sends must not be able to use up memory that way. */
const MAX_FIRST_BYTES = 8 * 1024 * 1024;

interface BodyOptions {
  /** Most decoded bytes; an error's body is cut there, any other is refused. */
  readonly limitBytes: number;
  readonly onChunk: () => void;
}

/**
 * Reads a body into one buffer of exactly its size. Throws AppError `client.too-large` over the limit or
 * when a compressed body expands more than a hundredfold, `client.truncated` for JSON that has no end.
 */
async function readBody(response: Response, options: BodyOptions): Promise<ArrayBuffer> {
  const isEncoded = response.headers.has('content-encoding');
  const statedBytes = Number(response.headers.get('content-length') ?? Number.NaN);
  const sentBytes = isEncoded ? statedBytes : Number.NaN;
  let body = new Uint8Array(isEncoded ? LEAST_BYTES : toFirstLength(statedBytes, options.limitBytes));
  let size = 0;
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    options.onChunk();
    const end = size + value.byteLength;
    const isBomb = end > RATIO_FROM_BYTES && end > sentBytes * MAX_RATIO;
    const isTooLarge = end > options.limitBytes || isBomb;
    if (!isTooLarge || !response.ok) {
      const part = isTooLarge ? value.subarray(0, options.limitBytes - size) : value;
      body = append(body, size, part);
      size += part.byteLength;
    }
    giveBack(value);
    if (!isTooLarge) continue;
    void reader.cancel().catch(() => undefined);
    if (!response.ok) break;
    const details = { limitBytes: options.limitBytes, status: response.status };
    throw new AppError('client.too-large', 'The body is too large.', details);
  }
  const bytes = body.byteLength === size ? body : body.slice(0, size);
  if (response.ok && isCut(bytes)) {
    throw new AppError('client.truncated', 'The body ends in the middle of its JSON.', { reason: 'no-end' });
  }
  return bytes.buffer;
}

/** Nearly every body is as long as it says, and is then written to one place only. */
function toFirstLength(statedBytes: number, limitBytes: number): number {
  return statedBytes >= 0 && statedBytes <= Math.min(limitBytes, MAX_FIRST_BYTES) ? statedBytes : LEAST_BYTES;
}

function append(body: Uint8Array<ArrayBuffer>, size: number, part: Uint8Array): Uint8Array<ArrayBuffer> {
  const needed = size + part.byteLength;
  let target = body;
  if (needed > body.byteLength) {
    target = new Uint8Array(Math.max(needed, body.byteLength * 2));
    target.set(body.subarray(0, size));
    giveBack(body);
  }
  target.set(part, size);
  return target;
}

/**
 * Frees memory that is read to its end at once. Left to itself, it is only collected with all else once some tens of
 * megabytes lie about, and a report passes through here many times in a row.
 */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** A body that ends with its connection may be cut without any sign but its missing last bracket. */
function isCut(bytes: Uint8Array): boolean {
  const isSpace = (byte: number | undefined): boolean =>
    byte === 32 || byte === 10 || byte === 13 || byte === 9;
  let first = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let last = bytes.length - 1;
  while (isSpace(bytes[first])) first += 1;
  while (last > first && isSpace(bytes[last])) last -= 1;
  if (bytes[first] === 0x7b) return bytes[last] !== 0x7d;
  return bytes[first] === 0x5b && bytes[last] !== 0x5d;
}

const IMF_DATE = /^[A-Za-z]{3}, (\d{2}) ([A-Za-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Epoch milliseconds of a date in an HTTP header (RFC 9110, IMF-fixdate), or null. */
function parseHttpDate(text: string | null): number | null {
  const match = IMF_DATE.exec(text?.trim() ?? '');
  if (match === null) return null;
  const civil = {
    year: Number(match[3]),
    month: MONTHS.indexOf((match[2] ?? '').toLowerCase()) + 1,
    day: Number(match[1]),
    hour: Number(match[4]),
    minute: Number(match[5]),
    second: Number(match[6]),
    millisecond: 0,
  };
  return isRealCivilTime(civil) ? civilToUtcMs(civil) : null;
}

/**
 * Milliseconds that a `Retry-After` header asks to wait: whole seconds, or a date compared with the server's own
 * clock. Null for none, for no time at all, for a date in the past and for anything not understood.
 */
export function parseRetryAfterMs(text: string | null, serverNowMs: number): number | null {
  const value = text?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) > 0 ? Number(value) * 1000 : null;
  const atMs = parseHttpDate(value);
  return atMs === null || atMs <= serverNowMs ? null : atMs - serverNowMs;
}

/** How much of a body is shown, in characters (decision 31). */
const MAX_BODY_CHARACTERS = 64 * 1024;
/** As nginx, Go, Apache and load balancers put it. */
const WANTS_HTTPS =
  /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server|speaking plain HTTP to an SSL-enabled|HTTPS (?:is )?required/iu;

/**
 * The error for a response that is not 2xx (decisions 6, 16, 31), with `status` and `body` in its details, and `said`,
 * the first line of the service's own words, `reason`, `field`, and `retryAfterMs` with the moment `retryAtMs` where they are known. No form of a
 * secret is in its words.
 */
export function toStatusError(response: ServiceResponse, cleaner: SecretCleaner): AppError {
  const { status, headers, bytes } = response;
  const text = new TextDecoder().decode(bytes);
  const parsed = tryParse(text);
  const isRefusal = status >= 400 && status < 500 && isInvalid(parsed);
  const code = isRefusal ? 'client.invalid-request' : toCode(status);
  const { words, field } = readRefusal(parsed);
  const isWorded = code === 'client.invalid-request' && words !== '';
  // Cleaned before it is cut, or half a secret could stay at the end.
  const said = /^\s*</.test(text) ? '' : toFirstLine(cleaner.cleanText(words));
  const reason = findReason(status, text);
  const serverNowMs = response.serverTimeMs ?? response.receivedAtMs;
  const retryAfterMs = parseRetryAfterMs(headers.get('retry-after'), serverNowMs);
  return cleaner.cleanError(
    new AppError(code, `The service responded with status ${status}.`, {
      status,
      body: cleaner.cleanText(isWorded ? words : text).slice(0, MAX_BODY_CHARACTERS),
      ...(said === '' ? {} : { said }),
      ...(reason === null ? {} : { reason }),
      ...(field === '' || !isWorded ? {} : { field }),
      ...(retryAfterMs === null ? {} : { retryAfterMs, retryAtMs: response.receivedAtMs + retryAfterMs }),
    }),
  );
}

function toCode(status: number): ErrorCode {
  if (status === 400 || status === 422) return 'client.invalid-request';
  if (status === 403) return 'client.forbidden';
  if (status === 404) return 'client.not-found';
  if (status === 429) return 'client.rate-limited';
  return status >= 500 ? 'client.server-error' : 'client.http-status';
}

/** Where the status shows that something on the way is at fault, not the service. */
function findReason(status: number, text: string): string | null {
  if (status === 407) return 'proxy-login';
  if (status === 511) return 'network-login';
  if (status === 426 || WANTS_HTTPS.test(text.slice(0, 2000))) return 'wants-https';
  return null;
}

function isInvalid(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return Object.entries(body).some(
    ([name, value]) => name.toLowerCase() === 'isvalid' && String(value).toLowerCase() === 'false',
  );
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
