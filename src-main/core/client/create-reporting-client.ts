import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../common/contract/errors.ts';
import { decodeUtf8, isJsonObject, parseBody } from '../../common/reporting/reading/read-json.ts';
import { readStatus } from '../../common/reporting/reading/read-status.ts';
import { CREATE_TOKEN_PATH, toReportPath, toStatusPath } from '../../common/reporting/reports.ts';
import type { ReportRequest } from '../../common/reporting/wire-documents.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { createGate } from '../../node/gate.ts';
import { rejectOnAbort } from '../calls/calls.ts';
import type { Logger } from '../logging/logger.ts';
import { createKnownSecrets, type KnownSecrets, type SecretCleaner } from '../secrets/secret-cleaner.ts';
import { mapNetworkError } from './map-network-error.ts';
import {
  type ClientTarget,
  type PageCallOptions,
  parseRetryAfterMs,
  type ReportingClient,
  sendRequest,
  type ServiceResponse,
  type Timeouts,
  toStatusError,
} from './reporting-client.ts';
import {
  type Circuit,
  type ClientClock,
  createCircuit,
  createRetryBudget,
  type EndpointName,
  ENDPOINTS,
  isUnsent,
  type Outcome,
  type RetryBudget,
  retryCall,
} from './retry.ts';

/** Supplies the token of one connection, which is held in memory only. */
interface TokenSource {
  /** Returns the token that is held, or obtains one. */
  getToken(signal: AbortSignal | undefined): Promise<string>;
  /** Returns another token than the refused one: a newer one that is held, or a fresh one. */
  renewToken(refused: string, signal: AbortSignal | undefined): Promise<string>;
  /** Obtains a fresh token, whatever is held, and even right after a failure. */
  obtainToken(signal: AbortSignal | undefined): Promise<string>;
}

/** One request for a token, which all calls that need one wait for. */
interface TokenRequest {
  readonly token: Promise<string>;
  readonly controller: AbortController;
  waitingCalls: number;
}

const QUIET_AFTER_REFUSAL_MS = 30_000;
const QUIET_AFTER_FAILURE_MS = 5000;
/** A service that asks for a day is given it (decision 24); for longer, its clock may be wrong. */
const MAX_QUIET_MS = 7 * DAY_MS;

/**
 * Holds the token that `create` obtains. However many calls wait, one request is under way; it is aborted once the
 * last of them is cancelled. After a failure the same error is thrown for a while without a request: 30 s when the
 * credentials were refused, 5 s for other responses, so that no loop can lock an account.
 */
