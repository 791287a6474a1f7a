import { AppError } from '../../common/contract/errors.ts';
import type { ExportSource } from './export-source.ts';
import type { ExportWriter } from './formats/export-writer.ts';
import type { PartialFile } from './partial-file.ts';

/** Text is handed to the file in pieces of about this many characters. */
const PIECE_CHARS = 1_000_000;
const PIECE_ROWS = 500;

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
    for (const rows of splitBatch(batch, source.measure)) {
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

/** Whole records can be large; a piece of text must not be. */
function* splitBatch<Row>(batch: readonly Row[], measure: (row: Row) => number): Generator<readonly Row[]> {
  let start = 0;
  let chars = 0;
  for (const [index, row] of batch.entries()) {
    chars += measure(row);
    if (chars < PIECE_CHARS && index - start + 1 < PIECE_ROWS) continue;
    yield batch.slice(start, index + 1);
    start = index + 1;
    chars = 0;
  }
  if (start < batch.length) yield batch.slice(start);
}
