import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { setImmediate as giveWay } from 'node:timers/promises';
import { AppError } from '../../common/contract/errors.ts';
import type { ImportFault } from '../../common/model/connections/connection.ts';
import type { ImportReport } from '../../common/model/connections/local-service.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { toErrorTextWithCause } from '../../node/error-text.ts';
import {
  detectFormat,
  type Encoding,
  hasCells,
  HEAD_BYTES,
  type RecordFormat,
  toUtf8,
} from '../../node/record-files.ts';
import type { RecordStore, ImportedRecord, ImportResult } from '../store/record-store.ts';
import {
  createValueReader,
  describeFaults,
  type FileEntry,
  toFileError,
  readJsonEntries,
  toImportError,
} from './import-fields.ts';
import { readCsv } from './read-csv.ts';
import { createRecordComparer, isFaulty, readEntry } from './read-entry.ts';

const BATCH_RECORDS = 1_000;
const BATCH_CHARACTERS = 4_000_000;
const PROGRESS_EVERY_MS = 100;
/** Requests are served in between, so a turn of the import must not be long. */
const MAX_TURN_MS = 25;

export interface ImportRequest {
  readonly path: string;
  /** The report that the records are of; null to detect it by their fields. */
  readonly stated: DetailKind | null;
  readonly signal: AbortSignal;
  /** At most ten times a second. */
  readonly onProgress: (progress: ImportProgress) => void;
}

interface ImportProgress {
  readonly bytesRead: number;
  readonly totalBytes: number;
  readonly report: ImportReport;
}

/** How an import ended. `failure` is why the file could not be read on; what was imported before it stays. */
export interface ImportOutcome {
  readonly report: ImportReport;
  readonly cancelled: boolean;
  readonly failure: string | null;
  /** The code of that failure with the values of its words, where the window has some. */
  readonly details: AppError['details'];
}

interface ImportParts {
  readonly store: RecordStore;
  readonly seed: number;
  /** Zone of dates that name none. */
  readonly zone: string;
  readonly elapsedMs: () => number;
}

/**
 * Imports the detail records of a file, a batch at a time, so that neither memory nor the wait of others
 * grows with it. What the store holds already is left out, so importing a file again, or going on with one
 * after the process was killed, adds only what is missing. Never throws: a failure is part of the outcome.
 */
async function importFile(parts: ImportParts, request: ImportRequest): Promise<ImportOutcome> {
  const tally = createImportTally();
  let failure: string | null = null;
  let details: AppError['details'] = {};
  let source: ImportSource | undefined;
  try {
    source = await openImportSource(request.path);
    const { format, encoding } = detectFormat(await source.readHead(HEAD_BYTES), toFileError);
    await importEntries(parts, request, { source, format, encoding }, tally);
  } catch (error) {
    failure = describeFailure(error);
    if (error instanceof AppError) ({ details } = error);
  } finally {
    await source?.close();
  }
  const cancelled = failure === null && request.signal.aborted;
  return { report: tally.toReport(), cancelled, failure, details };
}

interface OpenedFile {
  readonly source: ImportSource;
  readonly format: RecordFormat;
  readonly encoding: Encoding;
}

async function importEntries(
  { store, seed, zone, elapsedMs }: ImportParts,
  { stated, signal, onProgress }: ImportRequest,
  opened: OpenedFile,
  tally: ImportTally,
): Promise<void> {
  const { source, format } = opened;
  const values = createValueReader(zone);
  const target = await store.openImport(createRecordComparer(seed, hasCells(format)));
  let batch: ImportedRecord[] = [];
  let batchCharacters = 0;
  let turnMs = elapsedMs();
  let reportedMs = -Infinity;
  const flush = async (): Promise<void> => {
    const records = batch;
    batch = [];
    batchCharacters = 0;
    if (records.length > 0) tally.addResult(await target.addBatch(records));
  };
  const take = (entry: FileEntry): void => {
    tally.addLine();
    const record = 'fault' in entry ? [entry.fault] : readEntry(entry.direction, entry.get, values);
    if (isFaulty(record)) {
      tally.addProblem(entry.line, record);
      return;
    }
    batch.push(record);
    batchCharacters += measureTexts(record);
  };
  try {
    for await (const entry of readEntries(opened, stated)) {
      if (signal.aborted) return;
      take(entry);
      if (batch.length >= BATCH_RECORDS || batchCharacters >= BATCH_CHARACTERS) await flush();
      if (elapsedMs() - turnMs < MAX_TURN_MS) continue;
      if (elapsedMs() - reportedMs >= PROGRESS_EVERY_MS) {
        reportedMs = elapsedMs();
        onProgress({
          bytesRead: source.bytesRead(),
          totalBytes: source.totalBytes,
          report: tally.toReport(),
        });
      }
      await giveWay();
      turnMs = elapsedMs();
    }
  } finally {
    // Records before the place where a file breaks are as good as any.
    try {
      if (!signal.aborted) await flush();
    } finally {
      await target.close();
    }
  }
}

/** Characters of the texts that may be long. */
function measureTexts(record: ImportedRecord): number {
  const { payload, response, error } = record.texts;
  return (payload?.length ?? 0) + (response?.length ?? 0) + (error?.length ?? 0);
}

