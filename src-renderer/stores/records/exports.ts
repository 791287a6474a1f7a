import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Input, Output } from '../../../src-main/common/contract/index.ts';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import type { RecordScope } from '../../../src-main/common/model/records/record-scope.ts';
import { useBackend } from '../../backend/backend.ts';
import { saveFromPath } from '../../composables/save-file.ts';
import { useTasksStore } from '../window/tasks.ts';

/** What an export is of: records of a scope, or an open result of SQL. */
export type ExportRequest = Input<'exports/start'> | Input<'exports/start-result'>;

/** Returns what tells exports of one scope, or of one result of SQL, from all others. */
export function toSubjectKey(of: RecordScope | string, isSummary = false): string {
  if (typeof of === 'string') return of;
  if (isSummary) return `summary|${toSubjectKey(of)}`;
  if ('snapshotId' in of) return String(of.snapshotId);
  return [of.connectionId, of.report, of.fromMs, of.toMs].join('|');
}

/** Exports of this run of the application; the tasks carry their progress and their end. */
export const useExportsStore = defineStore('exports', () => {
  const backend = useBackend();
  const tasks = useTasksStore();
  /** The newest export's task by what it is of, so that a dialog that was closed finds it again. */
  const taskIds = shallowRef<ReadonlyMap<string, string>>(new Map());
  /** The export that an open dialog shows. */
  const shownId = shallowRef<string | null>(null);
  /** Exports that changed since the window was opened: what ended before is no news. */
  const changed = shallowRef<ReadonlySet<string>>(new Set());
  /** Exports whose end a person has seen. */
  const seen = shallowRef<ReadonlySet<string>>(new Set());

  /** Newest first. */
  const recent = computed(() =>
    [...tasks.byId.values()]
      .filter(({ kind }) => kind === 'export')
      .sort((a, b) => b.startedAtMs - a.startedAtMs),
  );
  const running = computed(() => recent.value.filter(isRunning));
  /** The newest one that ended outside of its dialog, until it is dismissed; one that a person stopped is no news. */
  const ended = computed(() => {
    const [first] = recent.value;
    if (first === undefined || isRunning(first) || first.state === 'cancelled') return null;
    const isNews = changed.value.has(first.id) && !seen.value.has(first.id);
    return isNews && first.id !== shownId.value ? first : null;
  });

  backend.on('tasks/changed', ({ id, kind }) => {
    if (kind === 'export' && !changed.value.has(id)) changed.value = new Set(changed.value).add(id);
  });

  /** Starts an export and returns its task's id; null when the person closed the dialog that asks for the target. */
  async function start(request: ExportRequest): Promise<string | null> {
    const { taskId } = await ('resultId' in request
      ? backend.call('exports/start-result', request)
      : backend.call('exports/start', request));
    const key = 'resultId' in request ? request.resultId : toSubjectKey(request.scope, request.isSummary);
    if (taskId !== null) taskIds.value = new Map(taskIds.value).set(key, taskId);
    return taskId;
  }

  /** Starts to write a portable file of snapshots; does nothing when the person closed the dialog for its target. */
  async function startPortable(snapshotIds: readonly number[]): Promise<void> {
    await backend.call('exports/start-portable', { snapshotIds: [...snapshotIds] });
  }

  /** Reads the beginning of what an export would write. */
  function preview(request: ExportRequest): Promise<Output<'exports/preview'>> {
    return 'resultId' in request
      ? backend.call('exports/preview-result', request)
      : backend.call('exports/preview', request);
  }

  /** Shows the finished file in its folder; a browser saves it, and what describes it. */
  async function reveal(taskId: string): Promise<void> {
    const { downloadPath, manifestPath } = await backend.call('exports/reveal', { taskId });
    const task = tasks.find(taskId);
    if (downloadPath !== null) saveFromPath(downloadPath, task?.fileName ?? '');
    if (manifestPath !== null) saveFromPath(manifestPath, task?.manifestName ?? '');
    dismiss(taskId);
  }

  function dismiss(taskId: string): void {
    seen.value = new Set(seen.value).add(taskId);
  }

  /** Notes which export a dialog shows; the one before has been seen where it ended there. */
  function show(taskId: string | null): void {
    const before = tasks.find(shownId.value);
    if (before !== null && !isRunning(before)) dismiss(before.id);
    shownId.value = taskId;
  }

  return {
    recent,
    running,
    ended,
    findTaskId: (key: string): string | null => taskIds.value.get(key) ?? null,
    start,
    startPortable,
    preview,
    reveal,
    dismiss,
    show,
  } as const;
});

function isRunning({ state }: Task): boolean {
  return state === 'running' || state === 'queued';
}
