import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { Input, Output } from '../../../src-main/common/contract/index.ts';
import type { RecordScope } from '../../../src-main/common/model/records/record-scope.ts';
import { useBackend } from '../../backend/backend.ts';

/** What an export is of: records of a scope, or an open result of SQL. */
export type ExportRequest = Input<'exports/start'> | Input<'exports/start-result'>;
/** A scope, or the id of a result. */
type ExportKey = RecordScope | string;

/** Exports that were started from this window; the tasks carry their progress and their end. */
export const useExportsStore = defineStore('exports', () => {
  const backend = useBackend();
  /** The newest export's task by what it is of, so that a dialog that was closed finds it again. */
  const taskIds = shallowRef<ReadonlyMap<string, string>>(new Map());

  /** Starts an export; does nothing when the person closed the dialog that asks for the target. */
  async function start(request: ExportRequest): Promise<void> {
    const { taskId } = await ('resultId' in request
      ? backend.call('exports/start-result', request)
      : backend.call('exports/start', request));
    const key = 'resultId' in request ? request.resultId : toSubjectKey(request.scope, request.isSummary);
    if (taskId !== null) taskIds.value = new Map(taskIds.value).set(key, taskId);
  }

  /** Reads the beginning of what an export would write. */
  function preview(request: ExportRequest): Promise<Output<'exports/preview'>> {
    return 'resultId' in request
      ? backend.call('exports/preview-result', request)
      : backend.call('exports/preview', request);
  }

  /** Shows the finished file; in a browser it resolves to the paths to download it and its manifest from. */
  function reveal(taskId: string): Promise<Output<'exports/reveal'>> {
    return backend.call('exports/reveal', { taskId });
  }

  /** Forgets a finished export, so that the dialog offers a new one. */
  function forget(of: ExportKey, isSummary = false): void {
    const rest = new Map(taskIds.value);
    rest.delete(toSubjectKey(of, isSummary));
    taskIds.value = rest;
  }

  function findTaskId(of: ExportKey, isSummary = false): string | null {
    return taskIds.value.get(toSubjectKey(of, isSummary)) ?? null;
  }

  return { findTaskId, start, preview, reveal, forget } as const;
});

function toSubjectKey(of: ExportKey, isSummary = false): string {
  if (typeof of === 'string') return of;
  if (isSummary) return `summary|${toSubjectKey(of)}`;
  if ('snapshotId' in of) return String(of.snapshotId);
  return [of.connectionId, of.report, of.fromMs, of.toMs].join('|');
}
