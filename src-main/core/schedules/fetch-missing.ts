import { toErrorInfo, type ErrorInfo } from '../../common/contract/errors.ts';
import type { Handlers } from '../../common/contract/index.ts';
import type { Task } from '../../common/model/cache/task.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../common/time/durations.ts';
import { isActive, type TaskRegistry } from '../tasks/task-registry.ts';

/**
 * How long a run waits for a service that can't be reached, such as after sleep; then it goes on with what there is.
 */
const PATIENCE_MS = 30 * MINUTE_MS;

/** Fetches what a run needs. */
export interface MissingFetcher {
  /** Settles once every download of the span has ended; resolves to why one did not reach its end. */
  fetchSpan(
    span: {
      readonly connectionId: string;
      readonly report: DetailKind;
      readonly fromMs: number;
      readonly toMs: number;
    },
    signal: AbortSignal,
  ): Promise<ErrorInfo | null>;
  /** Pauses downloads that have waited for their service for too long; called now and then. */
  look(): void;
}

/** Builds what fetches for runs, by the downloads that a person starts too. */
export function createMissingFetcher(parts: {
  readonly tasks: Pick<TaskRegistry, 'get' | 'pause' | 'cancel' | 'whenEnded'>;
  readonly fetchGaps: Handlers['downloads/fetch-gaps'];
  now(): number;
}): MissingFetcher {
  const { tasks, fetchGaps, now } = parts;
  /** Since when each download has waited; null while it does not. */
  const waiting = new Map<string, number | null>();

  return {
    async fetchSpan({ toMs, ...span }, signal) {
      let taskIds: string[] = [];
      const cancel = (): void => {
        for (const taskId of taskIds) tasks.cancel(taskId);
      };
      try {
        // The operation takes the last second.
        const started = await fetchGaps({ ...span, toMs: toMs - 1_000 });
        taskIds = started.map(({ taskId }) => taskId);
      } catch (error) {
        return toErrorInfo(error);
      }
      signal.addEventListener('abort', cancel);
      if (signal.aborted) cancel();
      const watch = async (taskId: string): Promise<Task> => {
        waiting.set(taskId, null);
        return tasks.whenEnded(taskId).finally(() => waiting.delete(taskId));
      };
      try {
        const ended = await Promise.all(taskIds.map(watch));
        signal.throwIfAborted();
        return ended.find(({ error }) => error !== null)?.error ?? null;
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
    look() {
      for (const [taskId, sinceMs] of waiting) {
        const task = tasks.get(taskId);
        if (!isActive(task) || task.retryAtMs === null) waiting.set(taskId, null);
        else if (sinceMs === null) waiting.set(taskId, now());
        else if (now() - sinceMs >= PATIENCE_MS) tasks.pause(taskId);
      }
    },
  };
}
