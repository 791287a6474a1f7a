import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { Input } from '../../src-main/common/contract/index.ts';
import { useBackend } from '../backend/backend.ts';

/** Exports that were started from this window; the tasks carry their progress and their end. */
export const useExportsStore = defineStore('exports', () => {
  const backend = useBackend();
  /** The newest export's task by snapshot, so that a dialog that was closed finds it again. */
  const taskIds = shallowRef<ReadonlyMap<number, string>>(new Map());

  /** Starts an export; does nothing when the person closed the dialog that asks for the target. */
  async function start(request: Input<'exports/start'>): Promise<void> {
    const { taskId } = await backend.call('exports/start', request);
    if (taskId !== null) taskIds.value = new Map(taskIds.value).set(request.snapshotId, taskId);
  }

  /** Shows the finished file; in a browser it resolves to the path to download it from. */
  async function reveal(taskId: string): Promise<string | null> {
    return (await backend.call('exports/reveal', { taskId })).downloadPath;
  }

  /** Forgets a finished export, so that the dialog offers a new one. */
  function forget(snapshotId: number): void {
    const rest = new Map(taskIds.value);
    rest.delete(snapshotId);
    taskIds.value = rest;
  }

  return { taskIds, start, reveal, forget } as const;
});
