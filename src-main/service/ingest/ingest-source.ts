import { findSeparatorLine } from '../../common/csv-habits.ts';
import type { ImportFault } from '../../common/model/connections/connection.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { type CsvFormat, cutRows, detectFormat, hasCells, toUtf8 } from '../../node/record-files.ts';
import {
  createValueReader,
  describeFaults,
  type FileEntry,
  MAX_ENTRY_BYTES,
  readJsonEntries,
  toFileError,
  toImportError,
  type ValueReader,
} from '../import/import-fields.ts';
import { readCsv } from '../import/read-csv.ts';
import { isFaulty, readEntry } from '../import/read-entry.ts';
import type { RecordStore, StoreImport, ImportedRecord } from '../store/record-store.ts';
import {
  digest,
  HEAD_BYTES,
  readPositions,
  TAIL_BYTES,
  toPositionProperty,
  type ByteSource,
  type IngestPosition,
} from './byte-source.ts';

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

/**
 * Opens a source's way into a store; every entry given is a record of its own. `earlier` are the positions of other
 * files that had the source's name.
 */
export async function openIngester(
  store: RecordStore,
  { name, zone, onProblem, onAdded }: IngestRequest,
  earlier: readonly IngestPosition[],
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
      result.added += (await target.addBatch(records, toPositionProperty(name, position, earlier))).added;
      onAdded({ ...result });
    },
  };
}

function toRecord(entry: FileEntry, values: ValueReader): ImportedRecord | readonly ImportFault[] {
  return 'fault' in entry ? [entry.fault] : readEntry(entry.direction, entry.get, values);
}

/**
 * Adds the records of a source from where the store has it, each segment with the position behind it in one
 * transaction: whenever it is cut short, going on neither repeats nor skips a line. A source is gone on with where its
 * beginning and what lies before that place are as they were; else it is a new one, as another file that took the name.
 * A file that was renamed is met again by its place. Throws AppError `local-service.import-failed` for what can't be
 * read, and for a stream that begins as before and goes on differently.
 */
export async function ingestSource(
  store: RecordStore,
  source: ByteSource,
  request: IngestRequest,
): Promise<IngestResult> {
  const { own, candidates } = await readPositions(store, request.name, source.place);
  const [furthest] = candidates;
  const least = source.canGoBack || furthest === undefined ? 0 : toHeadLength(furthest);
  const head = await source.readHead(least);
  const found = await findPosition(source, head, candidates);
  const ingester = await openIngester(
    store,
    request,
    own.filter((each) => each !== found?.position),
  );
  if (head.length === 0) return ingester.result;
  let position = found?.position ?? START;
  let first = head.subarray(0, toHeadLength(position));
  let last = found?.tail ?? Buffer.alloc(0);
  const { format, encoding } = detectFormat(head, toFileError);
  // Where it goes on is counted in bytes of UTF-8.
  if (encoding !== 'utf-8') throw toFileError('utf16');
  if (format.kind === 'zip') throw toFileError('compressed');
  if (format.kind === 'parquet') throw toFileError('no-text');
  if (format.kind === 'json')
    throw toImportError('A JSON document has no lines to go on from: use --import, or write NDJSON.');
  const header = hasCells(format) ? cutHeader(head) : Buffer.alloc(0);
  const segments = cutSegments(source.readFrom(position.offset), position.offset, format, request.signal);
  for await (const { bytes, endOffset } of segments) {
    const { lines } = position;
    const isFirst = position.offset === 0;
    first = first.length === HEAD_BYTES ? first : Buffer.concat([first, bytes]).subarray(0, HEAD_BYTES);
    last = Buffer.concat([last, bytes]).subarray(-TAIL_BYTES);
    position = {
      offset: endOffset,
      lines: lines + countLines(bytes),
      headDigest: digest(first),
      tailDigest: digest(last),
      place: source.place,
    };
    const entries = readSegment(format, isFirst ? [bytes] : [header, bytes], request.stated);
    // The header that is put in front has lines of its own.
    await ingester.add(shiftLines(entries, isFirst ? lines : lines - countLines(header)), position);
  }
  return ingester.result;
}

