import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Dataset, DatasetReport } from '../../../../src-main/common/model/exports/export-options.ts';
import { useBackend } from '../../../backend/backend.ts';
import { createReading } from '../../../composables/use-query.ts';
import { useConnectionsStore } from '../../../stores/connections/connections.ts';
import { useTasksStore } from '../../../stores/window/app.ts';

/** Folders of Parquet that follow the cache. */
export const useDatasetsStore = defineStore('datasets', () => {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const tasks = useTasksStore();
  const { value: list, error, ask } = createReading<readonly Dataset[]>();
  /** The newest update of each, started here. */
  const taskIds = shallowRef<ReadonlyMap<string, string>>(new Map());
  /** Those of the connection that every screen looks at. */
  const own = computed(
    () => list.value?.filter(({ connectionId }) => connectionId === connections.active?.id) ?? null,
  );

  backend.on('datasets/changed', () => {
    if (list.value !== null) void load();
  });

  async function load(): Promise<void> {
    await ask(() => backend.call('datasets/list', null));
  }

  /** Adds a folder and begins to fill it; false when the person closed the dialog. */
  async function add(
    connectionId: string,
    reports: readonly DatasetReport[],
    isKept: boolean,
  ): Promise<boolean> {
    const added = await backend.call('datasets/add', { connectionId, reports: [...reports], isKept });
    if (added === null) return false;
    await update(added.id);
    return true;
  }

  async function update(datasetId: string): Promise<void> {
    const { taskId } = await backend.call('datasets/update', { datasetId });
    taskIds.value = new Map([...taskIds.value, [datasetId, taskId]]);
    await load();
  }

  async function keep(datasetId: string, isKept: boolean): Promise<void> {
    await backend.call('datasets/switch', { datasetId, isKept });
  }

  /** Forgets a folder; its files stay. */
  async function remove(datasetId: string): Promise<void> {
    await backend.call('datasets/remove', { datasetId });
  }

  /** The newest update that was started here. */
  function findTask(datasetId: string) {
    return tasks.find(taskIds.value.get(datasetId) ?? null);
  }

  return { own, error, load, add, update, keep, remove, findTask } as const;
});
