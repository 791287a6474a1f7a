import type { FileProgress } from '../analysis/engine/files/write-file.ts';
import { tryToRemove } from '../../node/move-and-remove.ts';
import { AppError } from '../../common/contract/errors.ts';
import type { TaskHandle } from '../tasks/task-registry.ts';
import type { ExportAbout } from './formats/export-writer.ts';
import type { PartialFile } from './partial-file.ts';
import type { EngineExport, PreparedExport } from './prepared-export.ts';
import type { RowWriter } from './rows/create-row-writer.ts';

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

/** Writes an export into a partial file: by the engine, or row by row in a thread. Throws as the two do. */
export async function writePrepared(
  rowWriter: Pick<RowWriter, 'write'>,
  prepared: PreparedExport,
  file: PartialFile,
  task: Pick<TaskHandle, 'signal' | 'progress'>,
  now: () => number,
): Promise<WrittenContent> {
  const { format, layout, inEngine } = prepared;
  const whole = inEngine === null ? null : await writeInEngine(prepared, inEngine, file, task, now);
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
      }),
    );
    const { columns, cutTexts, replacedCharacters, directionMarks } = written;
    return { about, rowCount, columns, cutTexts, replacedCharacters, directionMarks };
  });
}

async function writeInEngine(
  prepared: PreparedExport,
  { columns, write }: EngineExport,
  file: PartialFile,
  { signal, progress }: Pick<TaskHandle, 'signal' | 'progress'>,
  now: () => number,
): Promise<WrittenContent | null> {
  const onProgress = (value: unknown): void => {
    const { done, total } = value as FileProgress;
    progress(done, total);
  };
  // How many rows a file holds stands in the file itself; JSON says it, once the engine has counted them.
  const recordCount = prepared.format === 'json' ? 0 : undefined;
  const about = { ...prepared.describe(0, now()), recordCount };
  const whole = await write(JSON.stringify(about), { signal, onProgress });
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
  return { about: prepared.describe(rowCount, now()), rowCount, columns, ...rest };
}
