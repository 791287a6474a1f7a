import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import type { Cache } from '../cache/cache.ts';
import { rejectOnAbort } from '../calls/reject-on-abort.ts';
import { isActive, type TaskHandle, type TaskRegistry } from '../tasks/task-registry.ts';

const PAGE_TASKS = ['verify', 'read-again'] as const;
type PageTask = (typeof PAGE_TASKS)[number];

/**
 * Starts a task over the stored pages of some snapshots, or of all of them (null), once earlier such tasks have ended.
 * Rejects with `cache.snapshot-not-found`.
 */
export async function startPageTask(
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
export function countRecords(snapshots: readonly Snapshot[]): number {
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
