import { AppError } from '../../src-main/common/contract/errors.ts';
import type { Input } from '../../src-main/common/contract/index.ts';
import type { Task } from '../../src-main/common/model/cache/task.ts';
import type { Backend } from './backend.ts';

/** Operations that start a task whose end a caller may wait for. */
type TaskStart = 'connections/start-zone-check' | 'downloads/start-plan' | 'summaries/start-fetch';

/**
 * Starts a task and returns it once it is done. Aborting the signal cancels the task. Rejects with the AppError that
 * ended it otherwise, `app.cancelled` for a cancelled one.
 */
export async function runTask<Name extends TaskStart>(
  backend: Backend,
  name: Name,
  input: Input<Name>,
  signal: AbortSignal,
): Promise<Task> {
  signal.throwIfAborted();
  const { taskId } = await backend.call<TaskStart>(name, input);
  const cancel = (): void => void backend.call('tasks/cancel', { taskId }).catch(() => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const task = await backend.call('tasks/wait', { taskId });
    if (task.state === 'done') return task;
    const { code, message, details } = task.error ?? CANCELLED;
    throw new AppError(code, message, details);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

const CANCELLED = { code: 'app.cancelled', message: 'The task was cancelled.', details: {} } as const;
