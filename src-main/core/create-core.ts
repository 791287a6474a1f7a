import { join } from 'node:path';
import { toErrorInfo } from '../common/contract/errors.ts';
import { OPERATIONS, type Emit, type EventName, type Handlers } from '../common/contract/index.ts';
import { makePrivateFolder } from '../node/private-files.ts';
import { createAppHandlers } from './app/app-handlers.ts';
import { createCacheHandlers } from './cache/cache-handlers.ts';
import { createOverviewHandlers } from './overview/overview-handlers.ts';
import { createRecordsHandlers } from './records/records-handlers.ts';
import { createSummariesHandlers } from './summaries/summaries-handlers.ts';
import { createHousekeeping } from './snapshots/housekeeping.ts';
import { openCache } from './cache/open-cache.ts';
import { resumeAfterFullDisk } from './downloads/resume-after-full-disk.ts';
import { createSnapshotsHandlers } from './snapshots/snapshots-handlers.ts';
import { readFreeBytes } from './cache/file/storage-size.ts';
import { createReportingClient } from './client/create-reporting-client.ts';
import { reachAddress } from './client/reach-address.ts';
import { createConnectionFile, type SavedConnection } from './connections/connection-file.ts';
import { createConnectionsHandlers } from './connections/connections-handlers.ts';
import { createConnections, type BothSecrets } from './connections/create-connections.ts';
import { createDispatcher, type Dispatch } from './dispatch/create-dispatcher.ts';
import { createDownloads } from './downloads/create-downloads.ts';
import { createDownloadsHandlers } from './downloads/downloads-handlers.ts';
import { createSummaryFetcher } from './downloads/fetch-summary.ts';
import { createExporter } from './exports/create-exporter.ts';
import { createExportsHandlers } from './exports/exports-handlers.ts';
import { openPartialList } from './exports/partial-list.ts';
import type { Host } from './host.ts';
import { createLocalService } from './local-service/create-local-service.ts';
import { createLocalServiceHandlers } from './local-service/local-service-handlers.ts';
import { createFileLogger } from './logging/create-file-logger.ts';
import { createMonitor } from './monitor/create-monitor.ts';
import { createStatusHandlers } from './monitor/status-handlers.ts';
import { openSecretStore } from './secrets/open-secret-store.ts';
import { createSettings } from './settings/create-settings.ts';
import { createSettingsHandlers } from './settings/settings-handlers.ts';
import { createTaskRegistry } from './tasks/create-task-registry.ts';
import { createTasksHandlers } from './tasks/tasks-handlers.ts';

export type EventListener = (name: EventName, payload: unknown) => void;

/** The running application, whatever carries it. */
export interface Core {
  readonly call: Dispatch;
  /** Hears every event; the answer stops listening. */
  on(listener: EventListener): () => void;
  stop(): Promise<void>;
}

/** Parts that a test may bring its own of. */
export interface CoreParts {
  readonly openSecretStore?: typeof openSecretStore;
  readonly now?: () => number;
}

/**
 * Builds the parts in order and joins them. Rejects with an AppError (`cache.newer`, `cache.locked` …) when the
 * data folder can't be used; nothing is left running then.
 */
