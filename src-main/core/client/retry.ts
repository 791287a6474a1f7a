import { AppError } from '../../common/contract/errors.ts';
import type { Timeouts } from './reporting-client.ts';

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
function isRetryableRead(error: AppError): boolean {
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
function isPutOff(error: AppError): boolean {
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

const MAX_FAILURES = 5;
const REST_MS = 30_000;
/** How long other calls wait for the outcome of the trial before they look again. */
const TRIAL_LOOK_MS = 1000;

/** How an attempt ended; `neutral` shows nothing about the service, such as a cancelled call. */
export type Outcome = 'responded' | 'failed' | 'neutral';

/** Keeps calls away from a service that fails repeatedly. */
export interface Circuit {
  /**
   * Admits one attempt, and returns the function to call with its outcome and the code of a failure. Throws AppError
   * `client.circuit-open` (details `retryAfterMs`, and `reason`, the code of the last failure).
   */
  enter(): (outcome: Outcome, reason?: string) => void;
}

/**
 * A circuit breaker: five failures in a row open it for 30 s, then one attempt is let through as a trial.
 * A response closes it, a failure opens it for another 30 s.
 */
export function createCircuit(now: () => number): Circuit {
  let failures = 0;
  let openedAtMs: number | null = null;
  let isTrialUnderWay = false;
  let lastReason = '';

  const readWaitMs = (): number => {
    if (openedAtMs === null) return 0;
    const passedMs = now() - openedAtMs;
    // A clock that was set back must not make the pause longer.
    if (passedMs >= 0 && passedMs < REST_MS) return REST_MS - passedMs;
    return isTrialUnderWay ? TRIAL_LOOK_MS : 0;
  };
  return {
    enter() {
      const retryAfterMs = readWaitMs();
      if (retryAfterMs > 0) {
        const details = { retryAfterMs, reason: lastReason };
        throw new AppError('client.circuit-open', 'Calls rest after repeated failures.', details);
      }
      const isTrial = openedAtMs !== null;
      if (isTrial) isTrialUnderWay = true;
      return (outcome, reason = '') => {
        if (isTrial) isTrialUnderWay = false;
        if (outcome === 'neutral') return;
        if (outcome === 'responded') {
          failures = 0;
          openedAtMs = null;
          return;
        }
        failures += 1;
        lastReason = reason;
        if (failures >= MAX_FAILURES) openedAtMs = now();
      };
    },
  };
}

export type EndpointName = 'create-token' | 'status' | 'report';

/** How calls of one kind are made. All are POST, and all but CreateToken carry the token. */
interface Endpoint {
  readonly timeouts: Timeouts;
  /** Most decoded bytes of a response. */
  readonly limitBytes: number;
  readonly isRetryable: (error: AppError) => boolean;
}

const SHORT_TIMEOUTS: Timeouts = { headersMs: 15_000, idleMs: 10_000, totalMs: 30_000 };
const REPORT_TIMEOUTS: Timeouts = { headersMs: 60_000, idleMs: 30_000, totalMs: 600_000 };
const MAX_SHORT_BYTES = 1024 * 1024;
const MAX_PAGE_BYTES = 256 * 1024 * 1024;

/** The operations of the specification, section Endpoints; the size of a page is limited by decision 7. */
export const ENDPOINTS: Readonly<Record<EndpointName, Endpoint>> = {
  // Repeated only where nothing was sent or the service named a pause: attempts in a loop could lock the account.
  'create-token': {
    timeouts: SHORT_TIMEOUTS,
    limitBytes: MAX_SHORT_BYTES,
    isRetryable: (error) => isUnsent(error) || isPutOff(error),
  },
  status: { timeouts: SHORT_TIMEOUTS, limitBytes: MAX_SHORT_BYTES, isRetryable: isRetryableRead },
  report: { timeouts: REPORT_TIMEOUTS, limitBytes: MAX_PAGE_BYTES, isRetryable: isRetryableRead },
};
