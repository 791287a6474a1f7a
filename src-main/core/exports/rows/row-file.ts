import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { CsvDialect } from '../../../common/model/exports/export-options.ts';
import type { CallContext } from '../../calls/call-messages.ts';
import { watchDirectionMarks } from '../direction-marks.ts';
import type { ExportAbout, ExportPiece } from '../formats/export-writer.ts';
import { WRITERS, type RowFormat } from '../formats/writers.ts';
import { guardWriting } from '../guard-writing.ts';
import type { FileSum } from '../partial-file.ts';
import { splitRows } from '../split-rows.ts';
import type { Rows } from './open-rows.ts';
import type { RowBatch, RowShape } from './row-batch.ts';

/** A file to write row by row. */
export interface RowJob {
  /** A file that is there already, empty. */
  readonly path: string;
  readonly format: RowFormat;
  readonly shape: RowShape;
  readonly about: ExportAbout;
  readonly csv: CsvDialect | undefined;
}

/** What is known of the rows once they are written. */
export interface WrittenRows extends FileSum {
  readonly rowCount: number;
  /** Names of the file's columns. */
  readonly columns: readonly string[];
  readonly cutTexts: number;
  readonly replacedCharacters: number;
  readonly directionMarks: readonly string[];
}

/** A file that is being written. */
export interface RowFile {
  /** Writes the rows of a batch; its progress is the number of rows that the file has. */
  write(batch: RowBatch, context: Pick<CallContext<number>, 'pause' | 'progress'>): Promise<void>;
  /** Writes what comes after the rows. */
  end(): Promise<WrittenRows>;
  close(): Promise<void>;
}

/** Begins a file of rows. Throws `exports.write-failed`, as all that it does with the file. */
export async function beginRowFile<Row>(
  { path, format, about, csv }: RowJob,
  { columns, measure, read }: Rows<Row>,
): Promise<RowFile> {
  const watched = watchDirectionMarks(columns);
  const writer = WRITERS[format](watched.columns, about, { csv });
  const handle = await guardWriting(() => open(path, 'r+'));
  const hash = createHash('sha256');
  let bytes = 0;
  let rowCount = 0;
  const put = async (piece: ExportPiece): Promise<void> => {
    const buffer = typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
    await guardWriting(() => handle.writeFile(buffer));
    hash.update(buffer);
    bytes += buffer.length;
  };
  await put(await writer.begin());
  return {
    async write(batch, { pause, progress }) {
      for await (const rows of read(batch)) {
        for (const some of splitRows(rows, measure)) {
          await pause();
          await put(await writer.write(some));
          rowCount += some.length;
          progress(rowCount);
        }
      }
    },
    async end() {
      await put(await writer.end());
      return {
        bytes,
        sha256: hash.digest('hex'),
        rowCount,
        columns: columns.map(({ name }) => name),
        cutTexts: writer.countCut?.() ?? 0,
        replacedCharacters: writer.countReplaced(),
        directionMarks: watched.list(),
      };
    },
    close: () => handle.close(),
  };
}
