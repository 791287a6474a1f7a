import { computed } from 'vue';
import { saveFromPath } from '../../../composables/save-file.ts';
import { useAttempt } from '../../../composables/use-attempt.ts';
import type { ErrorLike } from '../../../messages/error-like.ts';
import { useExportsStore, type ExportRequest } from '../../../stores/records/exports.ts';
import { useTasksStore } from '../../../stores/window/tasks.ts';
import type { ExportSubject } from './export-subject.ts';

/** The newest export of a subject: one that runs or has ended, or none yet. */
export function useExportTask(readSubject: () => ExportSubject) {
  const exports = useExportsStore();
  const tasks = useTasksStore();
  const { isRunning: isCalling, error: callError, attempt, clearError } = useAttempt();

  const key = computed(() => {
    const { scope } = readSubject();
    return 'resultId' in scope ? scope.resultId : scope;
  });
  const task = computed(() => tasks.find(exports.findTaskId(key.value, readSubject().isComputed)));
  const isRunning = computed(() => task.value?.state === 'running');
  const error = computed<ErrorLike | null>(() => {
    if (callError.value !== null || task.value?.state !== 'failed') return callError.value;
    return task.value.error ?? { code: 'app.bug' };
  });

  /** Makes room for a new export where the last one has ended; one that runs stays. */
  function forgetEnded(): void {
    clearError();
    if (task.value !== null && !isRunning.value) exports.forget(key.value, readSubject().isComputed);
  }

  function start(request: ExportRequest): Promise<boolean> {
    return attempt(() => exports.start(request));
  }

  function stop(): Promise<boolean> {
    return attempt(() => tasks.cancel(task.value?.id ?? ''));
  }

  /** Shows the finished file; a browser saves it, and what describes it. */
  function show(taskId: string): Promise<boolean> {
    return attempt(async () => {
      const { downloadPath, manifestPath } = await exports.reveal(taskId);
      if (downloadPath !== null) saveFromPath(downloadPath, task.value?.fileName ?? '');
      if (manifestPath !== null) saveFromPath(manifestPath, task.value?.manifestName ?? '');
    });
  }

  return {
    task,
    /** Something was asked for, and has not been answered yet. */
    isCalling,
    isRunning,
    isDone: computed(() => task.value?.state === 'done'),
    error,
    forgetEnded,
    start,
    stop,
    show,
  };
}
