import { computed, shallowRef, watch } from 'vue';
import { useAttempt } from '../../../composables/use-attempt.ts';
import type { ErrorLike } from '../../../messages/error-like.ts';
import { toSubjectKey, useExportsStore, type ExportRequest } from '../../../stores/records/exports.ts';
import { useTasksStore } from '../../../stores/window/app.ts';
import type { ExportSubject } from './export-choices.ts';

/** The newest export of a subject: one that runs, or has ended since the dialog was opened. */
export function useExportTask(readSubject: () => ExportSubject, readOpen: () => boolean) {
  const exports = useExportsStore();
  const tasks = useTasksStore();
  const { isRunning: isCalling, error: callError, attempt, clearError } = useAttempt();
  /** A period that moves on meanwhile is still that of the export that was started here. */
  const taskId = shallowRef<string | null>(null);

  const task = computed(() => tasks.find(taskId.value));
  const isRunning = computed(() => task.value?.state === 'running');
  const error = computed<ErrorLike | null>(() => {
    if (callError.value !== null || task.value?.state !== 'failed') return callError.value;
    return task.value.error ?? { code: 'app.bug' };
  });

  watch(
    readOpen,
    (isOpen) => {
      exports.show(null);
      if (!isOpen) return;
      clearError();
      const { scope, isComputed } = readSubject();
      const found = tasks.find(
        exports.findTaskId(toSubjectKey('resultId' in scope ? scope.resultId : scope, isComputed)),
      );
      // One that ended while the dialog was closed makes room for another; one that runs is shown again.
      taskId.value = found?.state === 'running' ? found.id : null;
      exports.show(taskId.value);
    },
    { immediate: true },
  );

  function start(request: ExportRequest): Promise<boolean> {
    return attempt(async () => {
      const started = await exports.start(request);
      if (started === null) return;
      taskId.value = started;
      exports.show(started);
    });
  }

  return {
    task,
    /** Something was asked for, and has not been answered yet. */
    isCalling,
    isRunning,
    isDone: computed(() => task.value?.state === 'done'),
    error,
    /** Closes the result of an export that has ended. */
    dismiss: () => (taskId.value = null),
    start,
    stop: () => attempt(() => tasks.cancel(taskId.value ?? '')),
    /** Shows the finished file; a browser saves it, and what describes it. */
    reveal: () => attempt(() => exports.reveal(taskId.value ?? '')),
  };
}
