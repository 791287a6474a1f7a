import { defineStore } from 'pinia';
import { ref } from 'vue';
import type { Input } from '../../src-main/common/contract/index.ts';
import { useBackend } from '../backend/backend.ts';

/** Exports that were started from this window; what became of them is told by the tasks. */
export const useExportsStore = defineStore('exports', () => {
  const backend = useBackend();
  /** The newest export's task by snapshot, so that a dialog that was closed finds it again. */
  const taskIds = ref<Readonly<Record<number, string>>>({});

  /** Starts an export; false when the person closed the dialog that asks for the target. */
  async function start(request: Input<'exports/start'>): Promise<boolean> {
    const { taskId } = await backend.call('exports/start', request);
    if (taskId === null) return false;
    taskIds.value = { ...taskIds.value, [request.snapshotId]: taskId };
    return true;
  }

  async function stop(taskId: string): Promise<void> {
    await backend.call('tasks/cancel', { taskId });
  }

  /** Shows the finished file; in a browser the answer is the path to download it from. */
  async function reveal(taskId: string): Promise<string | null> {
    return (await backend.call('exports/reveal', { taskId })).downloadPath;
  }

  /** Forgets a finished export, so that the dialog offers a new one. */
  function forget(snapshotId: number): void {
    taskIds.value = Object.fromEntries(
      Object.entries(taskIds.value).filter(([id]) => Number(id) !== snapshotId),
    );
  }

  return { taskIds, start, stop, reveal, forget };
});
