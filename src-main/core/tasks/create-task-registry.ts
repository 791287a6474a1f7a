import { randomUUID } from 'node:crypto';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { Task } from '../../common/model/cache/task.ts';
import type { Logger } from '../logging/logger.ts';
import {
  createProgressRate,
  isActive,
  findStop,
  TaskStop,
  type ProgressRate,
  type TaskHandle,
  type TaskRegistry,
  type StopKind,
} from './task-registry.ts';
import { createThrottle, type Throttle } from './throttle.ts';

const ENDED_KEPT = 50;
const EVENT_INTERVAL_MS = 100;

interface Entry {
  task: Task;
  readonly rate: ProgressRate;
  readonly changes: Throttle;
  readonly controller: AbortController;
  ended: Promise<void>;
}

/**
 * The registry of long work. `tasks/changed` is sent at most ten times a second for each task, its last
 * state always; the last 50 ended tasks are kept. Starting after `stop` throws `app.cancelled`.
 */
export function createTaskRegistry(options: {
  now(): number;
  emit: Emit;
  newId?: () => string;
  logger: Logger;
}): TaskRegistry {
  const { now, emit, newId = randomUUID, logger } = options;
  const entries = new Map<string, Entry>();
  let stopped = false;

  function find(taskId: string): Entry {
    const entry = entries.get(taskId);
    if (entry === undefined) throw new AppError('tasks.not-found', 'There is no such task.', { taskId });
    return entry;
  }

  function announce(entry: Entry): void {
    try {
      emit('tasks/changed', toTask(entry, now()));
    } catch (error) {
      logger.error('a task could not be announced', { taskId: entry.task.id, error });
    }
  }

  function end(entry: Entry, state: Task['state'], error: Task['error']): void {
    entry.task = { ...entry.task, state, error, endedAtMs: now(), retryAtMs: null };
    entry.changes.request();
    const ended = [...entries.values()].filter(({ task }) => !isActive(task));
    for (const { task } of ended.slice(0, -ENDED_KEPT)) entries.delete(task.id);
    logger.info('a task ended', {
      taskId: entry.task.id,
      kind: entry.task.kind,
      state,
      failure: error?.code,
    });
  }

  function fail(entry: Entry, error: unknown): void {
    const stop = findStop(error, entry.controller.signal);
    const cancelled = error instanceof AppError && error.code === 'app.cancelled';
    if (cancelled || stop !== null) {
      const cause = stop?.cause instanceof AppError ? toErrorInfo(stop.cause) : null;
      end(entry, stop?.kind === 'paused' ? 'paused' : 'cancelled', cause);
      return;
    }
    logger.error('a task failed', { taskId: entry.task.id, kind: entry.task.kind, error });
    end(entry, 'failed', toErrorInfo(error));
  }

  function change(entry: Entry, changed: Partial<Task>): void {
    if (!isActive(entry.task)) return;
    entry.task = { ...entry.task, ...changed };
    entry.changes.request();
  }

  function toHandle(entry: Entry): TaskHandle {
    return {
      id: entry.task.id,
      signal: entry.controller.signal,
      begin: (doneBefore = 0) => {
        entry.rate.begin(now(), doneBefore);
        change(entry, { state: 'running', startedAtMs: now(), done: doneBefore });
      },
      progress(done, total) {
        entry.rate.add(now(), done);
        change(entry, { done, total });
      },
      update: (changed) => change(entry, changed),
    };
  }

  function stop(entry: Entry, kind: StopKind): void {
    if (isActive(entry.task)) entry.controller.abort(new TaskStop(kind));
  }

  return {
    start({ isQueued = false, ...about }, work) {
      if (stopped) throw new AppError('app.cancelled', 'The application is closing.');
      const startedAtMs = now();
      const entry: Entry = {
        task: { ...EMPTY_TASK, ...about, id: newId(), startedAtMs, state: isQueued ? 'queued' : 'running' },
        rate: createProgressRate(startedAtMs),
        changes: createThrottle(EVENT_INTERVAL_MS, () => announce(entry)),
        controller: new AbortController(),
        ended: Promise.resolve(),
      };
      entries.set(entry.task.id, entry);
      entry.changes.request();
      // The caller has the task's id before its work begins.
      entry.ended = Promise.resolve()
        .then(() => work(toHandle(entry)))
        .then(
          () => end(entry, 'done', null),
          (error: unknown) => fail(entry, error),
        );
      return toTask(entry, startedAtMs);
    },
    list: () => [...entries.values()].map((entry) => toTask(entry, now())).reverse(),
    get: (taskId) => toTask(find(taskId), now()),
    cancel: (taskId) => stop(find(taskId), 'cancelled'),
    pause: (taskId) => stop(find(taskId), 'paused'),
    async whenEnded(taskId) {
      const entry = find(taskId);
      await entry.ended;
      return toTask(entry, now());
    },
    async stop() {
      stopped = true;
      const all = [...entries.values()];
      for (const entry of all) stop(entry, 'closing');
      await Promise.all(all.map((entry) => entry.ended));
      for (const entry of all) entry.changes.flush();
    },
  };
}

const EMPTY_TASK = {
  connectionId: null,
  snapshotId: null,
  total: null,
  done: 0,
  ratePerSecond: null,
  remainingMs: null,
  endedAtMs: null,
  error: null,
  retryAtMs: null,
  fileName: null,
  fileBytes: null,
  steps: [],
} satisfies Partial<Task>;

/** The task as it is sent to the window: rate and time left are of this moment, and of running tasks only. */
function toTask(entry: Entry, nowMs: number): Task {
  const { task } = entry;
  if (task.state !== 'running') return task;
  const ratePerSecond = entry.rate.read(nowMs);
  const known = task.total !== null && ratePerSecond !== null && ratePerSecond > 0;
  const remainingMs = known
    ? Math.round((Math.max(0, (task.total ?? 0) - task.done) * 1000) / ratePerSecond)
    : null;
  return { ...task, ratePerSecond, remainingMs };
}
