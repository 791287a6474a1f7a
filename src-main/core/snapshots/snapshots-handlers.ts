import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import {
  hasChanged,
  type RetiredSnapshot,
  type Snapshot,
  toFetchedAtMs,
} from '../../common/model/cache/snapshot.ts';
import type { Period } from '../../common/model/period.ts';
import { isDetailKind } from '../../common/reporting/reports.ts';
import { fromWireDate } from '../../common/reporting/wire-documents.ts';
import { DAY_MS, HOUR_MS } from '../../common/time/durations.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import { rejectOnAbort } from '../calls/calls.ts';
import { type ConnectionStore, findLookBackMs } from '../connections/create-connections.ts';
import { toPeriod, toWholeSeconds } from '../downloads/slice-period.ts';
import type { Events } from '../host.ts';
import type { FileLogger, Logger } from '../logging/logger.ts';
import { createKnownSecrets } from '../secrets/secret-cleaner.ts';
import type { SettingsStore } from '../settings/create-settings.ts';
import { isActive, type TaskHandle, type TaskRegistry } from '../tasks/task-registry.ts';

/** A removal can be undone for this long. */
const UNDO_MS = 300_000;
/** How often it is looked whether a day has passed: the computer may have slept meanwhile. */
const LOOK_MS = HOUR_MS;

export interface Housekeeping {
  /** Hides snapshots, and has them deleted for good later. Resolves with the time until which that can be undone. */
  remove(snapshotIds: readonly number[]): Promise<number>;
  /** Deletes for good what was removed until now; resolves with the bytes freed on the disk. */
  purge(): Promise<number>;
  /** Does what is due when the application starts: deletes what was removed before, then applies retention. */
  begin(): Promise<void>;
  stop(): void;
}

/**
 * Deletes removed snapshots in time, and applies retention: after each download, once a day while the application only
 * follows, and when its settings change. Its removals can be undone for as long as the user's own.
 */
