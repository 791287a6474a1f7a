import { setTimeout as delay } from 'node:timers/promises';

/** Waits without keeping anything else from running. */
export async function wait(ms: number): Promise<void> {
  await delay(ms);
}

/** Blocks the calling thread: only for one that has nothing else to do until the wait is over. */
export function waitSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
