import type { FileProgress } from '../analysis/engine/files/write-file.ts';
import { tryToRemove } from '../../node/move-and-remove.ts';
import { AppError } from '../../common/contract/errors.ts';
import type { TaskHandle } from '../tasks/task-registry.ts';
import { watchDirectionMarks } from './direction-marks.ts';
import type { ExportAbout } from './formats/export-writer.ts';
import { WRITERS } from './formats/writers.ts';
import type { PartialFile } from './partial-file.ts';
import type { EngineExport, PreparedExport } from './prepared-export.ts';
import { writeExport } from './write-export.ts';

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

/** Writes an export into a partial file: row by row, or by the engine. Throws as `writeExport` and the engine do. */
export async function writePrepared(
  prepared: PreparedExport,
  file: PartialFile,
  task: Pick<TaskHandle, 'signal' | 'progress'>,
  now: () => number,
): Promise<WrittenContent> {
  const { format, layout, inEngine } = prepared;
  const whole = inEngine === null ? null : await writeInEngine(prepared, inEngine, file, task, now);
  if (whole !== null) return whole;
  if (format === 'parquet') throw new AppError('app.invalid-input', 'Parquet is written by the engine.', {});
  const written: { content: WrittenContent | null } = { content: null };
  await prepared.withSource(task.signal, async (source) => {
    const { rowCount } = source;
    const about = prepared.describe(rowCount, now());
    const watched = watchDirectionMarks(source.columns);
    const writer = WRITERS[format](watched.columns, about, { csv: layout.csv });
    const onProgress = (done: number): void => task.progress(done, rowCount);
    onProgress(0);
    await writeExport({ source, writer, file, signal: task.signal, onProgress });
    written.content = {
      about,
      rowCount,
      columns: source.columns.map(({ name }) => name),
      cutTexts: writer.countCut?.() ?? 0,
      replacedCharacters: writer.countReplaced(),
      directionMarks: watched.list(),
    };
  });
  if (written.content === null) throw new Error('The rows were not read.');
  return written.content;
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
  // How many rows a file holds stands in the file itself.
  const about = { ...prepared.describe(0, now()), recordCount: undefined };
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
