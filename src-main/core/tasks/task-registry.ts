import { AppError } from '../../common/contract/errors.ts';
import type { Task } from '../../common/model/cache/task.ts';

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
export type StopKind = 'cancelled' | 'paused' | 'closing';

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