export function createHousekeeping(options: {
  cache: Cache;
  settings: Pick<SettingsStore, 'get'>;
  events: Pick<Events, 'emit' | 'on'>;
  logger: Logger;
  now(): number;
}): Housekeeping {
  const { cache, settings, events, logger, now } = options;
  const timers = new Set<NodeJS.Timeout>();
  let retiring: Promise<void> = Promise.resolve();
  let retiredAtMs = now();
  let { retentionDays, retentionBytes } = settings.get();

  const purgeUntil = async (untilMs: number): Promise<number> => {
    const { snapshotIds, freedBytes } = await cache.purgeRemoved(untilMs);
    if (snapshotIds.length > 0) {
      logger.info('snapshots purged', { snapshotIds, freedBytes });
      events.emit('snapshots/purged', { snapshotIds, freedBytes });
    }
    return freedBytes;
  };
  const logFailure = (error: unknown): void => logger.warn('housekeeping failed', { error });

  const remove = async (snapshotIds: readonly number[]): Promise<number> => {
    const removedAtMs = now();
    await cache.removeSnapshots({ snapshotIds, nowMs: removedAtMs });
    events.emit('snapshots/removed', { snapshotIds: [...snapshotIds] });
    const timer = setTimeout(() => {
      timers.delete(timer);
      purgeUntil(removedAtMs).catch(logFailure);
    }, UNDO_MS).unref();
    timers.add(timer);
    return removedAtMs + UNDO_MS;
  };

  const applyRetention = async (): Promise<void> => {
    const limits = settings.get();
    if (limits.retentionDays === 0 && limits.retentionBytes === 0) return;
    const [snapshots, storage] = await Promise.all([cache.listSnapshots(null), cache.readStorage()]);
    const usedBytes = storage.inboundDetailBytes + storage.outboundDetailBytes + storage.summaryBytes;
    const expired = pickExpired(snapshots, limits, now(), usedBytes);
    if (expired.length === 0) return;
    logger.info('retention removes', { snapshots: expired });
    await remove(expired.map(({ id }) => id));
    cache.noteRetired({ atMs: now(), snapshots: expired });
  };
  const retire = (): Promise<void> => {
    retiredAtMs = now();
    retiring = retiring.then(applyRetention).catch(logFailure);
    return retiring;
  };

  const stopListening = events.on('tasks/changed', ({ kind, endedAtMs }) => {
    if (kind === 'download' && endedAtMs !== null) void retire();
  });
  const stopWatching = events.on('settings/changed', (changed) => {
    const isSame = changed.retentionDays === retentionDays && changed.retentionBytes === retentionBytes;
    ({ retentionDays, retentionBytes } = changed);
    if (!isSame) void retire();
  });
  const looking = setInterval(() => {
    // Also where the clock was set back.
    if (Math.abs(now() - retiredAtMs) >= DAY_MS) void retire();
  }, LOOK_MS).unref();

  return {
    remove,
    purge: () => purgeUntil(now()),
    async begin() {
      await purgeUntil(now()).catch(logFailure);
      await retire();
    },
    stop() {
      stopListening();
      stopWatching();
      clearInterval(looking);
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

interface RetentionLimits {
  /** 0 for no limit. */
  readonly retentionDays: number;
  /** 0 for no limit. */
  readonly retentionBytes: number;
}

/**
 * Picks what retention removes: first everything fetched longer ago than the days, then the oldest while
 * the rest takes more than the bytes. Never a pinned or imported snapshot, nor one that is downloading or paused.
 * `usedBytes` is what the cache takes now; it is shared among the snapshots by the bytes received for each.
 */
export function pickExpired(
  snapshots: readonly Snapshot[],
  limits: RetentionLimits,
  nowMs: number,
  usedBytes: number,
): RetiredSnapshot[] {
  const receivedBytes = snapshots.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const share = receivedBytes === 0 ? 0 : usedBytes / receivedBytes;
  const oldestFirst = snapshots
    .filter(({ pinned, state }) => !pinned && state !== 'downloading' && state !== 'paused')
    // What was imported can't be fetched again.
    .filter(({ imported }) => imported === undefined)
    // A day that is being followed would be fetched again at once.
    .filter(({ stillOpen, settledToMs }) => !stillOpen || settledToMs === undefined)
    .sort((a, b) => a.fetchedOrder - b.fetchedOrder || a.id - b.id);
  const endMs = nowMs - limits.retentionDays * DAY_MS;
  let leftBytes = usedBytes;
  const expired: RetiredSnapshot[] = [];
  for (const snapshot of oldestFirst) {
    const isOld = limits.retentionDays > 0 && toFetchedAtMs(snapshot) < endMs;
    const isTooMuch = limits.retentionBytes > 0 && leftBytes > limits.retentionBytes;
    if (!isOld && !isTooMuch) continue;
    leftBytes -= snapshot.sizeBytes * share;
    expired.push(toRetired(snapshot, isOld ? 'age' : 'size'));
  }
  return expired;
}

function toRetired(snapshot: Snapshot, reason: RetiredSnapshot['reason']): RetiredSnapshot {
  const { id, connectionId, report, name, recordCount, period } = snapshot;
  const { startDate, endDate } = period;
  return { id, connectionId, report, name, startDate, endDate, recordCount, reason };
}

/**
 * Searches pages that were kept before what services send back was cleaned, for the secrets of their connection that the
 * keychain holds now, and the logs with them: once for each cache and connection. Where they can't be read, a later start does it. Never rejects.
 */
export async function cleanOldPages(parts: {
  readonly cache: Pick<Cache, 'listCleaned' | 'cleanPages' | 'getSnapshot'>;
  readonly connections: Pick<ConnectionStore, 'list' | 'readSecrets'>;
  readonly engine: Pick<Engine, 'restart'>;
  readonly emit: Emit;
  readonly logger: Logger;
  readonly logs: Pick<FileLogger, 'rewrite'>;
}): Promise<void> {
  const { cache, connections, engine, emit, logger, logs } = parts;
  try {
    const cleaned = new Set(await cache.listCleaned());
    let isChanged = false;
    for (const { id: connectionId } of await connections.list()) {
      if (cleaned.has(connectionId)) continue;
      try {
        const { accessToken, accessTokenSecret } = await connections.readSecrets(connectionId);
        const secrets = [accessToken, accessTokenSecret];
        const cleaner = createKnownSecrets().createCleaner();
        for (const secret of secrets) cleaner.note(secret);
        await logs.rewrite(cleaner.cleanText);
        const done = await cache.cleanPages({ connectionId, secrets });
        const { searchedPages, cleanedPages, snapshotIds } = done;
        logger.info('kept pages searched for secrets', { connectionId, searchedPages, cleanedPages });
        isChanged ||= done.isChanged;
        for (const id of snapshotIds) emit('snapshots/changed', await cache.getSnapshot(id));
      } catch (error) {
        const { code } = toErrorInfo(error);
        if (code === 'app.cancelled') return;
        logger.info('kept pages not searched for secrets', { connectionId, code });
      }
    }
    if (isChanged) await engine.restart();
  } catch (error) {
    logger.warn('kept pages not searched for secrets', { error });
  }
}

/** The handlers of `snapshots/…`. */
export function createSnapshotsHandlers(parts: {
  cache: Cache;
  connections: Pick<ConnectionStore, 'get'>;
  tasks: TaskRegistry;
  emit: Emit;
  housekeeping: Housekeeping;
  now(): number;
}): HandlersOf<'snapshots'> {
  const { cache, tasks, emit, housekeeping } = parts;
  const startVerification = createVerification(parts);
  const startReadAgain = createReadAgain(parts);
  return {
    'snapshots/list': ({ connectionId }) => cache.listSnapshots(connectionId),
    'snapshots/get': ({ snapshotId }) => cache.getSnapshot(snapshotId),
    'snapshots/annotate': async (change) => {
      const snapshot = await cache.annotateSnapshot(change);
      emit('snapshots/changed', snapshot);
      return snapshot;
    },
    'snapshots/state-complete': async ({ snapshotId, span }) => {
      const { period } = await cache.getSnapshot(snapshotId);
      const stated = span === null ? null : toPeriod(toWholeSeconds(span), period.zone);
      const snapshot = await cache.stateComplete({ snapshotId, stated });
      emit('snapshots/changed', snapshot);
      return snapshot;
    },
    'snapshots/remove': async ({ snapshotIds }) => {
      const active = tasks
        .list()
        .filter((task) => isActive(task) && snapshotIds.includes(task.snapshotId ?? -1));
      for (const task of active) tasks.cancel(task.id);
      await Promise.all(active.map((task) => tasks.whenEnded(task.id)));
      return { restorableUntilMs: await housekeeping.remove(snapshotIds) };
    },
    'snapshots/restore': async ({ snapshotIds }) => {
      const restored = await cache.restoreSnapshots(snapshotIds);
      if (restored.length === 0) {
        throw new AppError('cache.snapshot-not-found', 'The snapshots are deleted for good.');
      }
      for (const snapshot of restored) emit('snapshots/changed', snapshot);
      return restored;
    },
    'snapshots/verify': ({ snapshotIds }) => startVerification(snapshotIds),
    'snapshots/read-again': ({ snapshotIds }) => startReadAgain(snapshotIds),
    'snapshots/get-reading': ({ snapshotId }) => cache.getReading(snapshotId),
    'snapshots/compare': (pair) => cache.compareSnapshots(pair),
    'snapshots/read-journal': (place) => cache.readJournal(place),
    'snapshots/read-envelope': (page) => cache.readEnvelope(page),
    'snapshots/read-set-aside': (place) => cache.readSetAside(place),
    'snapshots/read-storage': () => cache.readStorage(),
  };
}

/**
 * Prepares the start of a task that reads stored pages again: of some snapshots, or of all of them (null). Each is read
 * in the time zone that its connection has now, since that may have been corrected. What a cancelled task has read stays.
 * Starting rejects with `cache.snapshot-not-found`.
 */
function createReadAgain(options: {
  cache: Cache;
  connections: Pick<ConnectionStore, 'get'>;
  tasks: TaskRegistry;
  emit: Emit;
  now(): number;
}): (snapshotIds: readonly number[] | null) => Promise<{ taskId: string }> {
  const { cache, connections, emit, now } = options;

  const findZone = ({ connectionId, period }: Snapshot): string => {
    try {
      return connections.get(connectionId).serviceZone;
    } catch {
      return period.zone;
    }
  };
  /** Null where the snapshot is being downloaded, or gone. */
  const readOne = async (snapshot: Snapshot, handle: TaskHandle, onProgress: (records: number) => void) => {
    const period = toPeriodIn(snapshot.period, findZone(snapshot));
    const isFollowed = snapshot.settledToMs !== undefined;
    const stillOpen =
      isDetailKind(snapshot.report) && !isFollowed
        ? period.toMs >= snapshot.startedAtMs - findLookBackMs(connections, snapshot.connectionId)
        : snapshot.stillOpen;
    try {
      return await cache.readAgain(
        { snapshotId: snapshot.id, atMs: now(), period, stillOpen },
        { signal: handle.signal, onProgress },
      );
    } catch (error) {
      if (error instanceof AppError && error.code === 'cache.snapshot-not-found') return null;
      throw error;
    } finally {
      const changed = await cache.getSnapshot(snapshot.id).catch(() => null);
      if (changed !== null) emit('snapshots/changed', changed);
    }
  };

  const readAll = async (snapshots: readonly Snapshot[], handle: TaskHandle): Promise<void> => {
    const outcome = { changedIds: [] as number[], unchangedIds: [] as number[], skippedIds: [] as number[] };
    const total = countRecords(snapshots);
    let before = 0;
    for (const snapshot of snapshots) {
      const reading = await readOne(snapshot, handle, (records) => handle.progress(before + records, total));
      if (reading === null) outcome.skippedIds.push(snapshot.id);
      else if (hasChanged(reading)) outcome.changedIds.push(snapshot.id);
      else outcome.unchangedIds.push(snapshot.id);
      before += snapshot.recordCount;
      handle.progress(before, total);
      handle.update({ readingOutcome: structuredClone(outcome) });
    }
  };

  return (snapshotIds) => startPageTask(options, 'read-again', snapshotIds, readAll);
}

/** What was asked for is a text: in another zone it names other instants. */
function toPeriodIn(period: Period, zone: string): Period {
  const [fromMs, toMs] = [fromWireDate(period.startDate, zone), fromWireDate(period.endDate, zone)];
  if (zone === period.zone || typeof fromMs === 'string' || typeof toMs === 'string') return period;
  return { ...period, fromMs, toMs, zone };
}

/**
 * Prepares the start of a task that checks stored pages: of some snapshots, or of all of them (null) and the whole
 * file. What a cancelled task has checked stays saved. Starting rejects with `cache.snapshot-not-found`.
 */
function createVerification(options: {
  cache: Cache;
  tasks: TaskRegistry;
  emit: Emit;
  now(): number;
}): (snapshotIds: readonly number[] | null) => Promise<{ taskId: string }> {
  const { cache, emit, now } = options;

  const verify = async (snapshots: readonly Snapshot[], handle: TaskHandle): Promise<void> => {
    const total = countRecords(snapshots);
    let before = 0;
    for (const snapshot of snapshots) {
      const check = await cache.verifyPages(snapshot.id, {
        signal: handle.signal,
        onProgress: (records) => handle.progress(before + records, total),
      });
      const verified = await cache.saveVerification({ snapshotId: snapshot.id, atMs: now(), check });
      emit('snapshots/changed', verified);
      before += snapshot.recordCount;
      handle.progress(before, total);
    }
  };

  return (snapshotIds) =>
    startPageTask(options, 'verify', snapshotIds, async (snapshots, handle) => {
      await verify(snapshots, handle);
      if (snapshotIds === null) await cache.checkFile(handle.signal);
    });
}

const PAGE_TASKS = ['verify', 'read-again'] as const;
type PageTask = (typeof PAGE_TASKS)[number];

/**
 * Starts a task over the stored pages of some snapshots, or of all of them (null), once earlier such tasks have ended.
 * Rejects with `cache.snapshot-not-found`.
 */
async function startPageTask(
  { cache, tasks }: { readonly cache: Cache; readonly tasks: TaskRegistry },
  kind: PageTask,
  snapshotIds: readonly number[] | null,
  work: (snapshots: readonly Snapshot[], handle: TaskHandle) => Promise<void>,
): Promise<{ taskId: string }> {
  const snapshots =
    snapshotIds === null
      ? await cache.listSnapshots(null)
      : await Promise.all(snapshotIds.map((id) => cache.getSnapshot(id)));
  const only = snapshots.length === 1 ? snapshots[0] : undefined;
  const task = tasks.start(
    {
      kind,
      connectionId: only?.connectionId ?? null,
      snapshotId: only?.id ?? null,
      total: countRecords(snapshots),
      isQueued: true,
    },
    async (handle) => {
      await awaitPageTasks(tasks, handle);
      await work(snapshots, handle);
    },
  );
  return { taskId: task.id };
}

/** Returns the records that snapshots hold together. */
function countRecords(snapshots: readonly Snapshot[]): number {
  return snapshots.reduce((sum, { recordCount }) => sum + recordCount, 0);
}

/**
 * Waits for earlier tasks over stored pages, then begins: one that checks pages must not see another one replace them.
 * Rejects when the waiting task is cancelled.
 */
async function awaitPageTasks(tasks: TaskRegistry, handle: TaskHandle): Promise<void> {
  // The list has the newest first.
  const all = tasks.list();
  const earlier = all.slice(all.findIndex(({ id }) => id === handle.id) + 1);
  for (const task of earlier) {
    if (!isActive(task) || !PAGE_TASKS.some((kind) => kind === task.kind)) continue;
    await rejectOnAbort(tasks.whenEnded(task.id), handle.signal);
  }
  handle.begin();
}
