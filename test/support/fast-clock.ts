import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src-main/core/client/retry.ts';

/** A clock that runs `speed` times as fast as the wall's, for waits that a test can't sit out. */
export function createFastClock(speed: number): Clock {
  const startedAtMs = Date.now();
  const startedTick = performance.now();
  return {
    now: () => Math.round(startedAtMs + (performance.now() - startedTick) * speed),
    sleep: async (ms, signal) => {
      await sleep(ms / speed, undefined, { signal });
    },
  };
}
