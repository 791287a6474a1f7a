import { startWorker, type RunningWorker } from '../../calls/start-worker.ts';
import type { Logger } from '../../logging/logger.ts';
import type { ThreadStart, ThreadStarted } from './thread-messages.ts';

/** A running thread of the cache. */
export interface RunningThread extends RunningWorker<ThreadStarted> {
  /** Closes the thread's file; a damaged one without writing to it. */
  close(isDamaged?: boolean): Promise<void>;
}

/** Starts one thread of the cache. */
export function startThread(script: URL, start: ThreadStart, logger: Logger): RunningThread {
  const worker = startWorker<ThreadStarted>(script, { name: `cache-${start.role}`, data: start }, logger);
  return {
    ...worker,
    async close(isDamaged = false) {
      await worker.call('close', isDamaged);
    },
  };
}
