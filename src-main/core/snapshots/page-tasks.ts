import { rejectOnAbort } from '../client/reject-on-abort.ts';
import { isActive, type TaskHandle, type TaskRegistry } from '../tasks/task-registry.ts';

const PAGE_TASKS: readonly string[] = ['verify', 'read-again'];

/**
 * Waits for earlier tasks over stored pages, then begins: one that checks pages must not see another one replace them.
 * Rejects when the waiting task is cancelled.
 */
export async function awaitPageTasks(tasks: TaskRegistry, handle: TaskHandle): Promise<void> {
  // The list has the newest first.
  const all = tasks.list();
  const earlier = all.slice(all.findIndex(({ id }) => id === handle.id) + 1);
  for (const task of earlier) {
    if (!isActive(task) || !PAGE_TASKS.includes(task.kind)) continue;
    await rejectOnAbort(tasks.whenEnded(task.id), handle.signal);
  }
  handle.begin();
}