export function createTokenSource(
  create: (signal: AbortSignal) => Promise<string>,
  clock: ClientClock,
): TokenSource {
  let token: string | null = null;
  let underWay: TokenRequest | null = null;
  let failure: { readonly error: AppError; readonly atMs: number } | null = null;

  const start = (): TokenRequest => {
    const controller = new AbortController();
    const run = async (): Promise<string> => {
      try {
        const created = await create(controller.signal);
        token = created;
        failure = null;
        return created;
      } catch (error) {
        if (!controller.signal.aborted) {
          token = null;
          if (error instanceof AppError) failure = { error, atMs: clock.now() };
        }
        throw error;
      } finally {
        if (underWay === request) underWay = null;
      }
    };
    const request: TokenRequest = { token: Promise.resolve().then(run), controller, waitingCalls: 0 };
    return request;
  };
  const obtainToken = async (signal: AbortSignal | undefined): Promise<string> => {
    underWay ??= start();
    const request = underWay;
    request.waitingCalls += 1;
    if (signal === undefined) return request.token;
    try {
      return await rejectOnAbort(request.token, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      request.waitingCalls -= 1;
      if (request.waitingCalls === 0) {
        if (underWay === request) underWay = null;
        request.controller.abort();
      }
      throw new AppError('app.cancelled', 'The call was cancelled.', {}, error);
    }
  };
  const obtainUnlessQuiet = (signal: AbortSignal | undefined): Promise<string> => {
    if (underWay === null && failure !== null) {
      const passedMs = clock.now() - failure.atMs;
      // A clock that was set back must not make the quiet longer.
      if (passedMs >= 0 && passedMs < toQuietMs(failure.error)) return Promise.reject(failure.error);
    }
    return obtainToken(signal);
  };
  return {
    obtainToken,
    getToken: (signal) => (token === null ? obtainUnlessQuiet(signal) : Promise.resolve(token)),
    renewToken: (refused, signal) =>
      token !== null && token !== refused ? Promise.resolve(token) : obtainUnlessQuiet(signal),
  };
}

function toQuietMs(error: AppError): number {
  // No request was made, so none has to be held back.
  if (error.code === 'client.circuit-open') return 0;
  if (error.code === 'client.credentials-refused') return QUIET_AFTER_REFUSAL_MS;
  const { retryAfterMs } = error.details;
  if (typeof retryAfterMs === 'number') return Math.min(retryAfterMs, MAX_QUIET_MS);
  const isResponse =
    error.code.startsWith('client.') && !isUnsent(error) && error.code !== 'client.unreachable';
  return isResponse ? QUIET_AFTER_FAILURE_MS : 0;
}

export interface TokenSecrets {
  readonly accessToken: string;
  readonly accessTokenSecret: string;
}

/**
 * Operation 1 (specification, section Authentication): returns the token, which is opaque (decision 14).
 * Throws AppError `client.credentials-refused` for a 401, `client.unexpected-shape` for a response without
 * a token that can be used (details `reason`), or the error of its status. No error holds words of a response that was meant to be a token.
 */
export async function createToken(
  target: ClientTarget,
  secrets: TokenSecrets,
  cleaner: SecretCleaner,
  send: (path: string, body: string) => Promise<ServiceResponse>,
): Promise<string> {
  const { accessToken, accessTokenSecret } = secrets;
  const body = JSON.stringify({ accessToken, accessTokenSecret, tenant: target.tenant });
  const response = await send(CREATE_TOKEN_PATH, body);
  if (response.status === 401) {
    throw new AppError('client.credentials-refused', 'The credentials were refused.', { status: 401 });
  }
  if (response.status < 200 || response.status > 299) {
    throw toStatusError(response, cleaner);
  }
  try {
    return readToken(response.bytes);
  } catch (error) {
    throw error instanceof AppError ? withoutWords(error) : error;
  }
}

/** What isn't a token in the expected form may still be one, in plain text or cut short. */
function withoutWords({ code, message, details }: AppError): AppError {
  const { reason } = details;
  return new AppError(code, message, reason === undefined ? {} : { reason });
}

function readToken(bytes: ArrayBuffer): string {
  const body = parseBody(decodeUtf8(new Uint8Array(bytes)));
  const token = isJsonObject(body)
    ? Object.entries(body).find(([name]) => name.toLowerCase() === 'token')?.[1]
    : body;
  if (token === undefined || token === null || Array.isArray(token)) throw toTokenError(findReason(body));
  if (typeof token !== 'string') throw toTokenError(isJsonObject(body) ? 'token-not-text' : 'no-token');
  // Some services send the value of the header, or a line end: neither belongs to the token.
  const bare = token.trim().replace(/^bearer(?:\s+|$)/i, '');
  // Anything but visible ASCII could not be sent in a header.
  if (/^[\x21-\x7e]+$/.test(bare)) return bare;
  if (bare === '') throw toTokenError('token-empty');
  throw toTokenError(/[\s\p{Cc}]/u.test(bare) ? 'token-blanks' : 'token-not-ascii');
}

/** Names that services give a token which is not where the specification has it. */
const OTHER_NAMES = /^(?:(?:access|auth|bearer|id|session|jwt)[_-]?token|jwt|token)$/i;

/** Says of a response without a usable `token` whether it holds one elsewhere. */
function findReason(body: unknown): string {
  if (!isJsonObject(body)) return 'no-token';
  const parts = [body, ...Object.values(body).filter(isJsonObject)];
  const isToken = ([name, value]: readonly [string, unknown]): boolean =>
    OTHER_NAMES.test(name) && typeof value === 'string' && value.trim() !== '';
  return parts.some((part) => Object.entries(part).some(isToken)) ? 'token-elsewhere' : 'no-token';
}

function toTokenError(reason: string): AppError {
  const message =
    reason === 'no-token' ? 'The response holds no token.' : "The response's token can't be used.";
  return new AppError('client.unexpected-shape', message, { reason });
}

export interface ReportingClientOptions {
  readonly target: ClientTarget;
  /** Called each time a token is obtained; the secrets aren't kept. */
  readonly secrets: () => Promise<TokenSecrets>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock?: ClientClock;
  /** From 0 up to 1. */
  readonly random?: () => number;
  readonly logger: Logger;
  /** Learns the secrets and tokens that are used, so that others can clean their texts as well. */
  readonly knownSecrets?: KnownSecrets;
  /** Replaces single limits of every operation. */
  readonly timeouts?: Partial<Timeouts>;
  /** Most decoded bytes of a page; 256 MB when left out (decision 7). */
  readonly pageLimitBytes?: number;
}

/** How one read is made: `accepts` is true for further statuses that aren't errors. */
interface Read {
  readonly call: Call;
  readonly onRetry?: PageCallOptions['onRetry'];
  readonly accepts?: (status: number) => boolean;
}

const MAX_CONCURRENT_CALLS = 8;
/** Statuses of a service that insists on a body or on a content type (decision 18). */
const WANTS_BODY = new Set([400, 411, 415]);

/** Statuses by which a service may name the time to come back. */
const PUT_OFF = new Set([429, 503]);

const systemClock: ClientClock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};

