import { Type } from 'typebox';
import { RecordOrder } from '../model/record.ts';
import { RecordFilter } from '../model/record-filter.ts';
import { RecordScope } from '../model/record-scope.ts';
import { operation, TaskId } from './operation.ts';

export const exportsOperations = {
  /**
   * Starts a task of kind `export` for the records of a snapshot or a period that match the filter. The host chooses
   * the file, or lets the user choose it; taskId is null when the user closed that dialog.
   */
  'exports/start': operation(
    Type.Object({
      scope: RecordScope,
      format: Type.Union([Type.Literal('csv'), Type.Literal('json')]),
      filter: RecordFilter,
      order: RecordOrder,
      /** Writes payloads and responses as well. */
      includePayload: Type.Boolean(),
      /** Writes the connection's own names of channels, services and actions, in columns beside their numbers. */
      includeNames: Type.Optional(Type.Boolean()),
      /** Writes a person's marks and notes, in columns of their own. */
      includeMarks: Type.Optional(Type.Boolean()),
    }),
    Type.Object({ taskId: Type.Union([Type.String(), Type.Null()]) }),
  ),
  /** Shows the finished file to the user: its folder on the desktop, a download in the browser. */
  'exports/reveal': operation(
    TaskId,
    Type.Object({ downloadPath: Type.Union([Type.String(), Type.Null()]) }),
  ),
};
