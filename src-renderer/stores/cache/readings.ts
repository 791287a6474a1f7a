import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import { useBackend } from '../../backend/backend.ts';
import { useTasksStore } from '../window/tasks.ts';

/** The newest reading again of stored pages that was started here, until its result is dismissed. */
export const useReadingsStore = defineStore('readings', () => {
  const backend = useBackend();
  const tasks = useTasksStore();
  const taskId = shallowRef<string | null>(null);
  const task = computed(() => tasks.find(taskId.value));

  /** Starts a task; null reads every snapshot. Rejects with the core's error. */
  async function start(snapshotIds: readonly number[] | null): Promise<void> {
    const wanted = snapshotIds === null ? null : [...snapshotIds];
    taskId.value = (await backend.call('snapshots/read-again', { snapshotIds: wanted })).taskId;
  }

  function dismiss(): void {
    taskId.value = null;
  }

  return { task, start, dismiss } as const;
});
