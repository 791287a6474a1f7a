import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { toErrorInfo } from '../common/contract/errors.ts';
import { type Handlers, OPERATIONS } from '../common/contract/index.ts';
import type { NamedFiles } from '../common/control/control-messages.ts';
import type { Words } from '../common/words/words.ts';
import { type Control, serveControl } from '../node/control.ts';
import { createAlertsHandlers, createDestinationsHandlers } from './alerts/alerts-handlers.ts';
import {
  createAnalysisHandlers,
  createAppHandlers,
  createCacheHandlers,
  createSecretsHandlers,
} from './app/app-handlers.ts';
import { createCasesHandlers } from './cases/cases-handlers.ts';
import { createCompareHandlers } from './compare/compare-handlers.ts';
import { createConnectionsHandlers } from './connections/connections-handlers.ts';
import { createCoverageHandlers } from './coverage/ledger.ts';
import { claimDataFolder } from './data-folder/claim-data-folder.ts';
import { createParts, type PartOverrides, type Parts } from './create-parts.ts';
import {
  createDataFolderHandlers,
  createFolderMover,
  type FolderMover,
} from './data-folder/create-folder-mover.ts';
import { createDatasetsHandlers } from './datasets/datasets.ts';
import { createDeprecationsHandlers } from './deprecations/deprecations-handlers.ts';
import { createDiagnosticsHandlers } from './diagnostics/diagnostics-handlers.ts';
import { createDispatcher, type Dispatch } from './dispatch/create-dispatcher.ts';
import { resumeOncePossible } from './downloads/judge-failure.ts';
import { createExportsHandlers } from './exports/create-exporter.ts';
import { createFamiliesHandlers, createOutcomeHandlers } from './families/families-handlers.ts';
import {
  createFindingsHandlers,
  createIncidentsHandlers,
  createListWaits,
} from './findings/findings-handlers.ts';
import { createFollowingHandlers } from './following/create-following.ts';
import { createGlanceHandlers } from './glance/glance-handlers.ts';
import type { EventListener, Host } from './host.ts';
import { createImportsHandlers } from './imports/create-library-importer.ts';
import { createLocalServiceHandlers } from './local-service/create-local-service.ts';
import type { Logger } from './logging/logger.ts';
import { createStatusHandlers } from './monitor/create-monitor.ts';
import { createOverviewHandlers, createSeveralHandlers } from './overview/overview-handlers.ts';
import { createOwnTablesHandlers } from './own-tables/own-tables.ts';
import { createPlannedHandlers } from './planned/planned-handlers.ts';
import {
  createConversationsHandlers,
  createMarksHandlers,
  createRecordsHandlers,
} from './records/records-handlers.ts';
import { createSchedulesHandlers } from './schedules/open-schedules.ts';
import { createServiceLevelsHandlers } from './service-levels/service-levels.ts';
import { createSettingsHandlers } from './settings/create-settings.ts';
import { createSharedWorkHandlers } from './shared-work/open-shared-work.ts';
import { cleanOldPages, createSnapshotsHandlers } from './snapshots/snapshots-handlers.ts';
import { createSqlHandlers } from './sql/sql-handlers.ts';
import { createSummariesHandlers } from './summaries/summaries.ts';
import { createTasksHandlers } from './tasks/task-registry.ts';
import { createUpdatesHandlers } from './updates/updates.ts';

/** One handler for each operation of the contract, prefix by prefix. */
function createHandlers(
  parts: Parts,
  { mover, ...start }: { readonly isSafe: boolean; readonly mover: FolderMover },
): Handlers {
  const waits = createListWaits();
  const sql = createSqlHandlers(parts);
  return {
    ...createAnalysisHandlers(parts),
    ...createAlertsHandlers(parts),
    ...createAppHandlers({ ...parts, ...start }),
    ...createCacheHandlers(parts),
    ...createCasesHandlers({
      ...parts,
      runSql: async (question) => sql['sql/run']({ ...question, runId: randomUUID() }),
    }),
    ...createCompareHandlers(parts),
    ...createConnectionsHandlers(parts),
    ...createConversationsHandlers(parts),
    ...createCoverageHandlers(parts),
    ...createDataFolderHandlers({ ...parts, mover }),
    ...createDatasetsHandlers(parts),
    ...createDeprecationsHandlers(parts),
    ...createDiagnosticsHandlers({ ...parts, ...start }),
    ...parts.downloadCalls,
    ...createExportsHandlers(parts),
    ...createFamiliesHandlers(parts),
    ...createFindingsHandlers({ ...parts, waits }),
    ...createFollowingHandlers(parts),
    ...createGlanceHandlers(parts),
    ...createImportsHandlers(parts),
    ...createIncidentsHandlers({ ...parts, waits }),
    ...createLocalServiceHandlers(parts),
    ...createMarksHandlers(parts),
    ...createOutcomeHandlers(parts),
    ...createOverviewHandlers(parts),
    ...createOwnTablesHandlers(parts),
    ...createPlannedHandlers(parts),
    ...createRecordsHandlers(parts),
    ...createDestinationsHandlers(parts),
    ...createSchedulesHandlers(parts),
    ...createSecretsHandlers(parts),
    ...createServiceLevelsHandlers(parts),
    ...createSettingsHandlers(parts),
    ...createSeveralHandlers(parts),
    ...createSharedWorkHandlers(parts),
    ...createSnapshotsHandlers(parts),
    ...sql,
    ...createStatusHandlers(parts),
    ...createSummariesHandlers(parts),
    ...createTasksHandlers(parts),
    ...createUpdatesHandlers(parts),
  };
}

