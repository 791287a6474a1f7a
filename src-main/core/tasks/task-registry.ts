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
