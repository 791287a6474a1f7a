import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../common/contract/errors.ts';
import type {
  FromServiceThread,
  ServiceStartOptions,
  ToServiceThread,
} from '../common/local-service-messages.ts';
import { toErrorText, toErrorTextWithCause } from '../node/error-text.ts';
import { DEFAULT_SERVICE_OPTIONS } from './service-options.ts';
import { startService, type RunningService } from './start-service.ts';
import type { ImportOutcome, ImportRequest } from './import/import-file.ts';
import type { ServiceRequest } from '../common/model/connections/local-service.ts';
import type { RequestLogEntry } from './http/harden-service.ts';

const SEND_EVERY_MS = 500;
const MAX_AT_ONCE = 200;

/** Gathers the requests that were responded to. */
interface RequestBatcher {
  add(entry: RequestLogEntry): void;
  /** Passes on what is left. */
  stop(): void;
}

/** Imports that the application requests, by its own identifiers. */
interface ThreadImports {
  start(importId: string, path: string): Promise<void>;
  /** Does nothing for an import that has ended. */
  cancel(importId: string): void;
}

const STATS_EVERY_MS = 2_000;

if (parentPort === null) throw new Error('This file is the entry of a worker thread.');
const port = parentPort;

function post(message: FromServiceThread): void {
  port.postMessage(message);
}

function describeFailure(error: unknown): string {
  if (!(error instanceof AppError)) return 'The reporting service could not be started.';
  return toErrorTextWithCause(error);
}

function run(service: RunningService, requests: RequestBatcher): void {
  const { url, tenant, accessToken, accessTokenSecret } = service;
  post({ kind: 'ready', url, tenant, accessToken, accessTokenSecret });
  // A store that can't be read at the moment is tried again; the requests report why.
  const postStats = (): Promise<void> =>
    service.readSize().then(
      ({ bytes, ...records }) => {
        post({ kind: 'stats', ...records, storeBytes: bytes });
      },
      () => undefined,
    );
  void postStats();
  const timer = setInterval(() => void postStats(), STATS_EVERY_MS);
  const imports = createThreadImports(service.importFile, post);
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await service.stop();
    requests.stop();
    post({ kind: 'stopped' });
    port.close();
  };
  port.on('message', (message: ToServiceThread) => {
    switch (message.kind) {
      case 'set-live':
        service.setLive(message.live);
        return;
      case 'set-simulation':
        service.setSimulation(message.simulation);
        return;
      case 'import':
        void imports.start(message.importId, message.path);
        return;
      case 'cancel-import':
        imports.cancel(message.importId);
        return;
      case 'stop':
        port.removeAllListeners('message');
        // A stop that fails must end the thread with an error rather than leave it half open.
        void stop();
    }
  });
}

// The thread still ends with the error itself; this passes the reason on to those who only see messages.
process.on('uncaughtExceptionMonitor', (error) => {
  post({ kind: 'failed', message: `The reporting service met an error and ended (${error.message}).` });
});

const requests = createRequestBatcher((batch) => {
  post({ kind: 'requests', requests: batch });
});
try {
  const options = workerData as ServiceStartOptions;
  const service = await startService(
    // Any user of this computer can reach its port.
    { ...DEFAULT_SERVICE_OPTIONS, ...options, requireToken: true },
    {
      now: Date.now,
      elapsedMs: () => performance.now(),
      logRequest: (entry) => {
        requests.add(entry);
      },
      reportError: (error) => {
        // Goes to the standard error of the application, as nothing of it belongs in a response.
        process.stderr.write(`reporting service: ${toErrorText(error)}\n`);
      },
    },
  );
  run(service, requests);
} catch (error) {
  requests.stop();
  post({ kind: 'failed', message: describeFailure(error) });
  port.close();
}

/** Creates the imports of a service thread; `post` sends their progress and outcomes to the application. */
function createThreadImports(
  importFile: (request: ImportRequest) => Promise<ImportOutcome>,
  post: (message: FromServiceThread) => void,
): ThreadImports {
  const running = new Map<string, AbortController>();
  return {
    start: async (importId, path) => {
      const abort = new AbortController();
      running.set(importId, abort);
      const outcome = await importFile({
        path,
        stated: null,
        signal: abort.signal,
        onProgress: (progress) => {
          post({ kind: 'import-progressed', importId, ...progress });
        },
      });
      running.delete(importId);
      post({ kind: 'import-ended', importId, ...outcome });
    },
    cancel: (importId) => {
      running.get(importId)?.abort();
    },
  };
}

/** Calls `send` with the newest requests, oldest first, at most every 500 ms. */
function createRequestBatcher(send: (requests: readonly ServiceRequest[]) => void): RequestBatcher {
  let requests: ServiceRequest[] = [];
  const flush = (): void => {
    if (requests.length === 0) return;
    send(requests.slice(-MAX_AT_ONCE));
    requests = [];
  };
  const timer = setInterval(flush, SEND_EVERY_MS);
  return {
    add: ({ at, method, route, report, status, durationMs }) => {
      requests.push({ atMs: Date.parse(at), method, route, report, status, durationMs });
      if (requests.length >= 2 * MAX_AT_ONCE) requests = requests.slice(-MAX_AT_ONCE);
    },
    stop: () => {
      clearInterval(timer);
      flush();
    },
  };
}
