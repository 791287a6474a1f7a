import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf, Input, Output } from '../../common/contract/index.ts';
import { isDocumentFormat, isRowFormat, toFormatRow } from '../../common/model/exports/export-options.ts';
import { tryToRemove } from '../../node/files.ts';
import type { FileProgress } from '../analysis/engine/files/write-file.ts';
import type { Cache } from '../cache/cache.ts';
import { measureSpans } from '../coverage/read-holdings.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import { type CaseSource, prepareCase } from './cases/prepare-case.ts';
import type { EvidenceParts } from './evidence/evidence-question.ts';
import { prepareEvidence } from './evidence/prepare-evidence.ts';
import { toPreviewCell } from './export-columns.ts';
import type { ExportMemory, ExportPace } from './export-memory.ts';
import type { PreparedDocument, PreparedExport, WrittenDocument } from './export-subject.ts';
import type { ExportAbout, ExportPiece } from './formats/export-writer.ts';
import { type FileEngine, WRITERS } from './formats/writers.ts';
import { openPartialFile, type PartialFile } from './partial-file.ts';
import { type PortableParts, type PreparedPortable, preparePortable } from './portable/prepare-portable.ts';
import { prepareRecords, prepareResult, type RecordParts, type ResultParts } from './prepare-records.ts';
import { prepareLevels } from './report/prepare-levels.ts';
import { prepareReport, type ReportParts } from './report/read-report.ts';
import { openRows, type ReadRecords, type Rows } from './rows/open-rows.ts';
import type { RowBatches } from './rows/row-batch.ts';
import type { RowWriter } from './thread/create-row-writer.ts';
import { type ManifestParts, type PartialList, writeManifest } from './write-manifest.ts';

