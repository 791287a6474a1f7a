import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientClock } from '../../../src-main/core/client/retry.ts';

/** A clock whose waits are over at once; its time goes on by what was waited, and can be set. */
export interface SkipClock extends ClientClock {
  readonly waitedMs: readonly number[];
  jump(ms: number): void;
}

export function createSkipClock(): SkipClock {
  const waitedMs: number[] = [];
  let skippedMs = 0;
  return {
    waitedMs,
    now: () => Date.now() + skippedMs,
    jump: (ms) => void (skippedMs += ms),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      waitedMs.push(ms);
      skippedMs += ms;
      // Others have their turn, as they would while time passes.
      await sleep(1, undefined, { signal });
    },
  };
}
