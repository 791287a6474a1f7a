import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import { hasChanged, type Snapshot } from '../../common/model/cache/snapshot.ts';
import type { Period } from '../../common/model/period.ts';
import { isDetailKind } from '../../common/reporting/reports.ts';
import { fromWireDate } from '../../common/reporting/wire-documents.ts';
import type { Cache } from '../cache/cache.ts';
import { rejectOnAbort } from '../calls/calls.ts';
import { findLookBackMs, type ConnectionStore } from '../connections/create-connections.ts';
import { isActive, type TaskHandle, type TaskRegistry } from '../tasks/task-registry.ts';
import type { Housekeeping } from './housekeeping.ts';

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
