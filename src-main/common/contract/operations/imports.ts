import { Type } from 'typebox';
import { ReportKindSchema } from '../../model/cache/snapshot.ts';
import { operation } from '../operation.ts';

export const importsOperations = {
  /**
   * Starts a task of kind `library-import` for a CSV, JSON or NDJSON export or a portable snapshot: an uploaded file, or
   * (id null) one that the host lets the person choose. taskId is null when nothing was chosen.
   */
  'imports/start': operation(
    Type.Object({
      uploadId: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
      /** The connection that gets the records; null for a place of their own. */
      connectionId: Type.Union([Type.String(), Type.Null()]),
      /** What the records are of, for a file that doesn't tell. */
      report: Type.Optional(ReportKindSchema),
      /** The zone of dates that carry none, for a file that doesn't tell. */
      zone: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    Type.Object({ taskId: Type.Union([Type.String(), Type.Null()]) }),
  ),
};
