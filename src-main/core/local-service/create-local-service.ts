import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import { MAX_KEPT_REQUESTS } from '../../common/contract/operations/connections.ts';
import { LOCAL_CONNECTION_NAME } from '../../common/model/connections/connection.ts';
import type {
  ImportReport,
  RecordImport,
  ServiceRequest,
} from '../../common/model/connections/local-service.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../common/reporting/reports.ts';
import { makePrivateFolder } from '../../node/files.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Host, ImportFile } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { SettingsStore } from '../settings/create-settings.ts';
import { createThrottle, type TaskHandle, type TaskRegistry } from '../tasks/task-registry.ts';
import {
  createRestartPolicy,
  createServiceRunner,
  type ImportMessage,
  type ReadyService,
  RESTART_DELAYS_MS,
  type ServiceRunner,
  type ServiceThread,
} from './service-runner.ts';

const TENANT = 1001;
const PAGE_SIZE = 5_000;

interface LocalServiceOptions {
  readonly host: Pick<Host, 'dataFolder' | 'workers'>;
  readonly connections: ConnectionStore;
  readonly settings: SettingsStore;
  readonly tasks: TaskRegistry;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
  /** After the first, second … crash within five minutes. */
  readonly restartDelaysMs?: readonly number[];
}

interface LocalService {
  readonly runner: ServiceRunner;
  readonly imports: RecordImports;
  readonly requests: RequestRing;
  /** Folder of its records, which may not exist yet. */
  readonly folder: string;
}

/** The port of the last run; 0 where there was none. */
function findLastPort(connections: ConnectionStore): number {
  return Number(URL.parse(connections.findLocal()?.baseAddress ?? '')?.port ?? 0);
}

/** Runs the bundled service in its own thread and keeps its connection and credentials up to date. */
export function createLocalService(options: LocalServiceOptions): LocalService {
  const { host, connections, settings, emit, now } = options;
  const folder = join(host.dataFolder, 'local-service');
  const requests = createRequestRing((added) => emit('local-service/requests-served', added));
  const imports = createRecordImports({
    tasks: options.tasks,
    tell: (recordImport) => emit('local-service/import-changed', recordImport),
  });

  const saveConnection = async (ready: ReadyService): Promise<void> => {
    const known = connections.findLocal();
    const saved = await connections.save(
      known?.id ?? null,
      {
        name: known?.name ?? LOCAL_CONNECTION_NAME,
        baseAddress: ready.url,
        tenant: ready.tenant,
        serviceZone: known?.serviceZone ?? 'UTC',
        reportIdentifiers: known?.reportIdentifiers ?? { ...SPECIFIED_REPORT_IDENTIFIERS },
        pageSize: known?.pageSize ?? PAGE_SIZE,
        followed: known?.followed ?? settings.get().followLocalService,
      },
      { accessToken: ready.accessToken, accessTokenSecret: ready.accessTokenSecret },
      'local',
    );
    const lastConnectionId = settings.get().lastConnectionId ?? saved.id;
    await settings.update({ startLocalService: true, lastConnectionId });
  };
  const runner = createServiceRunner({
    script: host.workers.service,
    folder,
    tenant: TENANT,
    live: settings.get().localServiceLive,
    port: findLastPort(connections),
    policy: createRestartPolicy(now, options.restartDelaysMs ?? RESTART_DELAYS_MS),
    logger: options.logger,
    now,
    onChanged: (state) => {
      // One that crashed is started again: until then it is away, as any other service may be.
      connections.setLocalStopped(state.state === 'stopped' || state.state === 'failed');
      emit('local-service/changed', state);
    },
    onReady: saveConnection,
    onRequests: (answered) => requests.add(answered.requests),
    onImport: imports.hear,
    onStopping: imports.cancel,
    onGone: imports.abandon,
  });

  connections.setLocalStopped(true);

  return { runner, imports, requests, folder };
}

const EVENT_INTERVAL_MS = 100;

