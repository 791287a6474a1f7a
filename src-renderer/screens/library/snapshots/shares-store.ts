import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { useBackend } from '../../../backend/backend.ts';
import { useTasksStore } from '../../../stores/window/tasks.ts';

/** Portable files that are made of snapshots: the newest of them. */
export const useSharesStore = defineStore('shares', () => {
  const backend = useBackend();
  const tasks = useTasksStore();
  const taskId = ref<string | null>(null);

  const task = computed(() => tasks.find(taskId.value));

  /** Starts to write a file of snapshots; does nothing when the person closed the dialog for its target. */
  async function start(snapshotIds: readonly number[]): Promise<void> {
    const started = await backend.call('exports/start-portable', { snapshotIds: [...snapshotIds] });
    if (started.taskId !== null) taskId.value = started.taskId;
  }

  /** Shows the file; resolves to the path to download it from where the window is in a browser. */
  async function reveal(): Promise<string | null> {
    if (taskId.value === null) return null;
    return (await backend.call('exports/reveal', { taskId: taskId.value })).downloadPath;
  }

  function dismiss(): void {
    taskId.value = null;
  }

  return { task, start, reveal, dismiss } as const;
});
