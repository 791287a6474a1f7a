const WINDOW_MS = 5 * 60_000;

/** Milliseconds to wait after the first and the second crash within five minutes; a third ends the trying. */
export const RESTART_DELAYS_MS: readonly number[] = [1_000, 5_000];

/** Decides whether a service that ended unexpectedly is started again. */
export interface RestartPolicy {
  /** Counts a crash; milliseconds until the next start, or null when it is not worth another one. */
  countCrash(): number | null;
  /** The person started it: what was before doesn't count. */
  forget(): void;
}

/** A service that crashes again and again must not keep the computer busy for ever. */
export function createRestartPolicy(now: () => number, delaysMs: readonly number[]): RestartPolicy {
  let crashesMs: number[] = [];
  return {
    countCrash: () => {
      const nowMs = now();
      crashesMs = [...crashesMs.filter((crashedAtMs) => nowMs - crashedAtMs < WINDOW_MS), nowMs];
      return delaysMs[crashesMs.length - 1] ?? null;
    },
    forget: () => {
      crashesMs = [];
    },
  };
}
