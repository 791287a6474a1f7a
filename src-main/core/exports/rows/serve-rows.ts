import type { CallContext } from '../../calls/call-messages.ts';
import { serveCalls, type ServerPort } from '../../calls/serve-calls.ts';
import { openRows, type ReadRecords } from './open-rows.ts';
import type { RowBatch } from './row-batch.ts';
import { beginRowFile, type RowFile, type RowJob, type WrittenRows } from './row-file.ts';

/** The records of a cache, for the thread that writes them. */
export interface RowSource {
  readonly readRecords: ReadRecords;
  /** What an error of the source is to the caller. */
  toAppError?(error: unknown): unknown;
  close(): void;
}

/** Serves the writing of one file: `begin`, then `write` for each batch, then `end`; `close` at any time. */
export function serveRows(port: ServerPort, openSource: () => RowSource): Promise<void> {
  return serveCalls(port, () => {
    const source = openSource();
    let file: RowFile | null = null;
    const find = (): RowFile => {
      if (file === null) throw new Error('No file was begun.');
      return file;
    };
    const { toAppError } = source;
    return {
      operations: {
        begin: async (job: RowJob): Promise<void> => {
          file = await openRows(job.shape, source.readRecords, (rows) => beginRowFile(job, rows));
        },
        write: (batch: RowBatch, context: CallContext<number>): Promise<void> => find().write(batch, context),
        end: (): Promise<WrittenRows> => find().end(),
        close: async (): Promise<void> => {
          source.close();
          await file?.close();
        },
      },
      started: null,
      ...(toAppError === undefined ? {} : { toAppError }),
    };
  });
}
