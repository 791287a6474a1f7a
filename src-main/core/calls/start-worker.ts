import { Worker } from 'node:worker_threads';
import { AppError } from '../../common/contract/errors.ts';
import { findErrorCode } from '../../node/error-text.ts';
import type { Logger } from '../logging/logger.ts';
import { pairCalls, type CallByName } from './pair-calls.ts';

/** A thread that is in the middle of a long statement has this long to end. */
const END_MS = 3000;
/**
 * What a page leaves behind dies young: left to itself, the engine lets its nursery grow to twice a page's
 * size and more, for no speed.
 */
const YOUNG_GENERATION_MB = 32;

/** A running thread that serves calls. */
export interface RunningWorker<Started> {
  /** Resolves once the thread is ready; rejects when it could not start. */
  readonly started: Promise<Started>;
  readonly call: CallByName;
  /** Lets the thread end by itself, by force after `waitMs`; calls that are still open reject with `app.cancelled`. */
  end(waitMs?: number): Promise<void>;
}

/** What a thread is started with. */
interface WorkerStart {
  /** What the log and the system call it. */
  readonly name: string;
  readonly data: unknown;
  /** A thread that takes more memory is ended; as much as there is where it is left out. */
  readonly maxMemoryMb?: number;
  /** What the end of such a thread is to its callers; `app.bug` where it is left out. */
  toMemoryError?(error: Error): AppError;
}

/** Starts a thread and pairs its results with the calls. */
export function startWorker<Started>(
  script: URL,
  { name, data, maxMemoryMb, toMemoryError }: WorkerStart,
  logger: Logger,
): RunningWorker<Started> {
  const worker = new Worker(script, {
    workerData: data,
    name,
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      ...(maxMemoryMb === undefined ? {} : { maxOldGenerationSizeMb: maxMemoryMb }),
    },
  });
  const calls = pairCalls(
    (message, transfer) => worker.postMessage(message, transfer),
    (operation, trace) => logger.error('call of a thread failed', { operation, name, trace }),
  );
  worker.on('message', calls.receive);
  worker.on('error', (error: Error) => {
    logger.error('thread failed', { name, trace: error.stack });
    const isOutOfMemory = findErrorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY';
    const known = isOutOfMemory ? toMemoryError?.(error) : undefined;
    calls.endWith(known ?? new AppError('app.bug', 'A thread failed.', { name }, error));
  });
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      calls.endWith(new AppError('app.cancelled', 'The thread has ended.', { name }));
      resolve();
    });
  });
  return {
    started: calls.started as Promise<Started>,
    call: calls.call,
    async end(waitMs = END_MS) {
      calls.end();
      const force = setTimeout(() => void worker.terminate(), waitMs);
      await exited;
      clearTimeout(force);
    },
  };
}
