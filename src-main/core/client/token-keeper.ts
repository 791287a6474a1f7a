import { AppError } from '../../common/contract/errors.ts';
import { isUnsent, type Clock } from './retry.ts';

/** Holds the token of one connection, in memory only. */
interface TokenKeeper {
  /** The token, obtained first where there is none. */
  getToken(signal: AbortSignal | undefined): Promise<string>;
  /** A token other than the refused one, where one can be had: a newer one that is held, or a fresh one. */
  renewToken(refused: string, signal: AbortSignal | undefined): Promise<string>;
  /** A fresh token, whatever is held, and even right after a failure. */
  obtainToken(signal: AbortSignal | undefined): Promise<string>;
}

const QUIET_AFTER_REFUSAL_MS = 30_000;
const QUIET_AFTER_FAILURE_MS = 5000;
/** Also a service that asks for a day is asked again within the hour: its clock or its mind may change. */
const LONGEST_QUIET_MS = 3_600_000;

/**
 * Keeps the token that `create` obtains. However many calls wait, one request is under way; nobody's
 * cancelling ends it for the others. After a failure the same error is given for a while without asking:
 * 30 s when the credentials were refused, 5 s for other answers, so that no loop can lock an account.
 */
export function createTokenKeeper(create: () => Promise<string>, clock: Clock): TokenKeeper {
  let token: string | null = null;
  let underWay: Promise<string> | null = null;
  let failure: { readonly error: AppError; readonly atMs: number } | null = null;

  const start = async (): Promise<string> => {
    try {
      token = await create();
      failure = null;
      return token;
    } catch (error) {
      token = null;
      if (error instanceof AppError) failure = { error, atMs: clock.now() };
      throw error;
    } finally {
      underWay = null;
    }
  };
  const obtainToken = (signal: AbortSignal | undefined): Promise<string> => {
    underWay ??= start();
    return waitFor(underWay, signal);
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
  // Nothing was asked, so there is nothing to be quiet about.
  if (error.code === 'client.circuit-open') return 0;
  if (error.code === 'client.credentials-refused') return QUIET_AFTER_REFUSAL_MS;
  const { retryAfterMs } = error.details;
  if (typeof retryAfterMs === 'number') return Math.min(retryAfterMs, LONGEST_QUIET_MS);
  const isAnswer =
    error.code.startsWith('client.') && !isUnsent(error) && error.code !== 'client.unreachable';
  return isAnswer ? QUIET_AFTER_FAILURE_MS : 0;
}

async function waitFor<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return shared;
  const cancelled = (): AppError => new AppError('app.cancelled', 'The call was cancelled.');
  if (signal.aborted) {
    void shared.catch(() => undefined);
    throw cancelled();
  }
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(cancelled());
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([shared, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
