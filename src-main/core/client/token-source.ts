import { AppError } from '../../common/contract/errors.ts';
import { CREATE_TOKEN_PATH } from '../../common/reporting/reports.ts';
import { decodeUtf8, isJsonObject, parseBody } from '../../common/reporting/reading/read-json.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { rejectOnAbort } from '../calls/calls.ts';
import type { SecretCleaner } from '../secrets/secret-cleaner.ts';
import type { ClientTarget } from './reporting-client.ts';
import { isUnsent, type ClientClock } from './retry.ts';
import { type ServiceResponse, toStatusError } from './send-request.ts';

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
