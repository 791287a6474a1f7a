import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import { useBackend } from '../../backend/backend.ts';

/** Long tasks of this run of the application, of every kind. */
export const useTasksStore = defineStore('tasks', () => {
  const backend = useBackend();
  const byId = shallowRef<ReadonlyMap<string, Task>>(new Map());

  /** Running or queued, newest first. */
  const running = computed(() =>
    [...byId.value.values()]
      .filter(({ state }) => state === 'running' || state === 'queued')
      .sort((a, b) => b.startedAtMs - a.startedAtMs),
  );

  let changedMeanwhile = new Set<string>();

  backend.on('tasks/changed', (task) => {
    changedMeanwhile.add(task.id);
    put(task);
  });

  async function load(): Promise<void> {
    changedMeanwhile = new Set();
    const known = await backend.call('tasks/list', null);
    // An event that arrived meanwhile is newer than the list.
    for (const task of known) if (!changedMeanwhile.has(task.id)) put(task);
  }

  function find(taskId: string | null): Task | null {
    return taskId === null ? null : (byId.value.get(taskId) ?? null);
  }

  async function cancel(taskId: string): Promise<void> {
    await backend.call('tasks/cancel', { taskId });
  }

  function put(task: Task): void {
    byId.value = new Map(byId.value).set(task.id, task);
  }

  return { byId, running, load, find, cancel } as const;
});
