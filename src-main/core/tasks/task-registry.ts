import { randomUUID } from 'node:crypto';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import type { Task } from '../../common/model/cache/task.ts';
import type { Logger } from '../logging/logger.ts';

/** What a running task may do to its entry. */
export interface TaskHandle {
  readonly id: string;
  /** Aborts with a TaskStop, whose kind is the reason. */
  readonly signal: AbortSignal;
  /** Marks a task that was registered as queued as running; what was done before, in units, is no part of its rate. */
  begin(doneBefore?: number): void;
  /** Units done so far and expected; rate and time left are worked out from the last seconds. */
  progress(done: number, total: number | null): void;
  /** Changes fields that only some kinds have. */
  update(
    change: Partial<
      Pick<
        Task,
        | 'retryAtMs'
        | 'requestsInFlight'
        | 'fileName'
        | 'fileBytes'
        | 'fileSha256'
        | 'filePath'
        | 'manifestName'
        | 'missing'
        | 'missingMs'
        | 'cutTexts'
        | 'replacedCharacters'
        | 'directionMarks'
        | 'signature'
        | 'steps'
        | 'plan'
        | 'zoneFinding'
        | 'readingOutcome'
        | 'importOutcome'
      >
    >,
  ): void;
}

/** All long work of the core: one registry, one way to watch and one to cancel. */
export interface TaskRegistry {
  /**
   * Registers and starts work; it counts as done, failed, cancelled or paused by how its promise settles.
   * Queued work is started too, waits for its turn itself, and then calls `begin`.
   */
  start(
    about: Pick<Task, 'kind'> &
      Partial<Pick<Task, 'connectionId' | 'snapshotId' | 'total'>> & { readonly isQueued?: boolean },
    work: (task: TaskHandle) => Promise<void>,
  ): Task;
  list(): Task[];
  get(taskId: string): Task;
  /** Throws `tasks.not-found`. A task that has ended is left as it is. */
  cancel(taskId: string): void;
  /** As cancel, for work that can be resumed later. */
  pause(taskId: string): void;
  /** Settles when the task has ended, however. */
  whenEnded(taskId: string): Promise<Task>;
  /** Cancels everything and waits. */
  stop(): Promise<void>;
}

/** True while a task waits for its turn or works. */
export function isActive({ state }: Pick<Task, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

/** Why a task was stopped before its work was done. */
type StopKind = 'cancelled' | 'paused' | 'closing';

const WORDS: Readonly<Record<StopKind, string>> = {
  cancelled: 'The task was cancelled.',
  paused: 'The task was paused.',
  closing: 'The application is closing.',
};

/**
 * The reason of a task's aborted signal. Work may also throw one itself, to pause for a `cause` that only the
 * user can fix.
 */
export class TaskStop extends AppError {
  readonly kind: StopKind;

  constructor(kind: StopKind, cause?: AppError) {
    super('app.cancelled', WORDS[kind], {}, cause);
    this.kind = kind;
  }
}

/** Returns why work was stopped, whether it threw the stop itself or its signal has it; null where it failed. */
export function findStop(error: unknown, signal: AbortSignal): TaskStop | null {
  if (error instanceof TaskStop) return error;
  const reason: unknown = signal.reason;
  return reason instanceof TaskStop ? reason : null;
}

const WINDOW_MS = 5000;
/** Samples closer than this are joined, so that fast work keeps few of them. */
const STEP_MS = 100;
/** A rate over less than this is no measure. */
const MIN_SPAN_MS = 500;

export interface ProgressRate {
  /** Measures from here on only: what was done before took another time. */
  begin(atMs: number, done: number): void;
  add(atMs: number, done: number): void;
  /** Units a second over the last five seconds; null while too little was seen. Falls while nothing happens. */
  read(nowMs: number): number | null;
}

/** Works out a rate from the last five seconds of progress. */
export function createProgressRate(startedAtMs: number): ProgressRate {
  const samples: { atMs: number; done: number }[] = [{ atMs: startedAtMs, done: 0 }];
  return {
    begin(atMs, done) {
      samples.splice(0, samples.length, { atMs, done });
    },
    add(atMs, done) {
      const last = samples.at(-1);
      if (last !== undefined && samples.length > 1 && atMs - last.atMs < STEP_MS) last.done = done;
      else samples.push({ atMs, done });
      while ((samples[1]?.atMs ?? Infinity) <= atMs - WINDOW_MS) samples.shift();
    },
    read(nowMs) {
      const windowStartMs = nowMs - WINDOW_MS;
      const last = samples.at(-1);
      const first = samples.findLast((sample) => sample.atMs <= windowStartMs) ?? samples[0];
      if (first === undefined || last === undefined) return null;
      const spanMs = nowMs - Math.max(first.atMs, windowStartMs);
      return spanMs < MIN_SPAN_MS ? null : Math.max(0, ((last.done - first.done) * 1000) / spanMs);
    },
  };
}

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

/** The handlers of `tasks/…`. */
export function createTasksHandlers(parts: { readonly tasks: TaskRegistry }): HandlersOf<'tasks'> {
  const { tasks } = parts;
  return {
    'tasks/list': () => tasks.list(),
    'tasks/cancel': ({ taskId }) => {
      tasks.cancel(taskId);
      return null;
    },
    'tasks/wait': ({ taskId }) => tasks.whenEnded(taskId),
  };
}

export interface Throttle {
  /** Sends now, or once the interval since the last sending is over. */
  request(): void;
  /** Sends what is still waiting, at once, and rests. */
  flush(): void;
}

/** Lets `send` run at most once in an interval; the last request is never lost. */
export function createThrottle(intervalMs: number, send: () => void): Throttle {
  let timer: NodeJS.Timeout | null = null;
  let waiting = false;

  function sendAndRest(): void {
    waiting = false;
    timer = setTimeout(() => {
      timer = null;
      if (waiting) sendAndRest();
    }, intervalMs);
    send();
  }

  return {
    request() {
      if (timer === null) sendAndRest();
      else waiting = true;
    },
    flush() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (!waiting) return;
      waiting = false;
      send();
    },
  };
}