/** What was written into a file. */
interface WrittenContent {
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
async function writePrepared(
  { rowWriter, engine, now }: WritingParts,
  prepared: PreparedExport,
  file: PartialFile,
  task: Pick<TaskHandle, 'signal' | 'progress'>,
): Promise<WrittenContent> {
  const { layout, masked } = prepared;
  const isPacked = !isRowFormat(prepared.format) && masked !== null;
  const format = isPacked ? 'cells' : prepared.format;
  const whole = await writeInEngine(prepared, file, task, now);
  if (whole !== null) return whole;
  if (format !== 'cells' && !isRowFormat(format))
    throw new AppError('app.invalid-input', 'The format is written by the engine.', {});
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

/** Finished exports that can still be revealed; as many as the registry keeps ended tasks. */
const FINISHED_KEPT = 50;
/** Spans that are missing which a task lists. */
const MAX_MISSING = 20;

type Started = Promise<{ taskId: string | null }>;

export interface Exporter {
  /**
   * Asks the host for a target and starts the export; null when the user closed the dialog. Throws `cache.*`, and
   * `app.invalid-input` for a zone that nobody knows.
   */
  start(input: Input<'exports/start'>): Started;
  /** The same for a result of SQL. */
  startResult(input: Input<'exports/start-result'>): Started;
  /** The same for a portable file of whole snapshots. */
  startPortable(snapshotIds: readonly number[]): Started;
  /** The same for a month's report of service levels. Throws `service-levels.no-report`. */
  startLevels(input: Input<'exports/start-service-levels'>): Started;
  /** The same for a case. Throws `cases.not-found`. */
  startCase(input: Input<'exports/start-case'>): Started;
  preview(input: Input<'exports/preview'>): Promise<Output<'exports/preview'>>;
  previewResult(input: Input<'exports/preview-result'>): Promise<Output<'exports/preview'>>;
  /** Writes records to a file as part of a task that runs. Throws as the task of `start` ends. */
  write(input: Input<'exports/start'>, target: string, task: TaskHandle): Promise<void>;
  /** Shows a finished export. Throws `tasks.not-found`, and `exports.file-gone`. */
  reveal(taskId: string): Promise<Output<'exports/reveal'>>;
}

/** A document or portable file, which knows how to write itself. */
type PreparedFile = Omit<PreparedDocument, 'preview'> | PreparedPortable | ReturnType<typeof prepareCase>;

interface Finished {
  readonly target: string;
  readonly manifest: string | null;
}

function needsManifest({ format, missing }: PreparedExport): boolean {
  return missing.length > 0 && toFormatRow(format).isSilent;
}

/** Exports snapshots, periods and results to files: streamed, under a partial name until they are whole. */
export function createExporter(
  options: RecordParts &
    ResultParts &
    ManifestParts &
    PortableParts &
    ReportParts &
    EvidenceParts & {
      readonly cache: Pick<Cache, 'annotateSnapshot'>;
      readonly cases: CaseSource;
      readonly emit: Emit;
      readonly tasks: TaskRegistry;
      readonly host: Pick<Host, 'kind' | 'chooseExportTarget' | 'revealExport' | 'printPdf'>;
      readonly partials: PartialList;
      /** Left out, no preview says how long its file takes. */
      readonly pace?: ExportPace;
      readonly rowWriter: Pick<RowWriter, 'write' | 'withPack'>;
      /** What pseudonyms are made with. */
      readonly pseudonymKey: Uint8Array;
      now(): number;
      readonly logger: Logger;
    },
): Exporter {
  const { cache, tasks, host, partials, rowWriter, pseudonymKey, pace, now, logger } = options;
  const finished = new Map<string, Finished>();

  /** Writes records, and the manifest beside them; returns the manifest's path. */
  async function writeRecords(
    prepared: PreparedExport,
    target: string,
    file: PartialFile,
    task: TaskHandle,
  ): Promise<string | null> {
    const { about, rowCount, directionMarks, ...written } = await writePrepared(
      { rowWriter, engine: options.engine, now },
      prepared,
      file,
      task,
    );
    const { bytes, sha256 } = await file.finish();
    const { cutTexts, replacedCharacters } = written;
    let manifest: string | null = null;
    if (prepared.layout.manifest ?? needsManifest(prepared)) {
      const whole = { about, file: basename(target), bytes, sha256, ...written };
      const commit = (): Promise<unknown> => file.commit();
      manifest = await writeManifest(options, prepared, target, { ...whole, commit });
    } else await file.commit();
    task.update({
      ...(directionMarks.length > 0 ? { directionMarks: [...directionMarks] } : {}),
      ...(cutTexts > 0 ? { cutTexts } : {}),
      ...(replacedCharacters > 0 ? { replacedCharacters } : {}),
      ...(manifest === null ? {} : { manifestName: basename(manifest) }),
    });
    noteWritten(prepared, target, task, { bytes, sha256, recordCount: rowCount, replacedCharacters });
    return manifest;
  }

  async function writeDocument(
    prepared: PreparedFile,
    target: string,
    file: PartialFile,
    task: TaskHandle,
  ): Promise<void> {
    const { recordCount, signature }: WrittenDocument = await prepared.write(file, task);
    task.signal.throwIfAborted();
    const { bytes, sha256 } = await file.commit();
    task.progress(recordCount, recordCount);
    if (signature !== undefined) task.update({ signature });
    noteWritten(prepared, target, task, { bytes, sha256, recordCount });
  }

  function noteWritten(
    { format, snapshotId, missing }: PreparedExport | PreparedFile,
    target: string,
    task: TaskHandle,
    written: {
      readonly bytes: number;
      readonly sha256: string;
      readonly recordCount: number;
      readonly replacedCharacters?: number;
    },
  ): void {
    task.update({
      fileName: basename(target),
      fileBytes: written.bytes,
      fileSha256: written.sha256,
      ...(missing.length === 0
        ? {}
        : { missing: missing.slice(0, MAX_MISSING), missingMs: measureSpans(missing) }),
      ...(host.kind === 'web' ? {} : { filePath: target }),
    });
    logger.info('an export was written', { taskId: task.id, snapshotId, format, ...written });
  }

  async function run(
    prepared: PreparedExport | PreparedFile,
    paceKind: string,
    target: string,
    task: TaskHandle,
  ): Promise<void> {
    task.signal.throwIfAborted();
    task.update({ fileName: basename(target) });
    const startedAtMs = now();
    await partials.add(target);
    let isGone = true;
    let manifest: string | null = null;
    try {
      const file = await openPartialFile(target, now());
      try {
        if ('write' in prepared) await writeDocument(prepared, target, file, task);
        else manifest = await writeRecords(prepared, target, file, task);
      } finally {
        isGone = await file.discard();
      }
    } finally {
      // A partial file that can't be removed now is removed at the next start.
      if (isGone) await partials.remove(target);
    }
    const sample = { kind: paceKind, rows: tasks.get(task.id).done, ms: Math.max(0, now() - startedAtMs) };
    await pace?.note(sample).catch((error: unknown) => logger.warn('export time not kept', { error }));
    finished.set(task.id, { target, manifest });
    for (const taskId of [...finished.keys()].slice(0, -FINISHED_KEPT)) finished.delete(taskId);
  }

  async function start(prepared: PreparedExport | PreparedFile, paceKind: string): Started {
    const target = await host.chooseExportTarget(prepared.suggestedName);
    if (target === null) return { taskId: null };
    const { connectionId, snapshotId, recordCount: total } = prepared;
    const task = tasks.start({ kind: 'export', connectionId, snapshotId, total }, (handle) =>
      run(prepared, paceKind, target, handle),
    );
    return { taskId: task.id };
  }

  /** What is exported is kept, also where it had only been shown. */
  async function keepLook({ scope }: Input<'exports/start'>): Promise<void> {
    if (!('snapshotId' in scope)) return;
    const { isLook = false } = await cache.getSnapshot(scope.snapshotId);
    if (isLook) options.emit('snapshots/changed', await cache.annotateSnapshot(scope));
  }

  async function prepare(input: Input<'exports/start'>): Promise<PreparedExport | PreparedDocument> {
    const { format } = input;
    if (format === 'evidence') return prepareEvidence(options, input, pseudonymKey);
    return isDocumentFormat(format)
      ? prepareReport(options, input, format, pseudonymKey)
      : prepareRecords(options, input, format, pseudonymKey);
  }

  function addTime(preview: Output<'exports/preview'>, paceKind: string): Output<'exports/preview'> {
    const ms = preview.rowCount === null ? null : (pace?.estimate(paceKind, preview.rowCount) ?? null);
    return ms === null ? preview : { ...preview, estimatedMs: ms };
  }

  return {
    start: async (input) => {
      const prepared = await prepare(input);
      await keepLook(input);
      return start(prepared, toPaceKind(input));
    },
    startResult: async (input) => start(prepareResult(options, input, pseudonymKey), toPaceKind(input)),
    startLevels: async (input) => start(prepareLevels(options, input), 'service levels'),
    startCase: async (input) => start(prepareCase(options, input), 'case'),
    startPortable: async (snapshotIds) => start(await preparePortable(options, snapshotIds), 'portable'),
    preview: async (input) => {
      const prepared = await prepare(input);
      const preview =
        'write' in prepared
          ? await prepared.preview()
          : await previewExport(prepared, cache.readExportBatch, now());
      return addTime(preview, toPaceKind(input));
    },
    previewResult: async (input) =>
      addTime(
        await previewExport(prepareResult(options, input, pseudonymKey), cache.readExportBatch, now()),
        toPaceKind(input),
      ),
    write: async (input, target, task) => run(await prepare(input), toPaceKind(input), target, task),
    async reveal(taskId) {
      const found = finished.get(taskId);
      if (found === undefined) {
        throw new AppError('tasks.not-found', 'There is no finished export of this task.', { taskId });
      }
      const { target, manifest } = found;
      if (!existsSync(target)) throw new AppError('exports.file-gone', 'The exported file was removed.');
      const downloadPath = await host.revealExport(target);
      if (downloadPath === null || manifest === null || !existsSync(manifest)) {
        return { downloadPath, manifestPath: null };
      }
      return { downloadPath, manifestPath: await host.revealExport(manifest) };
    },
  };
}

/** Names the kind of an export: those of one kind take the same time for as many rows, about. */
function toPaceKind(input: Input<'exports/start'> | Input<'exports/start-result'>): string {
  if ('resultId' in input) return `${input.format} of a result`;
  const { format, isSummary = false, includePayload, masking } = input;
  if (masking !== undefined) return `${format}, masked`;
  if (isSummary) return `${format} of a summary`;
  return includePayload ? `${format} with payloads` : format;
}

/** Rows that a preview shows, and rows that the size is judged by. */
const SHOWN_ROWS = 5;
const JUDGED_ROWS = 300;
const MAX_TEXT_CHARACTERS = 20_000;

type Preview = Output<'exports/preview'>;

/** Returns the beginning of what an export would write, and about how large the file will be. */
async function previewExport(
  prepared: PreparedExport,
  readRecords: ReadRecords,
  nowMs: number,
): Promise<Preview> {
  const { shape, open } = prepared.rows;
  const { signal } = new AbortController();
  const known = await prepared.masked?.masks.openKnown(signal);
  return open(signal, (batches) =>
    openRows(shape, readRecords, (rows) => preview(prepared, rows, batches, nowMs), known),
  );
}

async function preview<Row>(
  prepared: PreparedExport,
  { columns, available, read }: Rows<Row>,
  { rowCount, batches }: RowBatches,
  nowMs: number,
): Promise<Preview> {
  const rows: Row[] = [];
  for await (const batch of batches) {
    for await (const some of read(batch)) {
      for (const row of some.slice(0, JUDGED_ROWS - rows.length)) rows.push(row);
      if (rows.length >= JUDGED_ROWS) break;
    }
    if (rows.length >= JUDGED_ROWS) break;
  }
  const shown = rows.slice(0, SHOWN_ROWS);
  const { format } = prepared;
  const cells = [
    columns.map(({ name }) => name),
    ...shown.map((row) => columns.map((column) => toPreviewCell(column, row))),
  ];
  // How well columns are packed shows in the whole file only.
  if (!isRowFormat(format))
    return { columns: [...available], text: null, cells, rowCount, estimatedBytes: null };
  const write = async (some: readonly Row[]): Promise<{ pieces: ExportPiece[]; bytes: number }> => {
    const about = prepared.describe(rowCount, nowMs);
    const writer = WRITERS[format](columns, about, { csv: prepared.layout.csv });
    const pieces = [await writer.begin(), await writer.write(some), await writer.end()];
    return { pieces, bytes: pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0) };
  };
  const [none, judged, beginning] = [await write([]), await write(rows), await write(shown)];
  const rowBytes = rows.length === 0 ? 0 : (judged.bytes - none.bytes) / rows.length;
  const isText = beginning.pieces.every((piece) => typeof piece === 'string');
  return {
    columns: [...available],
    text: isText ? beginning.pieces.join('').slice(0, MAX_TEXT_CHARACTERS) : null,
    cells,
    rowCount,
    estimatedBytes: Math.round(none.bytes + rowBytes * rowCount),
  };
}

/** The handlers of `exports/…`. */
export function createExportsHandlers(parts: {
  readonly exporter: Exporter;
  readonly exportMemory: ExportMemory;
}): HandlersOf<'exports'> {
  const { exporter, exportMemory } = parts;
  return {
    'exports/start': (input) => exporter.start(input),
    'exports/start-result': (input) => exporter.startResult(input),
    'exports/start-portable': ({ snapshotIds }) => exporter.startPortable(snapshotIds),
    'exports/start-service-levels': (input) => exporter.startLevels(input),
    'exports/start-case': (input) => exporter.startCase(input),
    'exports/preview': (input) => exporter.preview(input),
    'exports/preview-result': (input) => exporter.previewResult(input),
    'exports/read-choices': () => exportMemory.read(),
    'exports/keep-choices': async (choices) => {
      await exportMemory.keepChoices(choices);
      return null;
    },
    'exports/save-preset': (input) => exportMemory.savePreset(input),
    'exports/remove-preset': async ({ presetId }) => {
      await exportMemory.removePreset(presetId);
      return null;
    },
    'exports/reveal': ({ taskId }) => exporter.reveal(taskId),
  };
}
