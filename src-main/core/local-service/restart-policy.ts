import { MINUTE_MS } from '../../common/time/durations.ts';

const WINDOW_MS = 5 * MINUTE_MS;

/** Milliseconds to wait after the first and the second crash within five minutes; after a third it isn't restarted. */
export const RESTART_DELAYS_MS: readonly number[] = [1_000, 5_000];

/** Decides whether a service that ended unexpectedly is started again. */
export interface RestartPolicy {
  /** Counts a crash; returns milliseconds until the next start, or null when there is none. */
  countCrash(): number | null;
  /** The user started it: earlier crashes no longer count. */
  forget(): void;
}

/** A service that keeps crashing must not keep the computer busy for ever. */
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
