import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../common/contract/errors.ts';
import type {
  FromServiceThread,
  ServiceStartOptions,
  ToServiceThread,
} from '../common/local-service-messages.ts';
import { DEFAULT_SERVICE_OPTIONS } from './service-options.ts';
import { startService, type RunningService } from './start-service.ts';

const STATS_EVERY_MS = 2_000;

if (parentPort === null) throw new Error('This file is the entry of a worker thread.');
const port = parentPort;

function post(message: FromServiceThread): void {
  port.postMessage(message);
}

function describeFailure(error: unknown): string {
  if (!(error instanceof AppError)) return 'The reporting service could not be started.';
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

function run(service: RunningService): void {
  const { url, tenant, accessToken, accessTokenSecret } = service;
  post({ kind: 'ready', url, tenant, accessToken, accessTokenSecret });
  const postStats = (): void => {
    post({ kind: 'stats', ...service.readStats() });
  };
  postStats();
  const timer = setInterval(postStats, STATS_EVERY_MS);
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await service.stop();
    post({ kind: 'stopped' });
    port.close();
  };
  port.on('message', (message: ToServiceThread) => {
    if (message.kind === 'set-live') {
      service.setLive(message.live);
    } else if (message.kind === 'stop') {
      port.removeAllListeners('message');
      // A stop that fails must end the thread with an error rather than leave it half open.
      void stop();
    }
  });
}

try {
  const options = workerData as ServiceStartOptions;
  run(
    await startService(
      { ...DEFAULT_SERVICE_OPTIONS, ...options },
      {
        now: Date.now,
        elapsedMs: () => performance.now(),
        reportError: (error) => {
          // The application keeps the thread's standard error as its log; a disk that is full ends up there.
          process.stderr.write(`reporting service: ${error instanceof Error ? error.message : 'error'}\n`);
        },
      },
    ),
  );
} catch (error) {
  post({ kind: 'failed', message: describeFailure(error) });
  port.close();
}
