import { setImmediate as giveWay } from 'node:timers/promises';
import { AppError } from '../../common/contract/errors.ts';
import type { ImportReport } from '../../common/model/connections/local-service.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { toErrorTextWithCause } from '../../node/error-text.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { ImportedRecord } from '../store/records.ts';
import { detectFormat, HEAD_BYTES, type FileFormat } from './detect-format.ts';
import type { FileEntry } from './file-entry.ts';
import { openImportSource, type ImportSource } from './import-source.ts';
import { createImportTally, type ImportTally } from './import-tally.ts';
import { createRecordComparer } from './imported-record.ts';
import { readCsv } from './read-csv.ts';
import { isFaulty, readEntry } from './read-entry.ts';
import { readJsonList } from './read-json-list.ts';
import { readNdjson } from './read-ndjson.ts';
import { createValueReader } from './value-reader.ts';

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

export interface ImportProgress {
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

export interface ImportParts {
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
export async function importFile(parts: ImportParts, request: ImportRequest): Promise<ImportOutcome> {
  const tally = createImportTally();
  let failure: string | null = null;
  let details: AppError['details'] = {};
  let source: ImportSource | undefined;
  try {
    source = await openImportSource(request.path);
    const format = detectFormat(await source.readHead(HEAD_BYTES));
    await importEntries(parts, request, { source, format }, tally);
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
  readonly format: FileFormat;
}

async function importEntries(
  { store, seed, zone, elapsedMs }: ImportParts,
  { stated, signal, onProgress }: ImportRequest,
  { source, format }: OpenedFile,
  tally: ImportTally,
): Promise<void> {
  const values = createValueReader(zone);
  const target = await store.openImport(createRecordComparer(seed, format.kind === 'csv'));
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
    for await (const entry of readEntries(format, source, stated)) {
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
    const last = signal.aborted ? Promise.resolve() : flush();
    await last.finally(() => target.close());
  }
}

/** Characters of the texts that may be long. */
function measureTexts(record: ImportedRecord): number {
  return (record.payload?.length ?? 0) + (record.response?.length ?? 0) + record.error.length;
}

function readEntries(
  format: FileFormat,
  source: ImportSource,
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  const chunks = source.readChunks();
  if (format.kind === 'csv') return readCsv(chunks, format.delimiter, stated);
  return format.kind === 'ndjson' ? readNdjson(chunks, stated) : readJsonList(chunks, stated);
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'The import failed.';
  if (!(error instanceof AppError)) return `The import failed (${error.message}).`;
  return toErrorTextWithCause(error);
}
