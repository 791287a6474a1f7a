import { Worker } from 'node:worker_threads';
import { AppError } from '../../common/contract/errors.ts';
import type {
  FromServiceThread,
  ServiceStartOptions,
  ToServiceThread,
} from '../../common/local-service-messages.ts';

/** A thread that has not ended this long after it was asked is ended by force; its store survives that. */
const STOP_LIMIT_MS = 8_000;

export type ReadyService = Extract<FromServiceThread, { kind: 'ready' }>;
type Stats = Omit<Extract<FromServiceThread, { kind: 'stats' }>, 'kind'>;

/** The running thread of the bundled service. */
export interface ServiceThread {
  /** Rejects with `local-service.start-failed`. */
  readonly ready: Promise<ReadyService>;
  setLive(live: boolean): void;
  stop(): Promise<void>;
}

/** Starts the bundled service in a thread of its own, so that neither its work nor its crash reaches the window. */
export function startServiceThread(options: {
  script: URL;
  workerData: ServiceStartOptions;
  onStats(stats: Stats): void;
  /** `expected` is false when nobody asked it to end. */
  onEnded(expected: boolean): void;
}): ServiceThread {
  const worker = new Worker(options.script, { workerData: options.workerData, name: 'local-service' });
  const send = (message: ToServiceThread): void => worker.postMessage(message);
  const { promise: ready, resolve, reject } = Promise.withResolvers<ReadyService>();
  ready.catch(() => undefined);
  let stopping = false;
  let isReady = false;
  const fail = (message: string, cause?: unknown): void =>
    reject(
      new AppError(
        'local-service.start-failed',
        'The local service did not start.',
        { reason: message },
        cause,
      ),
    );

  worker.on('message', (message: FromServiceThread) => {
    if (message.kind === 'ready') {
      isReady = true;
      resolve(message);
    } else if (message.kind === 'stats') {
      const { inboundRecords, outboundRecords, storeBytes } = message;
      options.onStats({ inboundRecords, outboundRecords, storeBytes });
    } else if (message.kind === 'failed') {
      stopping = true;
      fail(message.message);
    }
  });
  worker.on('error', (error: Error) => fail(error.message, error));
  const exited = new Promise<void>((resolveExit) => {
    worker.on('exit', () => {
      fail('The thread ended.');
      options.onEnded(stopping || !isReady);
      resolveExit();
    });
  });

  return {
    ready,
    setLive: (live) => send({ kind: 'set-live', live }),
    stop: async () => {
      stopping = true;
      send({ kind: 'stop' });
      const limit = setTimeout(() => void worker.terminate(), STOP_LIMIT_MS);
      await exited.finally(() => clearTimeout(limit));
    },
  };
}
