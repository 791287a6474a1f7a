import { AppError } from '../../common/contract/errors.ts';

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
