import { type CallContext, serveCalls, type ServerPort } from '../../calls/calls.ts';
import { createKnownClients } from '../evidence/masking/known-clients.ts';
import { createPackOperations } from '../evidence/packing/pack-operations.ts';
import type { RowThreadStarted } from './create-row-writer.ts';
import { openRows, type ReadRecords } from '../rows/open-rows.ts';
import type { RowBatch } from '../rows/row-batch.ts';
import { beginRowFile, type RowFile, type RowJob, type WrittenRows } from '../rows/row-file.ts';

/** The records of a cache, for the thread that writes them. */
export interface RowSource {
  readonly readRecords: ReadRecords;
  /** What an error of the source is to the caller. */
  toAppError?(error: unknown): unknown;
  close(): void;
}

/**
 * Serves the writing of one file: `begin`, then `write` for each batch, then `end`; or the operations of an evidence
 * pack. `close` at any time. What lies aside meanwhile is in `scratchFolder`.
 */
export function serveRows(
  port: ServerPort,
  openSource: () => RowSource,
  scratchFolder: string,
): Promise<void> {
  return serveCalls<RowThreadStarted>(port, () => {
    const source = openSource();
    let file: RowFile | null = null;
    const find = (): RowFile => {
      if (file === null) throw new Error('No file was begun.');
      return file;
    };
    const { readRecords, toAppError } = source;
    const known = createKnownClients();
    const packing = createPackOperations(readRecords, scratchFolder);
    const operations = {
      ...packing,
      begin: async (job: RowJob): Promise<void> => {
        file = await openRows(job.shape, readRecords, (rows) => beginRowFile(job, rows), known);
      },
      /** Clients that masked texts may name; before `begin`. */
      knowClients: (clients: readonly string[]): void => {
        for (const client of clients) known.add(client);
      },
      write: (batch: RowBatch, context: CallContext<number>): Promise<void> => find().write(batch, context),
      end: (): Promise<WrittenRows> => find().end(),
      close: async (): Promise<void> => {
        source.close();
        await packing.close();
        await file?.close();
      },
    };
    return {
      operations,
      started: { names: Object.keys(operations) },
      ...(toAppError === undefined ? {} : { toAppError }),
    };
  });
}
