import { Type } from 'typebox';
import { RecordFilter, RecordOrder } from '../model/record.ts';
import { Task } from '../model/task.ts';
import { Nothing, operation } from './operation.ts';

const TaskId = Type.Object({ taskId: Type.String() });

export const tasksOperations = {
  'tasks/list': operation(Nothing, Type.Array(Task)),
  'tasks/cancel': operation(TaskId, Nothing),
  /**
   * Exports a snapshot, or the records of it that a filter leaves. The host asks for or chooses the target;
   * taskId is null when the person closed the dialog.
   */
  'exports/start': operation(
    Type.Object({
      snapshotId: Type.Integer(),
      format: Type.Union([Type.Literal('csv'), Type.Literal('json')]),
      filter: RecordFilter,
      order: RecordOrder,
      /** Leave payloads and responses out. */
      includePayload: Type.Boolean(),
    }),
    Type.Object({ taskId: Type.Union([Type.String(), Type.Null()]) }),
  ),
  /** Shows the finished file to the person: its folder on the desktop, a download in the browser. */
  'exports/reveal': operation(
    TaskId,
    Type.Object({ downloadPath: Type.Union([Type.String(), Type.Null()]) }),
  ),
};
export const tasksEvents = { 'tasks/changed': Task };
