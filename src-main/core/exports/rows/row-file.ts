import type { CsvDialect } from '../../../common/model/exports/export-options.ts';
import type { CallContext } from '../../calls/call-messages.ts';
import { watchDirectionMarks } from '../direction-marks.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import { WRITERS, type RowFormat } from '../formats/writers.ts';
import type { FileSum } from '../partial-file.ts';
import { splitRows } from '../split-rows.ts';
import type { Rows } from './open-rows.ts';
import type { RowBatch, RowShape } from './row-batch.ts';
import { openSummedFile } from './summed-file.ts';

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
  const { put, finish, close } = await openSummedFile(path);
  let rowCount = 0;
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
        ...finish(),
        rowCount,
        columns: columns.map(({ name }) => name),
        cutTexts: writer.countCut?.() ?? 0,
        replacedCharacters: writer.countReplaced(),
        directionMarks: watched.list(),
      };
    },
    close,
  };
}