/** The running application, whatever carries its messages. */
export interface Core {
  readonly call: Dispatch;
  /** The same for a window: masked while the settings say so. */
  readonly callFromWindow: Dispatch;
  /** Notifies `listener` of every event, until the returned function is called. */
  on(listener: EventListener): () => void;
  /** What the host says itself, in the language of the settings as it is now. */
  readonly readWords: () => Words;
  /** For what goes wrong in the host itself. */
  readonly logger: Logger;
  stop(): Promise<void>;
}

export interface CoreOptions extends PartOverrides {
  /**
   * What goes on without being called for: everything, as a window needs it; following connections, also with their alerts
   * and the messages about these (watching); or nothing, for a program that does one thing and ends.
   */
  readonly byItself?: 'everything' | 'watching' | 'following' | 'nothing';
  /** How long what can wait does, so that a window which opens meanwhile has the computer to itself; none by itself. */
  readonly calmMs?: number;
  /** The person asked for a start without anything that goes on by itself, to find out what is wrong. */
  readonly isSafe?: boolean;
}

/**
 * Claims the data folder, builds the parts, gives them to the handlers, and starts what runs in the background.
 * Rejects with an AppError (`cache.newer`, `cache.locked` …) when the data folder can't be used; nothing is left
 * running then.
 */
export async function createCore(host: Host, options: CoreOptions = {}): Promise<Core> {
  const { isSafe = false, calmMs = 0, byItself = isSafe ? 'nothing' : 'everything', ...overrides } = options;
  const releaseFolder = host.releaseFolder ?? claimDataFolder(host.dataFolder);
  try {
    const parts = await createParts(host, overrides, calmMs);
    let ending: Promise<void> | null = null;
    const end = (): Promise<void> => (ending ??= endParts(parts));
    const mover = createFolderMover({
      ...parts,
      logger: parts.logger.child('data-folder'),
      close: end,
    });
    const handlers = createHandlers(parts, { isSafe, mover });
    const call = mover.guard(createDispatcher(handlers, parts.logger, parts.now));
    parts.logger.info('ready', { operations: Object.keys(OPERATIONS).length });
    let hasBegun = false;
    const begin = (): void => {
      if (hasBegun || ending !== null) return;
      hasBegun = true;
      // A window that opens asks for its figures next.
      if (calmMs > 0) parts.engine.wake();
      if (parts.settings.get().startLocalService) void call('local-service/start', null);
    };

    if (byItself === 'everything') {
      resumeOncePossible({
        cache: parts.cache,
        events: parts.events,
        downloads: handlers,
        logger: parts.logger.child('downloads'),
      });
      // Until a window's first call, what it is made of has the processor to itself.
      if (calmMs > 0) setTimeout(begin, calmMs).unref();
      else begin();
      void resumeThenClean(parts, async () => {
        if (calmMs > 0) await wait(calmMs, undefined, { ref: false });
        return ending === null;
      });
      parts.schedules.start();
      parts.destinations.start();
      parts.sharedWork.link.start();
      parts.updates.start();
    } else if (byItself === 'watching') {
      parts.destinations.start();
      parts.sharedWork.link.start();
    } else {
      // Nobody would see a note: what it is about must not count as told.
      await parts.alerts.stop();
      parts.monitor.stop();
    }
    if (byItself !== 'nothing') parts.following.start();
    return {
      call,
      callFromWindow:
        byItself === 'everything' ? onFirstCall(parts.maskWindow(call), begin) : parts.maskWindow(call),
      on: parts.events.onAny,
      readWords: parts.readWords,
      logger: parts.logger.child('host'),
      stop: () => {
        parts.events.close();
        return end().finally(releaseFolder);
      },
    };
  } catch (error) {
    releaseFolder();
    throw error;
  }
}

