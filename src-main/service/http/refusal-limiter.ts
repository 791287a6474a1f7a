import { createFailureLimiter } from '../../node/http/failure-limiter.ts';
import type { SharedRefusals } from '../store/shared-state.ts';

const MAX_KNOWN = 5_000;

/** Slows down guessing of credentials, by address (decision 24): ten refusals within a minute make it wait. */
export interface RefusalLimiter extends SharedRefusals {
  /** What this process knows without asking anyone, in whole seconds. */
  getKnownWaitSeconds(address: string): number;
}

/** Counts for this process alone. `elapsedMs` is a clock that never goes back. */
export function createOwnRefusalLimiter(elapsedMs: () => number): RefusalLimiter {
  const failures = createFailureLimiter(elapsedMs);
  return {
    getKnownWaitSeconds: failures.getWaitSeconds,
    readWaitSeconds: (address) => Promise.resolve(failures.getWaitSeconds(address)),
    add: (address) => {
      const waitSeconds = failures.getWaitSeconds(address);
      if (waitSeconds === 0) failures.add(address);
      return Promise.resolve(waitSeconds);
    },
  };
}

/** Counts together with other processes. An address that has to wait is remembered here until then. */
export function createSharedRefusalLimiter(
  refusals: SharedRefusals,
  elapsedMs: () => number,
): RefusalLimiter {
  const untilMs = new Map<string, number>();
  const remember = (address: string, waitSeconds: number): number => {
    untilMs.delete(address);
    if (waitSeconds > 0) untilMs.set(address, elapsedMs() + waitSeconds * 1000);
    const oldest = untilMs.keys().next();
    if (untilMs.size > MAX_KNOWN && oldest.done !== true) untilMs.delete(oldest.value);
    return waitSeconds;
  };
  return {
    getKnownWaitSeconds: (address) =>
      Math.max(0, Math.ceil(((untilMs.get(address) ?? 0) - elapsedMs()) / 1000)),
    readWaitSeconds: async (address) => remember(address, await refusals.readWaitSeconds(address)),
    add: async (address) => remember(address, await refusals.add(address)),
  };
}
