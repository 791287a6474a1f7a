import type { Task } from '../../common/model/cache/task.ts';
import { CommandError, EXIT, toCommandError } from '../exit-codes.ts';
import type { CommandContext } from '../words/command.ts';
import type { Session } from './session.ts';

/** How a task is shown and ended. */
interface TaskWords {
  /** What it does, such as "Fetching". */
  readonly doing: string;
  /** What it counts. */
  readonly unit: string;
  /** Ends it when the person does; left out, the task itself is cancelled. Null leaves it alone: it is not ours. */
  readonly cancel?: (() => Promise<unknown>) | null;
}

/** Waits for a task, however it ends, and shows how far it is. Throws a CommandError when the person cancels. */
export async function waitForTask(
  { out, signal }: Pick<CommandContext, 'out' | 'signal'>,
  session: Session,
  taskId: string,
  { doing, unit, cancel = () => session.call('tasks/cancel', { taskId }) }: TaskWords,
): Promise<Task> {
  const stopListening = session.on((name, payload) => {
    if (name === 'tasks/changed' && payload.id === taskId) out.progress(describe(payload, doing, unit));
  });
  let tellAbort: () => void = () => undefined;
  const aborted = new Promise<null>((resolve) => {
    tellAbort = () => resolve(null);
  });
  signal.addEventListener('abort', tellAbort);
  if (signal.aborted) tellAbort();
  try {
    const ended = session.call('tasks/wait', { taskId });
    const task = await Promise.race([ended, aborted]);
    if (task !== null) return task;
    ended.catch(() => undefined);
    if (cancel !== null) {
      await cancel();
      await ended;
    }
    throw new CommandError(EXIT.cancelled, 'Cancelled.');
  } finally {
    signal.removeEventListener('abort', tellAbort);
    stopListening();
    out.endProgress();
  }
}

/** Throws a CommandError unless the task did its work. */
export function requireDone(task: Task): void {
  if (task.state === 'done') return;
  if (task.error !== null) throw toCommandError(task.error);
  throw new CommandError(EXIT.cancelled, 'It was cancelled in the window.');
}

function describe({ done, total, ratePerSecond, remainingMs }: Task, doing: string, unit: string): string {
  const share = total === null ? '' : ` of ${total.toLocaleString('en')}`;
  const rate = ratePerSecond === null ? '' : `, ${Math.round(ratePerSecond).toLocaleString('en')}/s`;
  const left = remainingMs === null ? '' : `, ${Math.ceil(remainingMs / 1_000)} s left`;
  return `${doing}: ${done.toLocaleString('en')}${share} ${unit}${rate}${left}`;
}
