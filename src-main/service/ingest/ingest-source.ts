import type { ImportFault } from '../../common/model/connections/import-fault.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { detectFormat, type FileFormat } from '../import/detect-format.ts';
import type { FileEntry } from '../import/file-entry.ts';
import { toImportError } from '../import/import-error.ts';
import { describeFaults } from '../import/import-fault.ts';
import { readCsv } from '../import/read-csv.ts';
import { isFaulty, readEntry } from '../import/read-entry.ts';
import { readNdjson } from '../import/read-ndjson.ts';
import { createValueReader, type ValueReader } from '../import/value-reader.ts';
import type { RecordStore, StoreImport } from '../store/record-store.ts';
import type { ImportedRecord } from '../store/records.ts';
import type { ByteSource } from './byte-source.ts';
import { cutSegments } from './cut-segments.ts';
import {
  isSameSource,
  readPosition,
  startPosition,
  toPositionProperty,
  type IngestPosition,
} from './ingest-position.ts';

const LF = 0x0a;

export interface IngestRequest {
  /** Names the source for good: the path of a file, or what a stream is called. */
  readonly name: string;
  /** The report that the records are of; null to detect it by their fields. */
  readonly stated: DetailKind | null;
  /** Zone of dates that name none. */
  readonly zone: string;
  readonly signal: AbortSignal;
  /** Each line that holds no record; it is passed over for good. */
  readonly onProblem: (line: number, reason: string) => void;
  /** After each transaction: what it comes to so far. */
  readonly onAdded: (result: IngestResult) => void;
}

export interface IngestResult {
  readonly added: number;
  readonly rejected: number;
}

/** Adds what a reader makes of a part of a source, together with the position behind it. */
export interface Ingester {
  add(entries: AsyncIterable<FileEntry>, position: IngestPosition): Promise<void>;
  readonly result: IngestResult;
}

/** Opens a source's way into a store; every entry given is a record of its own. */
export async function openIngester(
  store: RecordStore,
  { name, zone, onProblem, onAdded }: IngestRequest,
): Promise<Ingester> {
  const values = createValueReader(zone);
  const target: StoreImport = await store.openImport(null);
  const result = { added: 0, rejected: 0 };
  return {
    result,
    add: async (entries, position) => {
      const records: ImportedRecord[] = [];
      for await (const entry of entries) {
        const record = toRecord(entry, values);
        if (isFaulty(record)) {
          result.rejected += 1;
          onProblem(entry.line, describeFaults(record));
        } else records.push(record);
      }
      result.added += (await target.addBatch(records, toPositionProperty(name, position))).added;
      onAdded({ ...result });
    },
  };
}

function toRecord(entry: FileEntry, values: ValueReader): ImportedRecord | readonly ImportFault[] {
  return 'fault' in entry ? [entry.fault] : readEntry(entry.direction, entry.get, values);
}

/**
 * Adds the records of a source from where the store has it, each segment with the position behind it in one
 * transaction: whenever it is cut short, going on neither repeats nor skips a line. A source of another beginning than
 * before is a new one. Throws AppError `local-service.import-failed` for what can't be read.
 */
export async function ingestSource(
  store: RecordStore,
  source: ByteSource,
  request: IngestRequest,
): Promise<IngestResult> {
  const known = await readPosition(store, request.name);
  const head = await source.readHead(known?.headBytes ?? 0);
  let position = known !== null && isSameSource(known, head) ? known : startPosition(head);
  const ingester = await openIngester(store, request);
  if (head.length === 0) return ingester.result;
  const format = detectFormat(head);
  if (format.kind === 'json')
    throw toImportError('A JSON document has no lines to go on from: use --import, or write NDJSON.');
  const header = format.kind === 'csv' ? cutHeader(head) : Buffer.alloc(0);
  const segments = cutSegments(source.readFrom(position.offset), position.offset, format, request.signal);
  for await (const { bytes, endOffset } of segments) {
    const { lines } = position;
    const isFirst = position.offset === 0;
    position = { ...position, offset: endOffset, lines: lines + countLines(bytes) };
    const entries = readSegment(format, isFirst ? [bytes] : [header, bytes], request.stated);
    // The header that is put in front is a line of its own.
    await ingester.add(shiftLines(entries, isFirst || header.length === 0 ? lines : lines - 1), position);
  }
  return ingester.result;
}

function readSegment(
  format: FileFormat,
  parts: readonly Buffer[],
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  const chunks = (async function* () {
    await Promise.resolve();
    yield* parts;
  })();
  return format.kind === 'csv' ? readCsv(chunks, format.delimiter, stated) : readNdjson(chunks, stated);
}

async function* shiftLines(entries: AsyncIterable<FileEntry>, lines: number): AsyncGenerator<FileEntry> {
  for await (const entry of entries) yield { ...entry, line: entry.line + lines };
}

function cutHeader(head: Buffer): Buffer {
  const end = head.indexOf(LF) + 1;
  if (end === 0) throw toImportError('The header of the CSV file is longer than 4 KB, or not ended yet.');
  return head.subarray(0, end);
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