/** Begins with the first call. */
function onFirstCall(call: Dispatch, begin: () => void): Dispatch {
  return (...input) => {
    begin();
    return call(...input);
  };
}

/** Retention comes last: a download that is about to continue must not look abandoned. `mayClean` resolves once it may begin. */
async function resumeThenClean(parts: Parts, mayClean: () => Promise<boolean>): Promise<void> {
  const { starter, housekeeping, logger } = parts;
  await starter.resumeInterrupted().catch((error: unknown) => {
    logger.error('downloads were not resumed', { error });
  });
  if (!(await mayClean())) return;
  await housekeeping.begin();
  await cleanOldPages({ ...parts, logger: logger.child('cache'), logs: logger });
}

/** Ends all work, and closes every file of the data folder. */
async function endParts({
  alerts,
  datasets,
  destinations,
  following,
  monitor,
  schedules,
  sharedWork,
  housekeeping,
  aheadJudge,
  tasks,
  updates,
  localService,
  engine,
  cache,
  logger,
}: Parts): Promise<void> {
  monitor.stop();
  housekeeping.stop();
  aheadJudge.stop();
  datasets.stop();
  schedules.stop();
  destinations.stop();
  updates.stop();
  // Each step on its own: one that fails must not keep the others from their clean end.
  const steps = [
    () => sharedWork.link.stop(),
    () => following.stop(),
    () => alerts.stop(),
    () => tasks.stop(),
    () => localService.runner.stop(),
    () => engine.close(),
    () => cache.close(),
  ];
  for (const step of steps) {
    await step().catch((error: unknown) => logger.error('stop failed', { ...toErrorInfo(error) }));
  }
  logger.info('stopped');
  await logger.close();
}

/** A core that the command line can work through while it runs. */
export interface SharedCore extends Core {
  readonly withFiles: FileNaming['withFiles'];
  /** Accepts no new callers, and resolves once those that are there have left. */
  drain(): Promise<void>;
}

/**
 * Creates the core of a host and serves it to the command line of the same person. Where no socket can be made, the
 * core runs without, and the log says so. Rejects as `createCore` does.
 */
export async function createSharedCore(host: Host, options: CoreOptions = {}): Promise<SharedCore> {
  const naming = nameFiles(host);
  const core = await createCore(naming.host, options);
  // A window's calls needn't wait for it.
  const control = serveControl({
    folder: host.dataFolder,
    version: host.version,
    call: (name, input, files) => naming.withFiles(files, () => core.call(name, input)),
    on: core.on,
  }).catch((error: unknown): Control | null => {
    core.logger.warn('the command line can not work through this', { error });
    return null;
  });
  return {
    ...core,
    withFiles: naming.withFiles,
    drain: async () => (await control)?.drain(),
    async stop() {
      await (await control)?.close();
      await core.stop();
    },
  };
}

/** A host that asks nobody for a file that the caller of an operation named itself. */
interface FileNaming {
  readonly host: Host;
  /** Runs what was called; until its result is there, the files are those. */
  withFiles<Result>(files: NamedFiles, run: () => Promise<Result>): Promise<Result>;
}

/** Lets callers name files in place of the dialogs of a host. */
function nameFiles(host: Host): FileNaming {
  const named = new AsyncLocalStorage<NamedFiles>();
  return {
    host: {
      ...host,
      chooseExportTarget: (suggestedName) => {
        const target = named.getStore()?.exportTarget;
        return target === undefined ? host.chooseExportTarget(suggestedName) : Promise.resolve(target);
      },
      chooseFolder: (suggestedName, purpose) => {
        const folder = named.getStore()?.exportTarget;
        return folder === undefined ? host.chooseFolder(suggestedName, purpose) : Promise.resolve(folder);
      },
      chooseImportFile: (uploadId) => {
        const path = named.getStore()?.importFile;
        if (path === undefined || uploadId !== null) return host.chooseImportFile(uploadId);
        // It stays where it is.
        return Promise.resolve({ path, name: basename(path), release: () => Promise.resolve() });
      },
    },
    withFiles: (files, run) => named.run(files, run),
  };
}
