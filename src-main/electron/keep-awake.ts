import { powerSaveBlocker } from 'electron';
import type { Core } from '../core/create-core.ts';

/** Keeps the computer from going to sleep by itself while something is being downloaded. Returns a function that stops it. */
export function keepAwake(core: Pick<Core, 'on'>): () => void {
  const running = new Set<string>();
  let blocker: number | null = null;
  const release = (): void => {
    if (blocker !== null) powerSaveBlocker.stop(blocker);
    blocker = null;
  };
  const stop = core.on((name, task) => {
    if (name !== 'tasks/changed' || task.kind !== 'download') return;
    if (task.state === 'running') running.add(task.id);
    else running.delete(task.id);
    if (running.size === 0) release();
    else blocker ??= powerSaveBlocker.start('prevent-app-suspension');
  });
  return () => {
    stop();
    release();
  };
}
