import type { Task } from '../../common/model/task.ts';

/** What a running task may do to its entry. */
export interface TaskHandle {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Units done so far and expected; rate and time left are worked out from the last seconds. */
  progress(done: number, total: number | null): void;
  /** Changes fields that only some kinds have. */
  update(change: Partial<Pick<Task, 'retryAtMs' | 'fileName' | 'fileBytes' | 'steps'>>): void;
}

/** All long work of the core: one registry, one way to watch and one to cancel. */
export interface TaskRegistry {
  /** Registers and starts work; it counts as done, failed or cancelled by how its promise settles. */
  start(
    about: {
      kind: Task['kind'];
      connectionId: string | null;
      snapshotId: number | null;
      total: number | null;
    },
    work: (task: TaskHandle) => Promise<void>,
  ): Task;
  list(): Task[];
  get(taskId: string): Task;
  /** Throws `tasks.not-found`. A task that has ended is left as it is. */
  cancel(taskId: string): void;
  /** Settles when the task has ended, however. */
  whenEnded(taskId: string): Promise<Task>;
  /** Cancels everything and waits. */
  stop(): Promise<void>;
}
