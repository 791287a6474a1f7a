import type { BrowserWindow } from 'electron';
import type { EventPayload } from '../../common/contract/index.ts';
import type { Core } from '../../core/create-core.ts';
import { isActive } from '../../core/tasks/task-registry.ts';

type Task = EventPayload<'tasks/changed'>;

/** Values that the system shows as no bar, and as a bar of unknown length. */
const NO_BAR = -1;
const NO_END = 2;

/** Shows how far the downloads are together, in the taskbar or the dock. Returns a function that stops it. */
export function showProgress(
  core: Pick<Core, 'on'>,
  listWindows: () => readonly BrowserWindow[],
): () => void {
  const downloads = new Map<string, Task>();
  return core.on((name, task) => {
    if (name !== 'tasks/changed' || task.kind !== 'download') return;
    if (isActive(task)) downloads.set(task.id, task);
    else downloads.delete(task.id);
    // Systems show the bar of the window whose button they show.
    for (const window of listWindows()) {
      if (!window.isDestroyed()) window.setProgressBar(toShare([...downloads.values()]));
    }
  });
}

function toShare(tasks: readonly Task[]): number {
  if (tasks.length === 0) return NO_BAR;
  const total = tasks.reduce((sum, task) => sum + (task.total ?? 0), 0);
  const done = tasks.reduce((sum, task) => sum + task.done, 0);
  return total === 0 || tasks.some((task) => task.total === null) ? NO_END : Math.min(1, done / total);
}
