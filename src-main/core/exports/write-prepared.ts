import type { FileProgress } from '../analysis/engine/files/write-file.ts';
import { tryToRemove } from '../../node/files.ts';
import { AppError } from '../../common/contract/errors.ts';
import type { TaskHandle } from '../tasks/task-registry.ts';
import type { ExportAbout } from './formats/export-writer.ts';
import type { FileEngine } from './formats/writers.ts';
import type { PartialFile } from './partial-file.ts';
import type { PreparedExport } from './prepared-export.ts';
import type { RowWriter } from './thread/create-row-writer.ts';

/** What was written into a file. */
export interface WrittenContent {
  readonly about: ExportAbout;
  readonly rowCount: number;
  /** Names of the file's columns. */
  readonly columns: readonly string[];
  readonly cutTexts: number;
  readonly replacedCharacters: number;
  readonly directionMarks: readonly string[];
}

/** What exports of rows are written with. */
interface WritingParts {
  readonly rowWriter: Pick<RowWriter, 'write'>;
  readonly engine: Pick<FileEngine, 'writeLines'>;
  now(): number;
}

/** Writes an export into a partial file: by the engine, or row by row in a thread. Throws as the two do. */
export async function writePrepared(
  { rowWriter, engine, now }: WritingParts,
  prepared: PreparedExport,
  file: PartialFile,
  task: Pick<TaskHandle, 'signal' | 'progress'>,
): Promise<WrittenContent> {
  const { layout, masked } = prepared;
  const isPacked = prepared.format === 'parquet' && masked !== null;
  const format = isPacked ? 'cells' : prepared.format;
  const whole = await writeInEngine(prepared, file, task, now);
  if (whole !== null) return whole;
  if (format === 'parquet') throw new AppError('app.invalid-input', 'Parquet is written by the engine.', {});
  const { rows } = prepared;
  return rows.open(task.signal, async (batches) => {
    const { rowCount } = batches;
    const about = prepared.describe(rowCount, now());
    const onProgress = (done: number): void => task.progress(done, rowCount);
    onProgress(0);
    const { csv } = layout;
    const written = await file.fill((path) =>
      rowWriter.write({ path, format, about, csv, shape: rows.shape }, batches, {
        signal: task.signal,
        onProgress,
        ...(masked === null ? {} : { clients: masked.masks.listClients(task.signal) }),
      }),
    );
    if (isPacked)
      await packCells({ engine }, prepared, { file, about, columns: written.columns }, task.signal);
    const { columns, cutTexts, replacedCharacters, directionMarks } = written;
    return { about, rowCount, columns, cutTexts, replacedCharacters, directionMarks };
  });
}

/** Puts what the engine makes of cells in their place. */
async function packCells(
  { engine }: Pick<WritingParts, 'engine'>,
  { masked }: PreparedExport,
  written: {
    readonly file: PartialFile;
    readonly about: ExportAbout;
    readonly columns: readonly string[];
  },
  signal: AbortSignal,
): Promise<void> {
  const { file, about } = written;
  const columns = written.columns.map((name) => ({
    name,
    type: masked?.columns.find((column) => column.name === name)?.type ?? 'VARCHAR',
  }));
  const question = { path: file.path, columns, about: JSON.stringify(about) };
  const whole = await engine.writeLines(question, { signal });
  try {
    await file.take(whole.path, whole);
  } finally {
    await tryToRemove(whole.path, () => undefined);
  }
}

/** Null where it has to be written row by row. */
async function writeInEngine(
  prepared: PreparedExport,
  file: PartialFile,
  { signal, progress }: Pick<TaskHandle, 'signal' | 'progress'>,
  now: () => number,
): Promise<WrittenContent | null> {
  const { inEngine } = prepared;
  if (inEngine === null) return null;
  const onProgress = (value: unknown): void => {
    const { done, total } = value as FileProgress;
    progress(done, total);
  };
  // Only JSON states its number of records in the file itself; the engine fills it in once it has counted them.
  const recordCount = prepared.format === 'json' ? 0 : undefined;
  const about = { ...prepared.describe(0, now()), recordCount };
  const whole = await inEngine.write(JSON.stringify(about), { signal, onProgress });
  if (whole === null) return null;
  try {
    signal.throwIfAborted();
    await file.take(whole.path, whole);
  } finally {
    await tryToRemove(whole.path, () => undefined);
  }
  const { rowCount } = whole;
  progress(rowCount, rowCount);
  const rest = { cutTexts: 0, replacedCharacters: 0, directionMarks: [] };
  return { about: prepared.describe(rowCount, now()), rowCount, columns: inEngine.columns, ...rest };
}
