import { AppError } from '../common/contract/errors.ts';

const MAX_WAITING_CALLS = 1000;

/** Lets a few calls through at a time; the others wait in order. */
export type Gate = <T>(run: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * A gate for at most `limit` calls at once. A call whose signal aborts leaves the queue at once; with a
 * thousand calls waiting before it, it rejects with AppError `client.queue-full`.
 */
export function createGate(limit: number): Gate {
  let active = 0;
  const waiting: (() => void)[] = [];
  const enter = async (signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted();
    if (active < limit) {
      active += 1;
      return;
    }
    if (waiting.length >= MAX_WAITING_CALLS) {
      throw new AppError('client.queue-full', 'Too many calls are waiting.', { limit: MAX_WAITING_CALLS });
    }
    await new Promise<void>((resolve, reject) => {
      const admit = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(admit), 1);
        reject(signal?.reason as Error);
      };
      waiting.push(admit);
      signal?.addEventListener('abort', leave, { once: true });
    });
  };
  return async (run, signal) => {
    await enter(signal);
    try {
      return await run();
    } finally {
      // A place is handed over, not freed, so that no later call overtakes the queue.
      const next = waiting.shift();
      if (next === undefined) active -= 1;
      else next();
    }
  };
}

/** Runs work one after the other, whether what was before succeeded or not. */
export function createWorkQueue(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  };
}
