import { AppError } from '../../common/contract/errors.ts';
import type { ExportSource } from './export-source.ts';
import type { ExportWriter } from './formats/export-writer.ts';
import type { PartialFile } from './partial-file.ts';
import { splitRows } from './split-rows.ts';

/**
 * Streams a source through a writer into a file: one batch of records and one piece of the file at a time.
 * Throws the signal's reason when aborted, and `exports.write-failed` when records are missing at the end.
 */
export async function writeExport<Row>(options: {
  source: ExportSource<Row>;
  writer: ExportWriter<Row>;
  file: Pick<PartialFile, 'write'>;
  signal: AbortSignal;
  onProgress(done: number): void;
}): Promise<void> {
  const { source, writer, file, signal, onProgress } = options;
  let done = 0;
  await file.write(await writer.begin());
  for await (const batch of source.batches) {
    for (const rows of splitRows(batch, source.measure)) {
      signal.throwIfAborted();
      await file.write(await writer.write(rows));
      done += rows.length;
      onProgress(done);
    }
  }
  signal.throwIfAborted();
  if (done !== source.rowCount) {
    throw new AppError('exports.write-failed', 'The number of records changed while they were exported.', {
      systemCode: 'count',
      expected: source.rowCount,
      written: done,
    });
  }
  await file.write(await writer.end());
}
