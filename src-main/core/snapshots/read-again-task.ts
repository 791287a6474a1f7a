import { AppError } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { Period } from '../../common/model/period.ts';
import { hasChanged } from '../../common/model/cache/reading.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { isDetailKind } from '../../common/reporting/reports.ts';
import { fromWireDate } from '../../common/reporting/wire-dates.ts';
import type { Cache } from '../cache/cache.ts';
import { findLookBackMs } from '../connections/find-look-back.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import { countRecords, startPageTask } from './page-tasks.ts';

/**
 * Prepares the start of a task that reads stored pages again: of some snapshots, or of all of them (null). Each is read
 * in the time zone that its connection has now, since that may have been corrected. What a cancelled task has read stays.
 * Starting rejects with `cache.snapshot-not-found`.
 */
export function createReadAgain(options: {
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
