import { AppError } from '../../common/contract/errors.ts';

/** Time as the client needs it; tests pass their own. */
export interface ClientClock {
  now(): number;
  /** Rejects at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

interface RetryOptions {
  readonly clock: ClientClock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly budget: Pick<RetryBudget, 'allowsRetry'>;
  readonly signal: AbortSignal | undefined;
  readonly isRetryable: (error: AppError) => boolean;
  readonly onRetry?: ((retryAtMs: number) => void) | undefined;
}

const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A longer wait than this is reported as an error, not waited for. */
const MAX_RETRY_AFTER_MS = 120_000;
const REPEATED_CODES = new Set(['client.truncated', 'client.unreachable', 'client.proxy']);
const RETRIED_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** For reads, which may be repeated: network failures, truncated bodies, and the statuses of decision 31. */
export function isRetryableRead(error: AppError): boolean {
  const { status, kind } = error.details;
  if (typeof status === 'number') return RETRIED_STATUSES.has(status) && !asksForTooLong(error);
  if (error.code === 'client.timeout') return kind !== 'total';
  return REPEATED_CODES.has(error.code) || isUnsent(error);
}

/** For calls that must not be made twice: nothing was sent yet. */
export function isUnsent(error: AppError): boolean {
  return error.code === 'client.refused-connection' || error.code === 'client.host-not-found';
}

/** True where the service says when to come back, soon, and so took nothing of the call. */
export function isPutOff(error: AppError): boolean {
  const { status, retryAfterMs } = error.details;
  return (status === 429 || status === 503) && Number(retryAfterMs ?? 0) > 0 && !asksForTooLong(error);
}

/**
 * Runs a call up to three times, waiting a random time below 0.5 s × 2ⁿ (at most 30 s); less often where the budget
 * is spent. Pauses that the service asks for are kept as often as it asks, for 120 s altogether. Longer outages are left to the caller.
 * Rejects with the last AppError that the service or the network gave, at once when aborted.
 */
export async function retryCall<T>(run: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random, budget, signal, isRetryable, onRetry } = options;
  let last: AppError | null = null;
  let askedMs = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(attempt);
    } catch (error) {
      // The circuit stopped a retry: the error before it says more.
      if (error instanceof AppError && error.code === 'client.circuit-open') throw last ?? error;
      if (!(error instanceof AppError) || !isRetryable(error)) throw error;
      const asked = error.details['retryAfterMs'];
      const pauseMs = typeof asked === 'number' ? asked : 0;
      askedMs += pauseMs;
      // A service that names a pause is expected back: neither the count nor the budget ends the call before that.
      const isAsked = pauseMs > 0 && askedMs <= MAX_RETRY_AFTER_MS;
      if (!isAsked && (attempt >= MAX_ATTEMPTS || !budget.allowsRetry())) throw error;
      last = error;
      const delayMs =
        typeof asked === 'number'
          ? asked
          : Math.round(random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1)));
      onRetry?.(clock.now() + delayMs);
      await clock.sleep(delayMs, signal);
    }
  }
}

function asksForTooLong(error: AppError): boolean {
  const asked = error.details['retryAfterMs'];
  return typeof asked === 'number' && asked > MAX_RETRY_AFTER_MS;
}

const WINDOW_MS = 60_000;
const FREE_REQUESTS = 20;
const RETRY_SHARE = 0.1;

/** Keeps repeated requests to a small share, so that an overloaded service doesn't get more and more of them. */
export interface RetryBudget {
  noteRequest(isRetry: boolean): void;
  allowsRetry(): boolean;
}

/** Repeats may be 10 % of the requests of the last minute, as soon as these are more than 20. */
export function createRetryBudget(now: () => number): RetryBudget {
  let requests: { readonly atMs: number; readonly isRetry: boolean }[] = [];

  const forgetOld = (): void => {
    const nowMs = now();
    // What lies in the future was noted before the clock was set back.
    requests = requests.filter(({ atMs }) => atMs <= nowMs && atMs > nowMs - WINDOW_MS);
  };
  return {
    noteRequest(isRetry) {
      forgetOld();
      requests.push({ atMs: now(), isRetry });
    },
    allowsRetry() {
      forgetOld();
      const retries = requests.filter(({ isRetry }) => isRetry).length;
      return requests.length < FREE_REQUESTS || retries + 1 <= (requests.length + 1) * RETRY_SHARE;
    },
  };
}
