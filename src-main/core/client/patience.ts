import { AppError } from '../../common/contract/errors.ts';
import type { Circuit } from './circuit.ts';
import type { RetryBudget } from './retry-budget.ts';
import { isRetryableRead, isUnsent, toDelayMs, type RetryOptions } from './retry.ts';

interface PatienceOptions extends Omit<RetryOptions, 'budget' | 'isRetryable'> {
  /** How long the service may stay away, in milliseconds; 0 for a caller who wants to know at once. */
  readonly patienceMs: number;
  readonly budget: RetryBudget;
  readonly circuit: Circuit;
}

/** Rounds continue the back-off where the three quick tries ended. */
const FIRST_ROUND = 4;
/** Also a service that allows to ask again at once is not asked without end. */
const SHORTEST_WAIT_MS = 1000;
const AWAY_STATUSES = new Set([429, 502, 503, 504]);

/**
 * Outlasts a service that is away, such as during a restart or without a network: repeats a whole call until
 * `patienceMs` are over, never while the circuit is open or the retry budget is spent. Faults of the page
 * itself (a 500, a cut body) are not waited for, as another page size may help sooner. Rejects with the last
 * AppError, at once when aborted.
 */
export async function bePatient<T>(
  run: (isRetry: boolean) => Promise<T>,
  options: PatienceOptions,
): Promise<T> {
  const { patienceMs, clock, random, circuit, budget, signal, onRetry } = options;
  // Summed up rather than read off the clock, which may be set or sleep meanwhile.
  let waitedMs = 0;
  let last: AppError | null = null;
  for (let round = FIRST_ROUND; ; round += 1) {
    try {
      return await run(round > FIRST_ROUND);
    } catch (error) {
      if (!(error instanceof AppError) || patienceMs === 0) throw error;
      const isRefusedHere = error.code === 'client.circuit-open';
      const isSpent = isRetryableRead(error) && budget.readWaitMs() > 0;
      if (!isRefusedHere && !isAway(error) && !isSpent) throw error;
      if (!isRefusedHere) last = error;
      const waits = [toDelayMs(error, round, random), circuit.readWaitMs(), budget.readWaitMs()];
      const delayMs = Math.max(SHORTEST_WAIT_MS, ...waits);
      waitedMs += delayMs;
      if (waitedMs > patienceMs) throw last ?? error;
      onRetry?.(clock.now() + delayMs);
      await clock.sleep(delayMs, signal).catch((cause: unknown) => {
        throw new AppError('app.cancelled', 'The call was cancelled.', {}, cause);
      });
    }
  }
}

function isAway(error: AppError): boolean {
  const { status, kind } = error.details;
  if (typeof status === 'number') return AWAY_STATUSES.has(status) && isRetryableRead(error);
  return error.code === 'client.unreachable' || isUnsent(error) || kind === 'connect';
}
