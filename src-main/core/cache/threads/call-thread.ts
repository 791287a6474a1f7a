import { Worker } from 'node:worker_threads';
import { AppError, type ErrorInfo } from '../../../common/contract/errors.ts';
import type { Logger } from '../../logging/logger.ts';
import type { FromThread, ThreadOperations, ThreadStart, ToThread } from './thread-messages.ts';

/** A thread that is in the middle of a long statement has this long to end. */
const END_MS = 3000;

interface Pending {
  readonly name: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly note: (value: unknown) => void;
}

type InputOf<Operations, Name extends keyof Operations> = Operations[Name] extends (
  input: infer Input,
  ...rest: never[]
) => unknown
  ? Input
  : never;
type AnswerOf<Operations, Name extends keyof Operations> = Operations[Name] extends (
  ...args: never[]
) => infer Answer
  ? Awaited<Answer>
  : never;

export interface CallOptions {
  readonly transfer?: ArrayBuffer[];
  readonly note?: (value: unknown) => void;
  readonly signal?: AbortSignal;
}

/** Calls of operations that run in a thread; they reject with AppErrors. */
export interface ThreadCalls<Operations extends ThreadOperations> {
  call<Name extends keyof Operations & string>(
    name: Name,
    input: InputOf<Operations, Name>,
    options?: CallOptions,
  ): Promise<AnswerOf<Operations, Name>>;
}

/** A running thread of the cache. */
export interface CalledThread<Operations extends ThreadOperations> extends ThreadCalls<Operations> {
  /** What the thread said once it was ready; rejects when it could not start. */
  readonly started: Promise<unknown>;
  /** Lets the thread end by itself, by force after 3 s; calls that are still open reject with `app.cancelled`. */
  end(): Promise<void>;
}

/**
 * What a page leaves behind dies young: left to itself, the engine lets its nursery grow to twice a page's
 * size and more, for no speed.
 */
const YOUNG_GENERATION_MB = 32;

/** Starts one thread and pairs its answers with the calls. */
export function startThread<Operations extends ThreadOperations>(
  workerUrl: URL,
  start: ThreadStart,
  logger: Logger,
): CalledThread<Operations> {
  const worker = new Worker(workerUrl, {
    workerData: start,
    name: `cache-${start.role}`,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let ended: AppError | null = null;

  const endWith = (error: AppError): void => {
    ended ??= error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  const settle = (message: Exclude<FromThread, { kind: 'note' }>): void => {
    const call = pending.get(message.id);
    pending.delete(message.id);
    if (message.kind === 'answer') return call?.resolve(message.value);
    if (message.error.code === 'app.bug') {
      logger.error('cache.call-failed', { operation: call?.name, role: start.role, trace: message.trace });
    }
    call?.reject(toError(message.error));
  };
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'note') pending.get(message.id)?.note(message.value);
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

  const post = (message: ToThread, transfer: ArrayBuffer[] = []): void =>
    worker.postMessage(message, transfer);
  const expect = (id: number, name: string, note: (value: unknown) => void): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (ended === null) pending.set(id, { name, resolve, reject, note });
      else reject(ended);
    });

  return {
    started: expect(0, 'start', () => undefined),
    async call(name, input, options = {}) {
      options.signal?.throwIfAborted();
      const id = ++lastId;
      const answer = expect(id, name, options.note ?? (() => undefined));
      if (ended === null) post({ kind: 'call', id, name, input }, options.transfer);
      const cancel = (): void => post({ kind: 'cancel', id });
      options.signal?.addEventListener('abort', cancel, { once: true });
      try {
        return (await answer) as AnswerOf<Operations, typeof name>;
      } finally {
        options.signal?.removeEventListener('abort', cancel);
      }
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
