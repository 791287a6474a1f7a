import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { isActive, type TaskRegistry } from '../tasks/task-registry.ts';
import type { Cache } from '../cache/cache.ts';
import { createReadAgain } from './read-again-task.ts';
import type { Housekeeping } from './housekeeping.ts';
import { createVerification } from './verification-task.ts';

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
