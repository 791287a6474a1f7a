import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { CsvDialect } from '../../../common/model/exports/export-options.ts';
import type { CallContext } from '../../calls/calls.ts';
import { watchDirectionMarks } from '../export-columns.ts';
import type { ExportAbout, ExportPiece } from '../formats/export-writer.ts';
import { WRITERS, type WrittenFormat } from '../formats/writers.ts';
import { guardWriting, type FileSum } from '../partial-file.ts';
import type { Rows } from './open-rows.ts';
import type { RowBatch, RowShape } from './row-batch.ts';

/** A file to write row by row. */
export interface RowJob {
  /** A file that is there already, empty. */
  readonly path: string;
  readonly format: WrittenFormat;
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

/** A file that is written from its beginning to its end, and summed meanwhile. */
export interface SummedFile {
  put(piece: ExportPiece): Promise<void>;
  /** The SHA-256 of what was put so far, in hex. */
  sumSoFar(): string;
  /** The sum of what was put so far; nothing is put afterwards. */
  finish(): FileSum;
  close(): Promise<void>;
}

/** Opens a file that is there already, empty. Throws `exports.write-failed`, as `put` does. */
export async function openSummedFile(path: string): Promise<SummedFile> {
  const handle = await guardWriting(() => open(path, 'r+'));
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async put(piece) {
      const buffer = typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
      if (buffer.length === 0) return;
      await guardWriting(() => handle.writeFile(buffer));
      hash.update(buffer);
      bytes += buffer.length;
    },
    sumSoFar: () => hash.copy().digest('hex'),
    finish: () => ({ bytes, sha256: hash.digest('hex') }),
    close: () => handle.close(),
  };
}

/** Text is handed to a file in pieces of about this many characters; between two of them other calls come in. */
const PIECE_CHARS = 1_000_000;
const PIECE_ROWS = 500;

/** Divides rows into those that are written at once: whole records can be large; a piece of text must not be. */
export function* splitRows<Row>(
  batch: readonly Row[],
  measure: (row: Row) => number,
): Generator<readonly Row[]> {
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
