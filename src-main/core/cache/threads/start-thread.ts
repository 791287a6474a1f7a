import { Worker } from 'node:worker_threads';
import { AppError, type ErrorInfo } from '../../../common/contract/errors.ts';
import type { Logger } from '../../logging/logger.ts';
import type { CallByName } from './thread-calls.ts';
import type { FromThread, ThreadStart, ThreadStarted, ToThread } from './thread-messages.ts';

/** A thread that is in the middle of a long statement has this long to end. */
const END_MS = 3000;
/**
 * What a page leaves behind dies young: left to itself, the engine lets its nursery grow to twice a page's
 * size and more, for no speed.
 */
const YOUNG_GENERATION_MB = 32;

interface PendingCall {
  readonly name: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: (value: unknown) => void;
}

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
  const worker = new Worker(workerUrl, {
    workerData: start,
    name: `cache-${start.role}`,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const pending = new Map<number, PendingCall>();
  let lastId = 0;
  let ended: AppError | null = null;

  const endWith = (error: AppError): void => {
    ended ??= error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  const settle = (message: Exclude<FromThread, { kind: 'progress' }>): void => {
    const call = pending.get(message.id);
    pending.delete(message.id);
    if (message.kind === 'result') return call?.resolve(message.value);
    if (message.error.code === 'app.bug') {
      logger.error('cache.call-failed', { operation: call?.name, role: start.role, trace: message.trace });
    }
    call?.reject(toError(message.error));
  };
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'progress') pending.get(message.id)?.onProgress(message.value);
    else settle(message);
  });
  worker.on('error', (error: Error) => {
    logger.error('cache.thread-failed', { role: start.role, trace: error.stack });
    endWith(new AppError('app.bug', 'A thread of the cache failed.', {}, error));
  });
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      endWith(new AppError('app.cancelled', 'The cache is closed.'));
      resolve();
    });
  });

  const post = (message: ToThread, transfer: ArrayBuffer[] = []): void => {
    if (ended === null) worker.postMessage(message, transfer);
  };
  const expect = (
    id: number,
    name: string,
    onProgress: (value: unknown) => void = () => undefined,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (ended === null) pending.set(id, { name, resolve, reject, onProgress });
      else reject(ended);
    });

  return {
    started: expect(0, 'start') as Promise<ThreadStarted>,
    async call(name, input, { signal, onProgress, transfer } = {}) {
      signal?.throwIfAborted();
      const id = ++lastId;
      const result = expect(id, name, onProgress);
      post({ kind: 'call', id, name, input }, transfer);
      const cancel = (): void => post({ kind: 'cancel', id });
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        return await result;
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
    async close(isDamaged = false) {
      const id = ++lastId;
      const result = expect(id, 'close');
      post({ kind: 'close', id, isDamaged });
      await result;
    },
    async end() {
      post({ kind: 'end' });
      const force = setTimeout(() => void worker.terminate(), END_MS);
      await exited;
      clearTimeout(force);
    },
  };
}

function toError(info: ErrorInfo): AppError {
  return new AppError(info.code, info.message, info.details);
}
