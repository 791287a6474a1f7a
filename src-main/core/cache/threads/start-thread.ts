import { Worker } from 'node:worker_threads';
import { AppError } from '../../../common/contract/errors.ts';
import type { Logger } from '../../logging/logger.ts';
import { pairCalls, type CallByName } from '../../calls/pair-calls.ts';
import type { ThreadStart, ThreadStarted } from './thread-messages.ts';

/** A thread that is in the middle of a long statement has this long to end. */
const END_MS = 3000;
/**
 * What a page leaves behind dies young: left to itself, the engine lets its nursery grow to twice a page's
 * size and more, for no speed.
 */
const YOUNG_GENERATION_MB = 32;

/** A running thread of the cache. */
export interface RunningThread {
  /** Resolves once the thread is ready; rejects when it could not start. */
  readonly started: Promise<ThreadStarted>;
  readonly call: CallByName;
  /** Closes the thread's file; a damaged one without writing to it. */
  close(isDamaged?: boolean): Promise<void>;
  /** Lets the thread end by itself, by force after 3 s; calls that are still open reject with `app.cancelled`. */
  end(): Promise<void>;
}

/** Starts one thread and pairs its results with the calls. */
export function startThread(workerUrl: URL, start: ThreadStart, logger: Logger): RunningThread {
  const { role } = start;
  const worker = new Worker(workerUrl, {
    workerData: start,
    name: `cache-${role}`,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const calls = pairCalls(
    (message, transfer) => worker.postMessage(message, transfer),
    (operation, trace) => logger.error('cache.call-failed', { operation, role, trace }),
  );
  worker.on('message', calls.receive);
  worker.on('error', (error: Error) => {
    logger.error('cache.thread-failed', { role, trace: error.stack });
    calls.endWith(new AppError('app.bug', 'A thread of the cache failed.', {}, error));
  });
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      calls.endWith(new AppError('app.cancelled', 'The cache is closed.'));
      resolve();
    });
  });
  return {
    started: calls.started as Promise<ThreadStarted>,
    call: calls.call,
    async close(isDamaged = false) {
      await calls.call('close', isDamaged);
    },
    async end() {
      calls.end();
      const force = setTimeout(() => void worker.terminate(), END_MS);
      await exited;
      clearTimeout(force);
    },
  };
}
