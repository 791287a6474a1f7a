import type { Emit } from '../../common/contract/index.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import type { Cache } from '../cache/cache.ts';
import { countRecords, startPageTask } from './page-tasks.ts';

/**
 * Prepares the start of a task that checks stored pages: of some snapshots, or of all of them (null) and the whole
 * file. What a cancelled task has checked stays saved. Starting rejects with `cache.snapshot-not-found`.
 */
export function createVerification(options: {
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