/** The last requests that the service handled. */
interface RequestRing {
  add(requests: readonly ServiceRequest[]): void;
  /** Oldest first. */
  read(): ServiceRequest[];
}

/** Keeps the last 200 requests and emits new ones at most ten times a second, never more than it keeps. */
function createRequestRing(tell: (requests: ServiceRequest[]) => void): RequestRing {
  let kept: readonly ServiceRequest[] = [];
  let untold = 0;
  const announce = createThrottle(EVENT_INTERVAL_MS, () => {
    const fresh = kept.slice(-untold);
    untold = 0;
    tell(fresh);
  });
  return {
    add: (requests) => {
      if (requests.length === 0) return;
      kept = [...kept, ...requests].slice(-MAX_KEPT_REQUESTS);
      untold = Math.min(kept.length, untold + requests.length);
      announce.request();
    },
    read: () => [...kept],
  };
}

/** A service that doesn't end a cancelled import in this time is not waited for. */
const MAX_CANCEL_MS = 10_000;

const EMPTY_REPORT: ImportReport = { lines: 0, added: 0, known: 0, rejected: 0, problems: [] };

type ImportEnd = Extract<ImportMessage, { kind: 'import-ended' }>;

/** Imports of records into the running service, one at a time. */
interface RecordImports {
  /** The running one, or the last one of this run. */
  current(): RecordImport | null;
  /** Starts an import and releases the file when it has ended. Throws `local-service.import-running`. */
  start(thread: Pick<ServiceThread, 'send'>, file: ImportFile): RecordImport;
  hear(message: ImportMessage): void;
  /** Cancels the running one, if any. */
  cancel(): void;
  /** The service has ended: so has the import. */
  abandon(error: AppError): void;
}

interface RunningImport {
  readonly importId: string;
  readonly task: TaskHandle;
  readonly ended: PromiseWithResolvers<ImportEnd>;
}

/** Runs imports as tasks and reports their progress at most ten times a second. */
function createRecordImports(options: {
  tasks: TaskRegistry;
  tell: (recordImport: RecordImport) => void;
}): RecordImports {
  let current: RecordImport | null = null;
  let running: RunningImport | null = null;
  const announce = createThrottle(EVENT_INTERVAL_MS, () => {
    if (current !== null) options.tell(current);
  });
  const change = (next: Partial<RecordImport>): void => {
    if (current === null) return;
    current = { ...current, ...next };
    announce.request();
  };
  const end = (state: RecordImport['state'], error: RecordImport['error'] = null): void => {
    change({ state, error });
    announce.flush();
  };

  const run = async (task: TaskHandle, thread: Pick<ServiceThread, 'send'>, path: string): Promise<void> => {
    const importId = randomUUID();
    const ended = Promise.withResolvers<ImportEnd>();
    running = { importId, task, ended };
    let limit: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      thread.send({ kind: 'cancel-import', importId });
      limit = setTimeout(() => ended.reject(toCancelled()), MAX_CANCEL_MS);
    };
    try {
      task.signal.throwIfAborted();
      task.signal.addEventListener('abort', cancel, { once: true });
      thread.send({ kind: 'import', importId, path });
      const { report, cancelled, failure, details } = await ended.promise;
      change({ report });
      if (failure !== null) {
        throw new AppError('local-service.import-failed', 'The rest of the file could not be read.', {
          reason: failure,
          ...details,
        });
      }
      if (cancelled) throw toCancelled();
      end('done');
    } catch (error) {
      const info = toErrorInfo(error);
      if (info.code === 'app.cancelled') end('cancelled');
      else end('failed', info);
      throw error;
    } finally {
      clearTimeout(limit);
      running = null;
    }
  };

  return {
    current: () => current,
    start: (thread, file) => {
      if (current?.state === 'running') {
        throw new AppError('local-service.import-running', 'An import is running already.');
      }
      const { id } = options.tasks.start({ kind: 'import' }, async (task) => {
        try {
          await run(task, thread, file.path);
        } finally {
          await file.release();
        }
      });
      current = {
        taskId: id,
        fileName: file.name,
        state: 'running',
        bytesRead: 0,
        totalBytes: 0,
        report: EMPTY_REPORT,
        error: null,
      };
      announce.request();
      return current;
    },
    hear: (message) => {
      if (running?.importId !== message.importId) return;
      if (message.kind === 'import-ended') {
        running.ended.resolve(message);
        return;
      }
      const { bytesRead, totalBytes, report } = message;
      running.task.progress(bytesRead, totalBytes);
      // Up to a thousand reasons, ten times a second, are nothing that the window could show.
      change({ bytesRead, totalBytes, report: { ...report, problems: [] } });
    },
    cancel: () => {
      if (running !== null) options.tasks.cancel(running.task.id);
    },
    abandon: (error) => running?.ended.reject(error),
  };
}