function readEntries(
  { source, format, encoding }: OpenedFile,
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  if (format.kind === 'zip') throw toFileError('compressed');
  if (format.kind === 'parquet') throw toFileError('no-text');
  const chunks = toUtf8(source.readChunks(), encoding, toFileError);
  return hasCells(format) ? readCsv(chunks, format, stated) : readJsonEntries(chunks, format.kind, stated);
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'The import failed.';
  if (!(error instanceof AppError)) return `The import failed (${error.message}).`;
  return toErrorTextWithCause(error);
}

const CHUNK_BYTES = 262_144;

/** A file that is being imported, as long as it was when that began. */
interface ImportSource {
  readonly totalBytes: number;
  bytesRead(): number;
  /** Up to `limit` bytes from its start. */
  readHead(limit: number): Promise<Buffer>;
  /** From the start; throws AppError when the file has become shorter, or what the system says. */
  readChunks(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/** Opens a file. Throws AppError `local-service.import-failed` for anything that is not one, or can't be read. */
async function openImportSource(path: string): Promise<ImportSource> {
  const handle = await openFile(path);
  const totalBytes = (await handle.stat()).size;
  let bytesRead = 0;
  return {
    totalBytes,
    bytesRead: () => bytesRead,
    readHead: async (limit) => {
      const head = Buffer.alloc(Math.min(limit, totalBytes));
      return head.subarray(0, await readFully(handle, head, 0));
    },
    readChunks: async function* () {
      while (bytesRead < totalBytes) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, totalBytes - bytesRead));
        const length = await readFully(handle, chunk, bytesRead);
        bytesRead += length;
        if (length > 0) yield chunk.subarray(0, length);
        if (length < chunk.length) throw toFileError('shorter');
      }
    },
    close: () => handle.close(),
  };
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Opening a pipe would wait for somebody to write into it.
    if ((await stat(path)).isFile()) {
      const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      if ((await handle.stat()).isFile()) return handle;
      await handle.close();
    }
  } catch (error) {
    throw toImportError(`${path} can't be read.`, error);
  }
  throw toImportError(`${path} is not a file.`);
}

async function readFully(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

/**
 * Imports one file after the other and writes what became of each. False when one could not be read to its
 * end; those after it are left. Lines that are no records are reported, and hold nothing up.
 */
export async function importFiles(
  service: { importFile(request: ImportRequest): Promise<ImportOutcome> },
  paths: readonly string[],
  stated: DetailKind | null,
  write: (text: string) => void,
): Promise<boolean> {
  for (const path of paths) {
    const outcome = await service.importFile({
      path,
      stated,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    write(describeOutcome(path, outcome));
    if (outcome.cancelled || outcome.failure !== null) return false;
  }
  return true;
}

function describeOutcome(path: string, { report, cancelled, failure }: ImportOutcome): string {
  const { lines, added, known, rejected, problems } = report;
  const text = [
    `${path}: ${lines} read, ${added} added, ${known} known already, ${rejected} rejected`,
    ...problems.map(({ line, faults }) => `  line ${line}: ${describeFaults(faults)}`),
  ];
  if (rejected > problems.length) text.push(`  and ${rejected - problems.length} more`);
  if (cancelled) text.push('  cancelled; what was added stays');
  if (failure !== null) text.push(`  ended early: ${failure}`);
  return `${text.join('\n')}\n`;
}

const MAX_PROBLEMS = 1_000;

/** Counts what an import does, and keeps its first problems. */
interface ImportTally {
  addLine(): void;
  addProblem(line: number, faults: readonly ImportFault[]): void;
  addResult(result: ImportResult): void;
  toReport(): ImportReport;
}

/** Creates a tally of nothing yet. */
function createImportTally(): ImportTally {
  const counts = { lines: 0, added: 0, known: 0, rejected: 0 };
  const problems: ImportReport['problems'] = [];
  return {
    addLine: () => {
      counts.lines += 1;
    },
    addProblem: (line, faults) => {
      counts.rejected += 1;
      if (problems.length < MAX_PROBLEMS) problems.push({ line, faults: [...faults] });
    },
    addResult: ({ added, known }) => {
      counts.added += added;
      counts.known += known;
    },
    toReport: () => ({ ...counts, problems: [...problems] }),
  };
}

/** Runs imports into a store, one at a time. */
interface Importer {
  /** Never throws: an import that can't begin, as another one runs, has failed. */
  run(request: ImportRequest): Promise<ImportOutcome>;
  /** Cancels what is running and waits until nothing is written any more. */
  stop(): Promise<void>;
}

/** Creates the importer of a store. */
export function createImporter(parts: ImportParts): Importer {
  const stopped = new AbortController();
  let running: Promise<ImportOutcome> | null = null;
  return {
    run: async (request) => {
      if (running !== null) {
        const report = createImportTally().toReport();
        return { report, cancelled: false, failure: 'Another import is running.', details: {} };
      }
      const signal = AbortSignal.any([request.signal, stopped.signal]);
      running = importFile(parts, { ...request, signal }).finally(() => {
        running = null;
      });
      return running;
    },
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}
