import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Emit } from '../common/contract/index.ts';
import { toKnownTenant } from '../common/model/cache/snapshot.ts';
import { makePrivateFolder } from '../node/files.ts';
import { createAlertFile, createAlertMemory, openAlertBook } from './alerts/alert-book.ts';
import { createAlerts } from './alerts/create-alerts.ts';
import { isAlertPlanned, readNewest } from './alerts/judge-rules.ts';
import { createEngine, type Engine, ENGINE_LIMITS } from './analysis/engine/create-engine.ts';
import { findFilesFolder } from './analysis/engine/files/files-folder.ts';
import type { StartEngineProcess } from './analysis/engine/start-engine.ts';
import { createParquetReader } from './analysis/parquet/create-parquet-reader.ts';
import { type Cache, openCache } from './cache/cache.ts';
import { readFreeBytes } from './cache/file/open-database.ts';
import { openCaseFiles } from './cases/open-case-files.ts';
import { createReportingClient } from './client/create-reporting-client.ts';
import { createConnectionFile, type SavedConnection } from './connections/connection-file.ts';
import { type BothSecrets, createConnections } from './connections/create-connections.ts';
import { createLedger, createMissingFetcher } from './coverage/ledger.ts';
import { openDatasets } from './datasets/datasets.ts';
import { createDestinations } from './destinations/create-destinations.ts';
import {
  createDownloads,
  createDownloadsHandlers,
  createSummaryStarter,
} from './downloads/downloads-handlers.ts';
import { createExporter } from './exports/create-exporter.ts';
import { createPackSigner } from './exports/evidence/signing/pack-signature.ts';
import { openExportMemory, openExportPace } from './exports/export-memory.ts';
import { createRowWriter, startRowThread } from './exports/thread/create-row-writer.ts';
import { openPartialList } from './exports/write-manifest.ts';
import { createAheadJudge, createFindingsNow } from './findings/findings-now.ts';
import { createFollowing } from './following/create-following.ts';
import { createEvents, type EventListener, type Events, type Host } from './host.ts';
import { createLibraryImporter } from './imports/create-library-importer.ts';
import { createLocalService } from './local-service/create-local-service.ts';
import { createFileLogger, type FileLogger } from './logging/logger.ts';
import { createMaskedWindow } from './masked-window/create-masked-window.ts';
import { createMonitor } from './monitor/create-monitor.ts';
import { openOwnTableFiles } from './own-tables/own-tables.ts';
import { createProxyLogins, followNetworkSettings } from './proxy/proxy.ts';
import { openSchedules } from './schedules/open-schedules.ts';
import { createKeychain, type OpenSecretStore } from './secrets/create-keychain.ts';
import { openSecretStore } from './secrets/open-secret-store.ts';
import { createKnownSecrets, type KnownSecrets } from './secrets/secret-cleaner.ts';
import { createSecretFile } from './secrets/secret-file.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { createSettings, createWordsReader, followSettings } from './settings/create-settings.ts';
import { openSharedWork } from './shared-work/open-shared-work.ts';
import { createHousekeeping } from './snapshots/snapshots-handlers.ts';
import { createTaskRegistry } from './tasks/task-registry.ts';
import { createUpdates } from './updates/updates.ts';

/** The engine takes about a second for as many records. */
const MIN_SHOWN_BEHIND = 100_000;

/** Sends how far the engine is, while it is so far behind that a person may notice. */
function showFeed(engine: Engine, emit: Emit): void {
  let isShown = false;
  engine.watchFeed((progress) => {
    const isBehind = progress !== null && progress.total - progress.fed > MIN_SHOWN_BEHIND;
    if (!isBehind && !isShown) return;
    isShown = isBehind;
    emit('records/feed-changed', isBehind ? { fed: progress.fed, total: progress.total } : null);
  });
}

/** Events after which records may be new or gone. */
const CHANGES_OF_RECORDS = /^(snapshots|downloads|tasks)\//;

