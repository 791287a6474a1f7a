import { Type } from 'typebox';
import { RecordOrder } from '../model/record.ts';
import { RecordFilter } from '../model/record-filter.ts';
import { RecordScope } from '../model/record-scope.ts';
import { operation } from './operation.ts';

export const exportsOperations = {
  /**
   * Exports a snapshot or a period, or the records of it that a filter leaves. The host asks for or chooses the target;
   * taskId is null when the person closed the dialog.
   */
  'exports/start': operation(
    Type.Object({
      scope: RecordScope,
      format: Type.Union([Type.Literal('csv'), Type.Literal('json')]),
      filter: RecordFilter,
      order: RecordOrder,
      /** Writes payloads and responses as well. */
      includePayload: Type.Boolean(),
    }),
    Type.Object({ taskId: Type.Union([Type.String(), Type.Null()]) }),
  ),
  /** Shows the finished file to the person: its folder on the desktop, a download in the browser. */
  'exports/reveal': operation(
    Type.Object({ taskId: Type.String() }),
    Type.Object({ downloadPath: Type.Union([Type.String(), Type.Null()]) }),
  ),
};