/**
 * A client of one connection's reporting service. It keeps a token in memory, renews it once however many
 * calls wait, attempts each read up to three times within a budget, leaves a failing service alone for a while,
 * and never follows a redirect. At most eight calls are under way at once. Failures are AppErrors with a
 * `client.*` or `secrets.*` code, or `app.cancelled`.
 */
export function createReportingClient(options: ReportingClientOptions): ReportingClient {
  const { target, clock = systemClock, random = Math.random } = options;
  const gate = createGate(MAX_CONCURRENT_CALLS);
  const circuit = createCircuit(clock.now);
  const budget = createRetryBudget(clock.now);
  const cleaner = (options.knownSecrets ?? createKnownSecrets()).createCleaner();
  const { timeouts = {}, pageLimitBytes, fetch, logger } = options;
  const send = createSendAttempt({
    target,
    fetch,
    logger,
    cleanText: cleaner.cleanText,
    circuit,
    budget,
    timeouts,
    pageLimitBytes,
    now: clock.now,
  });
  let statusBody: string | null = null;
  let callCount = 0;

  const tokens = createTokenSource(async (signal) => {
    const secrets = await options.secrets();
    cleaner.note(secrets.accessToken);
    cleaner.note(secrets.accessTokenSecret);
    const token = await createToken(target, secrets, cleaner, (path, body) => {
      const call: Call = { operation: 'create-token', path, body, signal };
      callCount += 1;
      const id = callCount;
      const { isRetryable } = ENDPOINTS['create-token'];
      return retryCall(
        async (attempt) => {
          const response = await send(call, { token: null, id, attempt });
          if (!PUT_OFF.has(response.status)) return response;
          throw toStatusError(response, cleaner);
        },
        { clock, random, budget, isRetryable, signal },
      );
    });
    cleaner.note(token);
    return token;
  }, clock);

  /** What came back, with no form of a secret or token in it, before anybody reads it. */
  const clean = async (
    response: ServiceResponse,
  ): Promise<ServiceResponse & { readonly removedSecrets: number }> => {
    const { bytes, removed } = await cleaner.cleanBodyInTurns(response.bytes);
    if (removed > 0) logger.warn('credentials removed from a response', { places: removed });
    return { ...response, bytes, removedSecrets: removed };
  };
  /** Makes a call whose failure holds none either. */
  const cleanly = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    try {
      return await call();
    } catch (error) {
      throw error instanceof AppError ? cleaner.cleanError(error) : error;
    }
  };

  /** Returns a response with a 2xx, a 401 or an accepted status; throws the error of any other. */
  const read = ({ call, onRetry, accepts = () => false }: Read, token: string): Promise<ServiceResponse> => {
    const { signal } = call;
    callCount += 1;
    const id = callCount;
    return retryCall(
      async (attempt) => {
        const sending = { token, id, attempt };
        const response = await gate(() => send(call, sending), signal);
        const { status } = response;
        if ((status >= 200 && status < 300) || status === 401 || accepts(status)) return response;
        throw toStatusError(response, cleaner);
      },
      { clock, random, budget, signal, isRetryable: ENDPOINTS[call.operation].isRetryable, onRetry },
    );
  };

  const readAuthorised = async (reading: Read): Promise<ServiceResponse> => {
    const { signal } = reading.call;
    try {
      const token = await tokens.getToken(signal);
      const first = await read(reading, token);
      if (first.status !== 401) return first;
      const second = await read(reading, await tokens.renewToken(token, signal));
      if (second.status !== 401) return second;
    } catch (error) {
      if (signal?.aborted !== true) throw error;
      throw new AppError('app.cancelled', 'The call was cancelled.', {}, error);
    }
    throw new AppError('client.report-refused', 'The service refuses its own fresh token.', { status: 401 });
  };

  return {
    createToken: (signal) =>
      cleanly(async () => {
        await tokens.obtainToken(signal);
      }),
    fetchStatus: (signal) =>
      cleanly(async () => {
        const path = toStatusPath(target.tenant);
        const request = (body: string | null): Promise<ServiceResponse> =>
          readAuthorised({
            call: { operation: 'status', path, body, signal },
            accepts: (status) => body === null && WANTS_BODY.has(status),
          });
        let response = await request(statusBody);
        if (WANTS_BODY.has(response.status)) {
          response = await request('{}');
          statusBody = '{}';
        }
        const reading = readStatus(new Uint8Array((await clean(response)).bytes));
        return { reading, roundTripMs: response.receivedAtMs - response.requestedAtMs };
      }),
    fetchPage: (request, { signal, onRetry } = {}) =>
      cleanly(async () => {
        const { report, startDate, endDate, size, lastDocument } = request;
        const path = toReportPath(target.tenant, target.reportIdentifiers[report]);
        const body = JSON.stringify({ startDate, endDate, size, lastDocument } satisfies ReportRequest);
        const call: Call = { operation: 'report', path, body, signal };
        const response = await clean(await readAuthorised({ call, onRetry }));
        const { bytes, status, requestedAtMs, receivedAtMs, serverTimeMs, removedSecrets } = response;
        return { bytes, status, requestedAtMs, receivedAtMs, serverTimeMs, removedSecrets };
      }),
  };
}