export async function createCore(host: Host, parts: CoreParts = {}): Promise<Core> {
  const now = parts.now ?? Date.now;
  const listeners = new Set<EventListener>();
  const emit: Emit = (name, payload) => {
    for (const listener of listeners) listener(name, payload);
  };

  const logFolder = join(host.dataFolder, 'logs');
  await makePrivateFolder(logFolder);
  const logger = createFileLogger({ folder: logFolder, now });
  logger.info('starting', { version: host.version, host: host.kind, platform: host.platform });

  const settings = await createSettings({
    folder: host.dataFolder,
    now,
    emit,
    logger: logger.child('settings'),
  });
  const { store: secrets, failure } = await (parts.openSecretStore ?? openSecretStore)({
    logger: logger.child('secrets'),
  });
  const createClient = (connection: SavedConnection, readSecrets: () => Promise<BothSecrets>) =>
    createReportingClient({
      target: { ...connection, connectionId: connection.id },
      secrets: readSecrets,
      fetch: host.fetch,
      logger: logger.child('client'),
    });
  const connections = await createConnections({
    file: createConnectionFile(host.dataFolder, now, logger.child('connections')),
    secrets,
    emit,
    logger: logger.child('connections'),
    now,
    createClient,
  });
  // Last of what may fail: nothing else would have to be stopped again.
  const cacheFile = join(host.dataFolder, 'cache.sqlite');
  const cache = await openCache({
    file: cacheFile,
    workerUrl: host.workers.cache,
    logger: logger.child('cache'),
  });

  cache.watchState((state) => emit('cache/changed', state));
  const housekeeping = createHousekeeping({
    ...{ cache, settings, emit, now },
    logger: logger.child('housekeeping'),
  });
  listeners.add(housekeeping.hear);
  const tasks = createTaskRegistry({ now, emit, logger: logger.child('tasks') });
  const localService = createLocalService({
    host,
    connections,
    settings,
    tasks,
    emit,
    logger: logger.child('local-service'),
    now,
  });
  const monitor = createMonitor({ cache, connections, settings, emit, now });
  const partials = await openPartialList(host.dataFolder, now(), logger.child('exports'));
  const exporter = createExporter({ cache, tasks, host, partials, now, logger: logger.child('exports') });
  const downloadLogger = logger.child('downloads');
  const { runner, starter } = createDownloads({
    cache,
    connections,
    tasks,
    emit,
    logger: downloadLogger,
    now,
  });

  const downloadsHandlers = createDownloadsHandlers({
    cache,
    connections,
    tasks,
    runner,
    starter,
    now,
    readFreeBytes: () => readFreeBytes(cacheFile),
  });
  const handlers: Handlers = {
    ...createAppHandlers({ host, keychain: { kind: secrets.kind, failure }, now }),
    ...createConnectionsHandlers({
      connections,
      cache,
      settings,
      tasks,
      now,
      createClient,
      reach: (address, signal) => reachAddress(host.fetch, address, signal),
    }),
    ...downloadsHandlers,
    ...createExportsHandlers(exporter),
    ...createLocalServiceHandlers({ host, connections, settings, localService }),
    ...createSettingsHandlers(settings),
    ...createStatusHandlers({ cache, connections, monitor, now }),
    ...createTasksHandlers(tasks),
    ...createCacheHandlers({ cache, purge: () => housekeeping.purge() }),
    ...createOverviewHandlers(cache),
    ...createRecordsHandlers(cache),
    ...createSnapshotsHandlers({ cache, tasks, emit, housekeeping, now }),
    ...createSummariesHandlers({
      cache,
      fetchSummary: createSummaryFetcher({ cache, connections, starter, emit }),
    }),
  };
  const call = createDispatcher(handlers, logger, now);
  resumeAfterFullDisk(cache, downloadsHandlers, downloadLogger);
  logger.info('ready', { operations: Object.keys(OPERATIONS).length });
  if (settings.get().startLocalService) void call('local-service/start', null);

  // Retention last: what is about to go on must not look as if nothing worked on it.
  void starter
    .resumeInterrupted()
    .catch((error: unknown) => logger.error('downloads did not go on', { error }))
    .then(() => housekeeping.begin());

  return {
    call,
    on: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: async () => {
      listeners.clear();
      monitor.stop();
      housekeeping.stop();
      // Each step on its own: one that fails must not keep the others from their clean end.
      const steps = [() => tasks.stop(), () => localService.runner.stop(), () => cache.close()];
      for (const step of steps) {
        await step().catch((error: unknown) => logger.error('stop failed', { ...toErrorInfo(error) }));
      }
      logger.info('stopped');
      await logger.close();
    },
  };
}
