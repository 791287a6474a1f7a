import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { Input } from '../../src-main/common/contract/index.ts';
import type { RecordScope } from '../../src-main/common/model/record-scope.ts';
import { useBackend } from '../backend/backend.ts';

/** Exports that were started from this window; the tasks carry their progress and their end. */
export const useExportsStore = defineStore('exports', () => {
  const backend = useBackend();
  /** The newest export's task by what it is of, so that a dialog that was closed finds it again. */
  const taskIds = shallowRef<ReadonlyMap<string, string>>(new Map());

  /** Starts an export; does nothing when the person closed the dialog that asks for the target. */
  async function start(request: Input<'exports/start'>): Promise<void> {
    const { taskId } = await backend.call('exports/start', request);
    if (taskId !== null) taskIds.value = new Map(taskIds.value).set(toSubjectKey(request.scope), taskId);
  }

  /** Shows the finished file; in a browser it resolves to the path to download it from. */
  async function reveal(taskId: string): Promise<string | null> {
    return (await backend.call('exports/reveal', { taskId })).downloadPath;
  }

  /** Forgets a finished export, so that the dialog offers a new one. */
  function forget(scope: RecordScope): void {
    const rest = new Map(taskIds.value);
    rest.delete(toSubjectKey(scope));
    taskIds.value = rest;
  }

  function findTaskId(scope: RecordScope): string | null {
    return taskIds.value.get(toSubjectKey(scope)) ?? null;
  }

  return { findTaskId, start, reveal, forget } as const;
});

function toSubjectKey(scope: RecordScope): string {
  if ('snapshotId' in scope) return String(scope.snapshotId);
  return [scope.connectionId, scope.report, scope.fromMs, scope.toMs].join('|');
}