interface Call {
  readonly operation: EndpointName;
  readonly path: string;
  readonly body: string | null;
  readonly signal: AbortSignal | undefined;
}

/** One sending of a call. */
interface Attempt {
  readonly token: string | null;
  /** Number of the call, the same for all its attempts. */
  readonly id: number;
  /** From 1. */
  readonly attempt: number;
}

interface AttemptOptions {
  readonly target: ClientTarget;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly logger: Logger;
  readonly cleanText: (text: string) => string;
  readonly circuit: Circuit;
  readonly budget: RetryBudget;
  readonly timeouts: Partial<Timeouts>;
  readonly pageLimitBytes: number | undefined;
}

const FAILED_STATUSES = new Set([500, 502, 503, 504]);
const FAILED_CODES = new Set([
  'client.refused-connection',
  'client.host-not-found',
  'client.unreachable',
  'client.proxy',
  'client.timeout',
  'client.truncated',
]);

/**
 * Makes the function that sends a call once: counted in the budget, reported to the circuit, and logged with
 * its time, size and outcome. It returns the response whatever its status, and rejects with an error of
 * `sendRequest` or with `client.circuit-open`.
 */
function createSendAttempt(
  options: AttemptOptions,
): (call: Call, attempt: Attempt) => Promise<ServiceResponse> {
  const { target, now, logger, circuit, budget } = options;
  return async (call, { token, id, attempt }) => {
    const endpoint = ENDPOINTS[call.operation];
    const fields = { connectionId: target.connectionId, id, operation: call.operation, attempt };
    const leave = circuit.enter();
    budget.noteRequest(attempt > 1);
    const startedAtMs = now();
    try {
      const response = await sendRequest(options.fetch, now, {
        url: target.baseAddress + call.path,
        body: call.body,
        token,
        timeouts: { ...endpoint.timeouts, ...options.timeouts },
        limitBytes: (call.operation === 'report' ? options.pageLimitBytes : undefined) ?? endpoint.limitBytes,
        signal: call.signal,
        cleanText: options.cleanText,
      });
      const { status, bytes } = response;
      leave(toResponseOutcome(response), 'client.server-error');
      const durationMs = now() - startedAtMs;
      logger.info('call completed', { ...fields, status, sizeBytes: bytes.byteLength, durationMs });
      return response;
    } catch (error) {
      const failure = mapNetworkError(error);
      leave(toOutcome(failure), failure.code);
      logger.warn('call failed', { ...fields, code: failure.code, durationMs: now() - startedAtMs });
      throw failure;
    }
  };
}

/** A service that names the time to come back is given that time, and needs no other rest. */
function toResponseOutcome({ status, headers, receivedAtMs, serverTimeMs }: ServiceResponse): Outcome {
  if (!FAILED_STATUSES.has(status)) return 'responded';
  const askedMs = parseRetryAfterMs(headers.get('retry-after'), serverTimeMs ?? receivedAtMs) ?? 0;
  return askedMs > 0 ? 'neutral' : 'failed';
}

/** A redirect or a certificate is a finding about the address, not about the service's health. */
function toOutcome({ code }: AppError): Outcome {
  return FAILED_CODES.has(code) ? 'failed' : 'neutral';
}