/** Parts that a test may bring its own of. */
export interface PartOverrides {
  readonly openSecretStore?: OpenSecretStore;
  /** Lays something over where secrets are kept. */
  readonly overSecrets?: (store: SecretStore) => SecretStore;
  /** Of the secrets file, where it was given at the start. */
  readonly passphrase?: string | null;
  readonly now?: () => number;
}

/** Everything that the handlers work with. */
export type Parts = Awaited<ReturnType<typeof joinParts>>;

/** What everything else is built on. */
interface Ground {
  readonly knownSecrets: KnownSecrets;
  readonly logger: FileLogger;
  readonly cacheFile: string;
  /** Is on its way. */
  readonly cache: Promise<Cache>;
  /** How long what can wait does. */
  readonly calmMs: number;
}

/**
 * Builds the parts and joins them. Rejects with an AppError (`cache.newer`, `cache.damaged` …) when the data folder can't
 * be used; nothing is left running then.
 */
export async function createParts(host: Host, overrides: PartOverrides, calmMs: number): Promise<Parts> {
  const { now = Date.now } = overrides;
  const { dataFolder } = host;
  const logFolder = join(dataFolder, 'logs');
  makePrivateFolder(logFolder);
  const knownSecrets = createKnownSecrets();
  const logger = createFileLogger({ folder: logFolder, now, clean: knownSecrets.cleanText });
  logger.info('starting', { version: host.version, host: host.kind, platform: host.platform });
  // Its threads take longer to start than all the rest, which is read meanwhile.
  const cacheFile = join(dataFolder, 'cache.sqlite');
  const cache = openCache({ file: cacheFile, workerUrl: host.workers.cache, logger: logger.child('cache') });
  // Whoever awaits it learns of its failure.
  cache.catch(() => undefined);
  try {
    return await joinParts(host, overrides, { knownSecrets, logger, cacheFile, cache, calmMs });
  } catch (error) {
    await cache.then((opened) => opened.close()).catch(() => undefined);
    throw error;
  }
}

