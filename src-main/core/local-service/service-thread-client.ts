import { Worker } from 'node:worker_threads';
import { AppError } from '../../common/contract/errors.ts';
import type {
  FromServiceThread,
  ServiceStartOptions,
  ToServiceThread,
} from '../../common/local-service-messages.ts';

/** A thread that has not ended this long after it was asked to is terminated; its store survives that. */
const MAX_STOP_MS = 8_000;

type Told<Kind extends FromServiceThread['kind']> = Extract<FromServiceThread, { kind: Kind }>;
export type ReadyService = Told<'ready'>;
export type ServiceStats = Told<'stats'>;
export type AnsweredRequests = Told<'requests'>;
export type ImportMessage = Told<'import-progressed'> | Told<'import-ended'>;

/** The running thread of the bundled service. */
export interface ServiceThread {
  /** Rejects with `local-service.start-failed`. */
  readonly ready: Promise<ReadyService>;
  hasEnded(): boolean;
  send(message: Exclude<ToServiceThread, { kind: 'stop' }>): void;
  /** Asks it to end, and terminates it when it doesn't. */
  stop(): Promise<void>;
}

/** Starts the bundled service in a thread of its own, so that neither its work nor its crash reaches the window. */
export function startServiceThread(options: {
  script: URL;
  workerData: ServiceStartOptions;
  onStats(stats: ServiceStats): void;
  onRequests(answered: AnsweredRequests): void;
  onImport(message: ImportMessage): void;
  /** Once it was ready: `cause` is null when it was asked to end, else what ended it. */
  onEnded(cause: Error | null): void;
}): ServiceThread {
  const worker = new Worker(options.script, {
    workerData: options.workerData,
    name: 'local-service',
    // Without it the young generation grows to 128 MB for what the first fill needs for a moment.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
  });
  const send = (message: ToServiceThread): void => worker.postMessage(message);
  const { promise: ready, resolve, reject } = Promise.withResolvers<ReadyService>();
  ready.catch(() => undefined);
  let isStopping = false;
  let isReady = false;
  let isOver = false;
  let cause: Error | null = null;
  const fail = (reason: string): void =>
    reject(new AppError('local-service.start-failed', 'The local service did not start.', { reason }, cause));

  worker.on('message', (message: FromServiceThread) => {
    switch (message.kind) {
      case 'ready':
        isReady = true;
        resolve(message);
        return;
      case 'stats':
        options.onStats(message);
        return;
      case 'requests':
        options.onRequests(message);
        return;
      case 'import-progressed':
      case 'import-ended':
        options.onImport(message);
        return;
      case 'failed':
        fail(message.message);
        return;
      case 'stopped':
    }
  });
  worker.on('error', (error: Error) => {
    cause = error;
    fail(error.message);
  });
  const exited = new Promise<void>((resolveExit) => {
    worker.on('exit', (code) => {
      isOver = true;
      fail('The thread ended.');
      if (isReady) options.onEnded(isStopping ? null : (cause ?? new Error(`Exit code ${String(code)}.`)));
      resolveExit();
    });
  });

  return {
    ready,
    hasEnded: () => isOver,
    send,
    stop: async () => {
      isStopping = true;
      send({ kind: 'stop' });
      const limit = setTimeout(() => void worker.terminate(), MAX_STOP_MS);
      await exited.finally(() => clearTimeout(limit));
    },
  };
}
