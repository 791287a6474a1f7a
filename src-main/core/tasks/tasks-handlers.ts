import type { HandlersOf } from '../../common/contract/index.ts';
import type { TaskRegistry } from './task-registry.ts';

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