async function joinParts(host: Host, overrides: PartOverrides, ground: Ground) {
  const { now = Date.now, openSecretStore: open = openSecretStore, passphrase = null } = overrides;
  const { knownSecrets, logger, cacheFile, calmMs } = ground;
  const { dataFolder } = host;
  const events = createEvents();
  const { emit } = events;

  const settings = await createSettings({ folder: dataFolder, now, emit, logger: logger.child('settings') });
  const { platform } = host;
  const secretLogger = logger.child('secrets');
  const secretFile = createSecretFile({ path: join(dataFolder, 'secrets.json'), now, logger: secretLogger });
  const keychain = await createKeychain({
    open,
    platform,
    emit,
    logger: secretLogger,
    file: secretFile,
    passphrase,
  });
  const secrets = overrides.overSecrets?.(keychain.store) ?? keychain.store;
  const proxyLogins = createProxyLogins({
    secrets,
    emit,
    logger: logger.child('proxy'),
    noteSecret: knownSecrets.createCleaner().note,
  });
  host.useProxyLogins(proxyLogins);
  const createClient = (connection: SavedConnection, readSecrets: () => Promise<BothSecrets>) =>
    createReportingClient({
      target: { ...connection, connectionId: connection.id },
      secrets: readSecrets,
      fetch: host.fetchFor(connection.id),
      logger: logger.child('client'),
      knownSecrets,
    });
  const connections = await createConnections({
    file: createConnectionFile(dataFolder, now, logger.child('connections')),
    secrets,
    emit,
    logger: logger.child('connections'),
    now,
    createClient,
  });
  await followNetworkSettings({
    host,
    settings,
    events,
    logger: logger.child('network'),
    onChanged: () => {
      // Calls that were resting after failures are tried the new way at once.
      connections.renewClients();
      proxyLogins.dropChallenge();
    },
  });
  const ownTableFiles = await openOwnTableFiles({
    dataFolder,
    connections: connections.listSaved(),
    logger: logger.child('own-tables'),
  });
  const caseFiles = await openCaseFiles({
    dataFolder,
    logger: logger.child('cases'),
    newId: randomUUID,
    now,
  });
  const exportLogger = logger.child('exports');
  const partials = await openPartialList(dataFolder, now(), exportLogger);
  const exportMemory = await openExportMemory({ folder: dataFolder, logger: exportLogger, emit, now });
  const pace = await openExportPace({ folder: dataFolder, logger: exportLogger, now });
  const alertLogger = logger.child('alerts');
  const alertBook = await openAlertBook(
    createAlertFile(dataFolder, now, alertLogger),
    createAlertMemory(dataFolder, now, alertLogger),
  );
  const readWords = createWordsReader(host, settings);
  // In memory only, so that nobody can find the client behind a pseudonym once the application has ended.
  const pseudonymKey = randomBytes(32);
  const destinations = await createDestinations({
    host,
    secrets: keychain.store,
    knownSecrets,
    emit,
    logger: logger.child('destinations'),
    random: Math.random,
    isMuted: ({ ruleId, value }) => {
      const rule = alertBook.listRules().find(({ id }) => id === ruleId);
      return rule !== undefined && alertBook.findMute(rule, now(), value) !== null;
    },
    readRecords: (alert, contents, signal) =>
      readNewest({ book: alertBook, engine, cache, pseudonymKey }, alert, contents, signal),
    isPlanned: (alert) => isAlertPlanned({ book: alertBook, connections, now }, alert),
    readWords,
    now,
  });
  // The last step that may fail: nothing else would have to be stopped again.
  const cache = await ground.cache;
  cache.watchState((state) => emit('cache/changed', state));
  const engineFile = join(dataFolder, 'analysis.duckdb');
  const startAnalysis: StartEngineProcess = (argument) => host.startProcess(host.workers.engine, argument);
  const engine = createEngine({
    startProcess: startAnalysis,
    start: {
      cacheFile,
      engineFile,
      ...ENGINE_LIMITS,
      // Read anew each time that its process starts.
      get memoryLimitMb() {
        return settings.get().engineMemoryMb;
      },
    },
    logger: logger.child('engine'),
    now,
    listRules: () => {
      const saved = connections.listSaved();
      return {
        outcomes: Object.fromEntries(
          saved.flatMap(({ id, outcomes }) => (outcomes === undefined ? [] : [[id, outcomes]])),
        ),
        families: Object.fromEntries(
          saved.flatMap(({ id, families }) => (families === undefined ? [] : [[id, families]])),
        ),
        tables: Object.fromEntries(saved.map((each) => [each.id, ownTableFiles.list(each)])),
      };
    },
    keepPatterns: (kept) => cache.saveErrorPatterns(kept),
  });
  const importLogger = logger.child('imports');
  const scratchFolder = findFilesFolder(engineFile);
  const parquet = createParquetReader({
    folder: scratchFolder,
    startProcess: startAnalysis,
    readFreeBytes: () => readFreeBytes(scratchFolder),
    logger: importLogger,
  });
  followCache(engine, cache, events, calmMs);
  cache.addHolder((reopened) => engine.letGo(reopened));
  showFeed(engine, emit);
  const rowThread = { cacheFile, scratchFolder };
  const rowWriter = createRowWriter(() => startRowThread(host.workers.rows, rowThread, exportLogger));
  cache.addHolder((reopened) => rowWriter.letGo(reopened));

  const tasks = createTaskRegistry({ now, emit, logger: logger.child('tasks') });
  // What is being fetched is known by parts that ask the ledger themselves.
  const ledger = createLedger({
    cache,
    engine,
    connections,
    events,
    emit,
    now,
    findTask: (snapshotId) => downloads.runner.findActive(snapshotId),
    findFollowed: (connectionId, report) => following.findPending(connectionId, report),
  });
  const shared = { host, settings, connections, cache, engine, ledger, tasks, events, emit, now, readWords };
  const localService = createLocalService({ ...shared, logger: logger.child('local-service') });
  const whenStarted = async (connectionId: string): Promise<void> => {
    if (connections.findLocal()?.id === connectionId) await localService.runner.whenSettled();
  };
  followSettings(events, settings, {
    setLive: localService.runner.setLive,
    restartEngine: () => void engine.restart(),
  });
  const downloads = createDownloads({ ...shared, whenStarted, logger: logger.child('downloads') });
  const datasets = await openDatasets({
    ...shared,
    partials,
    version: host.version,
    logger: logger.child('datasets'),
  });
  const maskWindow = createMaskedWindow({
    ...shared,
    pseudonymKey,
    listConnectionIds: () => connections.listSaved().map(({ id }) => id),
  });
  const exporter = createExporter({
    ...shared,
    pseudonymKey,
    cases: caseFiles,
    partials,
    rowWriter,
    pace,
    packSigner: createPackSigner({
      secrets: keychain.store,
      logger: exportLogger,
      noteSecret: knownSecrets.createCleaner().note,
    }),
    version: host.version,
    listNames: (connectionId) => connections.listNames(connectionId),
    findTenant: (connectionId) => {
      const { tenant, kind } = connections.get(connectionId);
      return toKnownTenant(tenant, kind === 'imported');
    },
    findConnection: (connectionId) => connections.listSaved().find(({ id }) => id === connectionId),
    logger: exportLogger,
  });
  const following = createFollowing({
    ...shared,
    queue: downloads.queue,
    random: Math.random,
    logger: logger.child('following'),
  });
  const readFree = (): number | null => readFreeBytes(cacheFile);
  // Not only the window begins downloads, and no two callers may begin the same one.
  const downloadCalls = createDownloadsHandlers({
    ...shared,
    ...downloads,
    readFreeBytes: readFree,
  });
  const findingsNow = createFindingsNow(shared);
  const schedules = await openSchedules({
    ...shared,
    exporter,
    fetcher: createMissingFetcher({
      ...shared,
      fetchGaps: downloadCalls['downloads/fetch-gaps'],
      findFollowing: (connectionId) => following.list().find((each) => each.connectionId === connectionId),
    }),
    logger: logger.child('schedules'),
  });
  const alerts = createAlerts({
    ...shared,
    destinations,
    following,
    source: { ...shared, readFindings: findingsNow.read },
    book: alertBook,
    logger: alertLogger,
  });
  const sharedWork = await openSharedWork({
    ...shared,
    alerts,
    schedules,
    ownTableFiles,
    logger: logger.child('shared-work'),
  });
  return {
    maskWindow,
    ...shared,
    ...downloads,
    datasets,
    sharedWork,
    destinations,
    findingsNow,
    alerts,
    caseFiles,
    createClient,
    exportMemory,
    exporter,
    following,
    downloadCalls,
    schedules,
    aheadJudge: createAheadJudge({ ...shared, logger: logger.child('findings') }),
    housekeeping: createHousekeeping({ ...shared, logger: logger.child('housekeeping') }),
    keychain,
    libraryImporter: createLibraryImporter({ ...shared, parquet, logger: importLogger }),
    localService,
    logger,
    ownTableFiles,
    monitor: createMonitor(shared),
    proxyLogins,
    readFreeBytes: readFree,
    updates: createUpdates({ ...shared, logger: logger.child('updates') }),
    startSummary: createSummaryStarter({ ...shared, ...downloads }),
  };
}

/**
 * Feeds the engine as records come and go, from `calmMs` on, and starts it anew over a cache that takes the place of a
 * damaged one. A question starts it before that.
 */
function followCache(engine: Engine, cache: Cache, events: Events, calmMs: number): void {
  if (calmMs === 0) engine.noteChange();
  else setTimeout(engine.noteChange, calmMs).unref();
  events.onAny((...event) => {
    if (event[0] === 'connections/changed') engine.noteConnections();
    if (CHANGES_OF_RECORDS.test(event[0]) && !isReadingAgain(event)) engine.noteChange();
  });
  let openedAtMs = cache.readState().startedAtMs;
  cache.watchState(({ startedAtMs }) => {
    if (startedAtMs === openedAtMs) return;
    openedAtMs = startedAtMs;
    void engine.restart();
  });
}

/** Each page that is read again makes what was fed of its snapshot old: it is fed anew once, at the end. */
function isReadingAgain([name, payload]: Parameters<EventListener>): boolean {
  return name === 'tasks/changed' && payload.kind === 'read-again' && payload.endedAtMs === null;
}
