import { Type, type Static } from 'typebox';
import { DATE_ORDERS } from '../../reporting/reading/read-date.ts';
import { ReportKindSchema } from '../../model/cache/snapshot.ts';
import { Nullable } from '../../model/nullable.ts';
import { Nothing, operation } from '../operation.ts';

/** A file that the host knows by an id. */
const OfferedFile = Type.Object({
  uploadId: Type.String(),
  name: Type.String(),
  /** In bytes; null where it isn't known, such as for a file that is missing. */
  size: Nullable(Type.Integer()),
});
export type OfferedFile = Static<typeof OfferedFile>;

export const importsOperations = {
  /**
   * Starts a task of kind `library-import` for a CSV, JSON, NDJSON or Parquet export or a portable snapshot: an uploaded file, or
   * (id null) one that the host lets the person choose. taskId is null when nothing was chosen.
   */
  'imports/start': operation(
    Type.Object({
      uploadId: Nullable(Type.String({ maxLength: 100 })),
      /** The connection that gets the records; null for a place of their own. */
      connectionId: Nullable(Type.String()),
      /** What the records are of, for a file that doesn't tell. */
      report: Type.Optional(ReportKindSchema),
      /** The zone of dates that carry none, for a file that doesn't tell. */
      zone: Type.Optional(Type.String({ maxLength: 100 })),
      /** In which order a spreadsheet wrote day and month, for a file that doesn't tell. */
      dateOrder: Type.Optional(Type.Enum([...DATE_ORDERS])),
    }),
    Type.Object({ taskId: Nullable(Type.String()) }),
  ),
  /** The file that was last opened with the application, once; null where there is none. Nothing of it was read. */
  'imports/take-opened-file': operation(Nothing, Nullable(OfferedFile)),
};

export const importsEvents = {
  /** A file was opened with the application, and waits to be taken. Only the desktop sends it. */
  'imports/file-opened': Nothing,
};
