import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import type { Task } from '../../src-main/common/model/task.ts';
import { useBackend } from '../backend/backend.ts';

/** Long tasks of this run: downloads, exports, connection tests. */
export const useTasksStore = defineStore('tasks', () => {
  const backend = useBackend();
  const byId = ref<ReadonlyMap<string, Task>>(new Map());

  const all = computed(() => [...byId.value.values()].sort((a, b) => b.startedAtMs - a.startedAtMs));
  /** At work or waiting for their turn. */
  const running = computed(() => all.value.filter(({ state }) => state === 'running' || state === 'queued'));

  /** Reads the tasks and keeps listening; the answer stops that. */
  async function start(): Promise<() => void> {
    const stop = backend.on('tasks/changed', put);
    const known = await backend.call('tasks/list', null);
    // An event that came meanwhile is newer than the list.
    for (const task of known) if (!byId.value.has(task.id)) put(task);
    return stop;
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

  return { byId, all, running, start, find, cancel };
});
