const WINDOW_MS = 60_000;
const MOST_FAILURES = 10;

/** Slows guessing down for the whole process: every client shares 127.0.0.1 (W-15). */
export interface FailureLimiter {
  count(): void;
  /** Whole seconds until the next attempt is heard; 0 when it is heard now. */
  secondsToWait(): number;
}

export function createFailureLimiter(now: () => number): FailureLimiter {
  let failuresMs: number[] = [];
  return {
    count: () => {
      failuresMs.push(now());
    },
    secondsToWait: () => {
      const nowMs = now();
      failuresMs = failuresMs.filter((failedAtMs) => nowMs - failedAtMs < WINDOW_MS);
      const oldestMs = failuresMs.at(-MOST_FAILURES);
      return oldestMs === undefined ? 0 : Math.max(1, Math.ceil((oldestMs + WINDOW_MS - nowMs) / 1000));
    },
  };
}
