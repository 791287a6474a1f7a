import { AppError } from '../../common/contract/errors.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { rejectOnAbort } from '../calls/reject-on-abort.ts';
import { isUnsent, type ClientClock } from './retry.ts';

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