const START: IngestPosition = { offset: 0, lines: 0, headDigest: '', tailDigest: '', place: '' };

function toHeadLength({ offset }: IngestPosition): number {
  return Math.min(HEAD_BYTES, offset);
}

/** The position that the source agrees with, and the bytes before it; null for a source that is new. */
async function findPosition(
  source: ByteSource,
  head: Buffer,
  candidates: readonly IngestPosition[],
): Promise<{ readonly position: IngestPosition; readonly tail: Buffer } | null> {
  for (const position of candidates) {
    const length = toHeadLength(position);
    if (head.length < length || digest(head.subarray(0, length)) !== position.headDigest) continue;
    const tail = await source.readBefore(position.offset);
    if (digest(tail) === position.tailDigest) return { position, tail };
    if (!source.canGoBack)
      throw toImportError(
        'The stream begins as the one of that name before, and goes on differently: give it another name with --source.',
      );
  }
  return null;
}

type LineFormat = CsvFormat | { readonly kind: 'ndjson' };

function readSegment(
  format: LineFormat,
  parts: readonly Buffer[],
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  const chunks = (async function* () {
    await Promise.resolve();
    yield* parts;
  })();
  const text = toUtf8(chunks, 'utf-8', toFileError);
  return hasCells(format) ? readCsv(text, format, stated) : readJsonEntries(text, format.kind, stated);
}

async function* shiftLines(entries: AsyncIterable<FileEntry>, lines: number): AsyncGenerator<FileEntry> {
  for await (const entry of entries) yield { ...entry, line: entry.line + lines };
}

/** The first lines of a CSV file, with one that names the separator. */
function cutHeader(head: Buffer): Buffer {
  const end = head.indexOf(LF, Buffer.byteLength(findSeparatorLine(head.toString('utf8', 0, 32)))) + 1;
  if (end === 0) throw toImportError('The header of the CSV file is longer than 4 KB, or not ended yet.');
  return head.subarray(0, end);
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}

/** Whole lines or rows of a source that lie one after the other. */
interface Segment {
  readonly bytes: Buffer;
  /** Offset of the byte behind them. */
  readonly endOffset: number;
}

/**
 * Cuts what a source gives into segments of whole lines (NDJSON) or rows (CSV), as they come: a line is whole once its
 * end is there, the last one once the source has ended, and one of more than MAX_ENTRY_BYTES is cut where it stands.
 */
async function* cutSegments(
  chunks: AsyncIterable<Buffer>,
  offset: number,
  format: LineFormat,
  signal: AbortSignal,
): AsyncGenerator<Segment> {
  let pending: Buffer = Buffer.alloc(0);
  let endOffset = offset;
  const take = (length: number): Segment => {
    const bytes = pending.subarray(0, length);
    pending = pending.subarray(length);
    endOffset += length;
    return { bytes, endOffset };
  };
  for await (const chunk of chunks) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const whole = hasCells(format) ? findWholeRows(pending, format) : pending.lastIndexOf(LF) + 1;
    if (whole > 0) yield take(whole);
    else if (pending.length > MAX_ENTRY_BYTES) yield take(pending.length);
  }
  // A reading that was stopped has not met the end.
  if (pending.length > 0 && !signal.aborted) yield take(pending.length);
}

/** Bytes up to the end of the last row whose line end is there. */
function findWholeRows(bytes: Buffer, format: CsvFormat): number {
  let whole = 0;
  for (const { end, isCutOff } of cutRows(bytes, format)) {
    // A row that a quotation mark keeps open may go on in what follows.
    if (isCutOff) break;
    const next = bytes.indexOf(LF, end);
    if (next === -1) break;
    whole = next + 1;
  }
  return whole;
}
