import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import { useBackend } from '../../backend/backend.ts';
import { createListReader } from '../../backend/list-reader.ts';

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

  const reader = createListReader(
    () => backend.call('tasks/list', null),
    (task: Task) => task.id,
  );

  backend.on('tasks/changed', (task) => {
    reader.note(task.id, task);
    put(task);
  });

  async function load(): Promise<void> {
    for (const task of await reader.read()) put(task);
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
