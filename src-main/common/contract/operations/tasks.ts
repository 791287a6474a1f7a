import { Type } from 'typebox';
import { Task } from '../../model/cache/task.ts';
import { Nothing, operation, TaskId } from '../operation.ts';

export const tasksOperations = {
  'tasks/list': operation(Nothing, Type.Array(Task)),
  'tasks/cancel': operation(TaskId, Nothing),
  /** Resolves once the task has ended, however it ended. */
  'tasks/wait': operation(TaskId, Task),
};

export const tasksEvents = { 'tasks/changed': Task };