function toCancelled(): AppError {
  return new AppError('app.cancelled', 'The import was cancelled.');
}

/** The handlers of `local-service/…`. */
export function createLocalServiceHandlers(parts: {
  readonly host: Pick<Host, 'copyText' | 'revealFolder' | 'chooseImportFile'>;
  readonly connections: ConnectionStore;
  readonly settings: SettingsStore;
  readonly localService: LocalService;
}): HandlersOf<'local-service'> {
  const { host, connections, settings } = parts;
  const { runner, imports, requests, folder } = parts.localService;

  const refuseSecondImport = (): void => {
    if (imports.current()?.state === 'running') {
      throw new AppError('local-service.import-running', 'An import is running already.');
    }
  };

  return {
    'local-service/get-state': () => runner.state,
    'local-service/start': async () => {
      await runner.start();
      // It may have been removed while the service was running.
      if (connections.findLocal() === undefined) await runner.restart();
      const connection = (await connections.list()).find(({ kind }) => kind === 'local');
      if (connection === undefined) throw new AppError('connections.not-found', 'No local connection.');
      return { state: runner.state, connection };
    },
    'local-service/stop': async () => {
      await settings.update({ startLocalService: false });
      await runner.stop();
      return runner.state;
    },
    'local-service/restart': async () => {
      await runner.restart();
      return runner.state;
    },
    'local-service/set-live': async ({ live }) => {
      await settings.update({ localServiceLive: live });
      // The setting's change may have told it already.
      if (runner.state.live !== live) runner.setLive(live);
      return runner.state;
    },
    'local-service/set-simulation': (simulation) => {
      runner.setSimulation(simulation);
      return runner.state;
    },
    'local-service/set-quirks': async ({ quirks }) => {
      await runner.setQuirks(quirks);
      return runner.state;
    },
    'local-service/read-requests': () => requests.read(),
    'local-service/copy-credential': async ({ name }) => {
      const local = connections.findLocal();
      if (local === undefined) throw new AppError('connections.not-found', 'No local connection.');
      const text = (await connections.readSecrets(local.id))[name];
      // Secrets go one way, also here, wherever the host has a clipboard. A browser's clipboard is the page's own:
      // there, the page is given this one credential because the user pressed the button for it. It opens nothing
      // but the sample service of this computer, whose every record the same session may read anyway.
      return { text: (await host.copyText(text)) ? null : text };
    },
    'local-service/reveal-folder': async () => {
      makePrivateFolder(folder);
      return { isShown: await host.revealFolder(folder) };
    },
    'local-service/start-import': async ({ uploadId }) => {
      runner.requireThread();
      refuseSecondImport();
      const file = await host.chooseImportFile(uploadId);
      if (file === null) {
        if (uploadId === null) return null;
        throw new AppError('local-service.upload-gone', 'There is no such upload.');
      }
      try {
        return imports.start(runner.requireThread(), file);
      } catch (error) {
        await file.release();
        throw error;
      }
    },
    'local-service/get-import': () => imports.current(),
  };
}
