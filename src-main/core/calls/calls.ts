import { Worker } from 'node:worker_threads';
import { AppError, type ErrorInfo, toErrorInfo } from '../../common/contract/errors.ts';
import { findErrorCode } from '../../node/error-text.ts';
import type { Logger } from '../logging/logger.ts';

/** From the caller: a call, the cancellation of one, or the request that the other side ends when idle. */
export type ToServer =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly input: unknown }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'end' };

/** To the caller: progress of a call, its result, or its failure; `trace` is for the log. Call 0 is the start. */
export type FromServer =
  | { readonly kind: 'progress'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: ErrorInfo; readonly trace: string };

/** What an operation on the other side receives besides its input. */
export interface CallContext<Progress = never> {
  /** Aborts when the caller gave up. */
  readonly signal: AbortSignal;
  /** Lets other calls in between two bounded steps; throws AppError `app.cancelled` after a cancel. */
  pause(): Promise<void>;
  /** Reports to the caller before the result. */
  progress(value: Progress): void;
}

/** Operations of a thread or process by name. */
export type ServedOperations = Readonly<Record<string, (input: never, context: CallContext) => unknown>>;

export interface CallOptions<Progress = unknown> {
  /** Ends the call early with AppError `app.cancelled`. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (value: Progress) => void;
  /** Buffers that are moved to the other side; such a call can't be repeated. */
  readonly transfer?: ArrayBuffer[];
}

/** Calls an operation by its name. */
export type CallByName = (name: string, input: unknown, options?: CallOptions) => Promise<unknown>;

/** Calls over a port, paired with their results. */
interface PairedCalls {
  /** Resolves once the other side is ready; rejects when it could not start. */
  readonly started: Promise<unknown>;
  readonly call: CallByName;
  /** Takes a message of the other side. */
  receive(message: FromServer): void;
  /** Asks the other side to end once it is idle. */
  end(): void;
  /** Fails every call that is open, and all later ones. */
  endWith(error: AppError): void;
}

/** Codes of failures that no one expected. */
const UNEXPECTED: ReadonlySet<ErrorInfo['code']> = new Set(['app.bug', 'analysis.failed']);

interface PendingCall {
  readonly name: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: (value: unknown) => void;
}

/** Pairs calls with the results that come back. `onBug` sees failures that no one expected. */
export function pairCalls(
  post: (message: ToServer, transfer: ArrayBuffer[]) => void,
  onBug: (operation: string, trace: string) => void,
): PairedCalls {
  const pending = new Map<number, PendingCall>();
  let lastId = 0;
  let ended: AppError | null = null;

  const send = (message: ToServer, transfer: ArrayBuffer[] = []): void => {
    if (ended === null) post(message, transfer);
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
    started: expect(0, 'start'),
    async call(name, input, { signal, onProgress, transfer } = {}) {
      signal?.throwIfAborted();
      const id = ++lastId;
      const result = expect(id, name, onProgress);
      send({ kind: 'call', id, name, input }, transfer);
      const cancel = (): void => send({ kind: 'cancel', id });
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        return await result;
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
    receive(message) {
      const call = pending.get(message.id);
      if (message.kind === 'progress') return call?.onProgress(message.value);
      pending.delete(message.id);
      if (message.kind === 'result') return call?.resolve(message.value);
      if (UNEXPECTED.has(message.error.code)) onBug(call?.name ?? '', message.trace);
      call?.reject(toError(message.error));
    },
    end: () => send({ kind: 'end' }),
    endWith(error) {
      ended ??= error;
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    },
  };
}

function toError({ code, message, details }: ErrorInfo): AppError {
  return new AppError(code, message, details);
}

/** Settles as the promise does, but rejects with the signal's reason as soon as it aborts. */
export async function rejectOnAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The served end of a port between threads or processes. */
export interface ServerPort {
  postMessage(message: FromServer): void;
  onMessage(listener: (message: ToServer) => void): void;
  /** Lets the thread or process end. */
  close(): void;
}

/** What is served once the start is over. */
interface Served<Started> {
  readonly operations: ServedOperations;
  readonly started: Started;
  /** Sees the failure of every operation. */
  onFailure?(error: unknown): void;
  /** What an error is to the caller; AppErrors by themselves, anything else `app.bug`. */
  toAppError?(error: unknown): unknown;
}

/** Serves the calls that arrive at a port. What `start` throws fails call 0, and the port is closed. */
export async function serveCalls<Started>(
  port: ServerPort,
  start: () => Served<Started> | Promise<Served<Started>>,
): Promise<void> {
  const open = new Map<number, AbortController>();
  const early: ToServer[] = [];
  let served: Served<Started> | null = null;

  const fail = (id: number, thrown: unknown): void => {
    const error = served?.toAppError?.(thrown) ?? thrown;
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    port.postMessage({ kind: 'failure', id, error: toErrorInfo(error), trace });
  };
  const run = async (
    { operations, onFailure }: Served<Started>,
    id: number,
    name: string,
    input: unknown,
  ) => {
    const controller = new AbortController();
    open.set(id, controller);
    try {
      const operation = operations[name];
      if (operation === undefined) throw new Error(`There is no operation ${name}.`);
      const value = await operation(input as never, createContext(port, id, controller.signal));
      port.postMessage({ kind: 'result', id, value });
    } catch (error) {
      const isCancelled = controller.signal.aborted;
      if (!isCancelled) onFailure?.(error);
      fail(id, isCancelled ? new AppError('app.cancelled', 'The call was cancelled.', {}, error) : error);
    } finally {
      open.delete(id);
    }
  };
  const receive = (message: ToServer): void => {
    if (message.kind === 'end') port.close();
    else if (served === null) early.push(message);
    else if (message.kind === 'call') void run(served, message.id, message.name, message.input);
    else open.get(message.id)?.abort();
  };

  port.onMessage(receive);
  try {
    served = await start();
    port.postMessage({ kind: 'result', id: 0, value: served.started });
    early.forEach(receive);
  } catch (error) {
    fail(0, error);
    port.close();
  }
}

function createContext(port: ServerPort, id: number, signal: AbortSignal): CallContext<unknown> {
  return {
    signal,
    pause: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) throw new AppError('app.cancelled', 'The call was cancelled.');
    },
    progress: (value) => port.postMessage({ kind: 'progress', id, value }),
  };
}

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
