import { setTimeout as wait } from 'node:timers/promises';

/** Time as downloads need it; tests pass their own. */
export interface DownloadClock {
  now(): number;
  /** Rejects at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** A wait is checked this often, since timers stand still while the machine sleeps. */
const LOOK_MS = 5_000;
/** The clock was moved, or the machine slept, when it went this much further than the wait. */
const JUMP_MS = 10_000;

/** The computer's clock. */
export function createDownloadClock(now: () => number): DownloadClock {
  return {
    now,
    wait: async (ms, signal) => {
      await wait(ms, undefined, { signal });
    },
  };
}

/** Waits until the time is over, or the machine woke up meanwhile: then `woke`, for a network that is likely back. */
export async function sleepAwake(
  clock: DownloadClock,
  ms: number,
  signal: AbortSignal,
): Promise<'over' | 'woke'> {
  for (let left = ms; left > 0; left -= LOOK_MS) {
    const piece = Math.min(left, LOOK_MS);
    const before = clock.now();
    await clock.wait(piece, signal);
    if (Math.abs(clock.now() - before - piece) > JUMP_MS) return 'woke';
  }
  return 'over';
}
