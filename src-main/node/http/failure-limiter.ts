export const FAILURE_WINDOW_MS = 60_000;
export const MAX_FAILURES = 10;
const MAX_ADDRESSES = 5_000;

/** Slows down guessing of secrets: ten failures in a minute make an address wait (decision 24). */
export interface FailureLimiter {
  add(address: string): void;
  /** Whole seconds until this address may try again; 0 when it may now. */
  getWaitSeconds(address: string): number;
}

/** Counts failures by address, for 5,000 addresses at most. `now` is in milliseconds. */
export function createFailureLimiter(now: () => number): FailureLimiter {
  const failures = new Map<string, number[]>();
  const listRecent = (address: string): number[] => {
    const sinceMs = now() - FAILURE_WINDOW_MS;
    return (failures.get(address) ?? []).filter((atMs) => atMs > sinceMs);
  };
  return {
    add: (address) => {
      const recent = listRecent(address);
      failures.delete(address);
      failures.set(address, [...recent, now()].slice(-MAX_FAILURES));
      const oldest = failures.keys().next();
      if (failures.size > MAX_ADDRESSES && oldest.done !== true) failures.delete(oldest.value);
    },
    getWaitSeconds: (address) => toWaitSeconds(listRecent(address), now()),
  };
}

/** Whole seconds to wait after these failures, oldest first, all within the window; 0 for fewer than `maxFailures`. */
export function toWaitSeconds(
  recentMs: readonly number[],
  nowMs: number,
  maxFailures = MAX_FAILURES,
): number {
  const first = recentMs.at(-maxFailures);
  if (first === undefined) return 0;
  return Math.max(1, Math.ceil((first + FAILURE_WINDOW_MS - nowMs) / 1000));
}
