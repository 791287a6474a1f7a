import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { type Info, type Options, parse } from 'csv-parse';
import { parse as parseNow } from 'csv-parse/sync';
import { findSeparatorLine, isSpacedHeader, isSpreadsheetFormula } from '../../common/csv-habits.ts';
import { readDate } from '../../common/reporting/reading/read-date.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { type CsvHeader, readCsvHeader } from './detect-format.ts';
import {
  type FileEntry,
  type ImportField,
  MAX_ENTRY_BYTES,
  NOT_UTF8,
  type ReadField,
  toFault,
  toFileError,
} from './import-fields.ts';

const MAX_HEADER_CELLS = 1_000;
const DECIMAL_COMMA = /^\d+,\d+$/u;
const NUMBER_FIELDS: ReadonlySet<ImportField> = new Set(['responseTimeMs', 'botLatencyMs']);
const OPEN_QUOTE = toFault('open-quote');
/** Longest row that waits for what follows, once the parser's rows are no longer those of the file. */
const MAX_UNREAD_BYTES = 65_536;

interface ParsedRow {
  readonly record: readonly string[];
  readonly info: Info;
}

/**
 * Rows of a CSV file (RFC 4180) below its header, by the line on which each begins. Any line end is
 * understood; a quote inside a cell without quotes is part of it; the apostrophe by which the export keeps a
 * text from being a formula is taken off. A row whose quotation mark isn't closed is a fault, and the rows below it are
 * read as themselves. Throws AppError for a header that can't be used.
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  delimiter: string,
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  const start = await readStart(chunks, delimiter);
  const tracker = createRowTracker(start.skippedLines);
  let openRows = 0;
  const parser = parse({
    ...toOptions(delimiter),
    bom: true,
    ltrim: start.isSpaced,
    info: true,
    // The only complaint left is a quotation mark that is still open at the end of the file.
    skip_records_with_error: true,
    on_skip: () => {
      openRows += 1;
      return undefined;
    },
  });
  // What ends the pipe early reaches the loop below through the parser.
  pipeline(Readable.from(trackChunks(start.chunks, tracker)), parser, () => undefined);
  let header: CsvHeader | null = null;
  let unread: TrackedRow | null = null;
  for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
    const row = tracker.take(info.bytes);
    if (header === null) {
      header = readCsvHeader(record, stated);
    } else if (unread !== null || mergesRows(row.bytes, delimiter)) {
      unread = yield* readMerged(header, joinRows(unread, row), delimiter, MAX_UNREAD_BYTES);
    } else if (record.some((cell) => cell !== '')) yield toEntry(header, record, row, delimiter);
  }
  const rest = openRows > 0 ? tracker.takeRest() : null;
  const last = rest === null ? unread : joinRows(unread, rest);
  if (last === null) return;
  if (header === null) yield { line: last.line, fault: OPEN_QUOTE };
  else yield* readMerged(header, last, delimiter, 0);
}

function toOptions(delimiter: string): Options {
  return {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  };
}

function joinRows(first: TrackedRow | null, second: TrackedRow): TrackedRow {
  if (first === null) return second;
  return { ...first, bytes: Buffer.concat([first.bytes, second.gap, second.bytes]) };
}

/**
 * Reads what was taken for one row, because a quotation mark isn't closed, as the rows that it is. Returns the last of
 * them, unread, when only what follows can tell whether it is closed and it is within `maxUnreadBytes`.
 */
function* readMerged(
  header: CsvHeader,
  merged: TrackedRow,
  delimiter: string,
  maxUnreadBytes: number,
): Generator<FileEntry, TrackedRow | null> {
  let { line } = merged;
  for (const { start, end, isClosed, isCutOff } of cutRows(merged.bytes, delimiter)) {
    const rest = merged.bytes.subarray(start);
    if (isCutOff && rest.length <= maxUnreadBytes) return { line, bytes: rest, gap: Buffer.alloc(0) };
    const bytes = rest.subarray(0, end - start);
    const [cells] = isClosed ? parseNow(bytes, toOptions(delimiter)) : [];
    const row = { line, bytes, gap: Buffer.alloc(0) };
    if (!isClosed) yield { line, fault: OPEN_QUOTE };
    else if (cells !== undefined) yield toEntry(header, cells, row, delimiter);
    line += countLineEnds(bytes) + 1;
  }
  return null;
}

/** What stands before a file's header, and how its cells are separated. */
async function readStart(
  chunks: AsyncIterable<Buffer>,
  delimiter: string,
): Promise<{
  readonly chunks: AsyncIterable<Buffer>;
  readonly skippedLines: number;
  readonly isSpaced: boolean;
}> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  const head = first.done === true ? Buffer.alloc(0) : first.value;
  const skipped = findSeparatorLine(head.toString('utf8', 0, 16));
  const [line = ''] = head
    .toString('utf8')
    .slice(skipped.length)
    .split(/\r\n|\n|\r/u, 1);
  async function* readOn(): AsyncGenerator<Buffer> {
    if (first.done === true) return;
    yield head.subarray(Buffer.byteLength(skipped));
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return {
    chunks: readOn(),
    skippedLines: skipped === '' ? 0 : 1,
    isSpaced: isSpacedHeader(line.split(delimiter, MAX_HEADER_CELLS)),
  };
}

async function* trackChunks(chunks: AsyncIterable<Buffer>, tracker: RowTracker): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    tracker.add(chunk);
    yield chunk;
  }
}

function toEntry(
  header: CsvHeader,
  given: readonly string[],
  { line, bytes }: TrackedRow,
  delimiter: string,
): FileEntry {
  if (!isUtf8(bytes)) return { line, fault: NOT_UTF8 };
  const { length } = header.cells;
  const cells = given.slice(length).every((cell) => cell === '') ? given.slice(0, length) : given;
  if (cells.length !== length)
    return { line, fault: toFault('cells', { cells: cells.length, header: length }) };
  if (cells.every((cell, index) => cell === header.cells[index]))
    return { line, fault: toFault('header-again') };
  const get: ReadField = (field) => {
    const column = header.columnOf.get(field);
    if (column === undefined) return undefined;
    const cell = removeGuard(cells[column] ?? '');
    if (field === 'dateText' && header.dateZone !== null) return toInstantText(cell, header.dateZone);
    // Where a comma doesn't separate the cells, it may be that of a number.
    return delimiter !== ',' && NUMBER_FIELDS.has(field) && DECIMAL_COMMA.test(cell)
      ? cell.replace(',', '.')
      : cell;
  };
  return { line, direction: header.direction, get };
}

/** A date as the clock of a zone shows it, as an instant; what can't be read stays as it is. */
function toInstantText(text: string, zone: string): string {
  const dateMs = readDate(text, zone);
  return dateMs === null ? text : new Date(dateMs).toISOString();
}

function removeGuard(cell: string): string {
  return cell.startsWith("'") && isSpreadsheetFormula(cell.replace(/^'+/, '')) ? cell.slice(1) : cell;
}

const LF = 0x0a;
const CR = 0x0d;

/** The bytes of one row, and the line of the file on which it begins, from 1. */
interface TrackedRow {
  readonly line: number;
  readonly bytes: Buffer;
  /** Line ends before it, which belong to no row. */
  readonly gap: Buffer;
}

/** Cuts a file into the rows that a parser reports by where they end. */
interface RowTracker {
  /** Takes bytes as they are given to the parser. Throws AppError when a row doesn't end. */
  add(chunk: Buffer): void;
  /** Returns the row that ends before this byte of the file, blank lines before it left out. */
  take(endBytes: number): TrackedRow;
  /** Takes what is left at the end of the file. */
  takeRest(): TrackedRow;
}

/** Creates a tracker at the beginning of a file. */
function createRowTracker(skippedLines: number): RowTracker {
  const chunks: Buffer[] = [];
  let pendingBytes = 0;
  let startBytes = 0;
  let nextLine = 1 + skippedLines;

  const takeBytes = (length: number): Buffer => {
    pendingBytes -= length;
    const taken: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      const [chunk] = chunks;
      if (chunk === undefined) break;
      taken.push(chunk.subarray(0, missing));
      if (chunk.length > missing) chunks[0] = chunk.subarray(missing);
      else chunks.shift();
      missing -= Math.min(missing, chunk.length);
    }
    const [only] = taken;
    return taken.length === 1 && only !== undefined ? only : Buffer.concat(taken);
  };
  const take = (endBytes: number): TrackedRow => {
    const bytes = takeBytes(endBytes - startBytes);
    startBytes = endBytes;
    let start = 0;
    while (bytes[start] === LF || bytes[start] === CR) start += 1;
    const line = nextLine + countLineEnds(bytes.subarray(0, start));
    nextLine = line + countLineEnds(bytes.subarray(start));
    return { line, bytes: bytes.subarray(start), gap: bytes.subarray(0, start) };
  };
  return {
    add: (chunk) => {
      chunks.push(chunk);
      pendingBytes += chunk.length;
      if (pendingBytes <= MAX_ENTRY_BYTES + 4 * chunk.length) return;
      throw toFileError('open-row', { line: nextLine, limit: MAX_ENTRY_BYTES });
    },
    take,
    takeRest: () => take(startBytes + pendingBytes),
  };
}

/** Returns how many lines end: CRLF, LF and a single CR each end one. */
function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  for (let at = bytes.indexOf(CR); at !== -1; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) count += 1;
  }
  return count;
}

const QUOTE = 0x22;

/** A row by its bytes; `isClosed` is false where a quotation mark opens a cell that nothing closes. */
interface CutRow {
  readonly start: number;
  /** Behind its last byte, its line end left out. */
  readonly end: number;
  readonly isClosed: boolean;
  /** True where the bytes end before that shows. */
  readonly isCutOff: boolean;
}

/** How a cell in quotation marks ends: where, and whether as RFC 4180 says. */
interface CellEnd {
  readonly at: number;
  readonly isClosed: boolean;
  readonly isCutOff: boolean;
}

/**
 * Returns true for a row over several lines in which a quoted cell goes on after the quotation mark that should end it:
 * then that mark opened a cell of a later row, and the rows between were taken for one.
 */
function mergesRows(bytes: Buffer, delimiter: string): boolean {
  if (!bytes.includes(LF) && !bytes.includes(CR)) return false;
  for (const { isClosed } of cutRows(bytes, delimiter)) if (!isClosed) return true;
  return false;
}

/**
 * Cuts bytes into rows. One whose quotation mark isn't closed ends with its own line, so that the rows below it are
 * themselves again. The time grows with the bytes: what is looked at twice holds no cell that is left open.
 */
export function* cutRows(bytes: Buffer, delimiter: string): Generator<CutRow> {
  const separator = delimiter.charCodeAt(0);
  let start = 0;
  while (start < bytes.length) {
    const { at, isClosed, isCutOff } = findRowEnd(bytes, start, separator);
    yield { start, end: at, isClosed, isCutOff };
    start = bytes[at] === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
  }
}

function findRowEnd(bytes: Buffer, start: number, separator: number): CellEnd {
  let isCellStart = true;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isLineEnd(byte)) return { at, isClosed: true, isCutOff: false };
    if (byte === QUOTE && isCellStart) {
      const cell = findCellEnd(bytes, at + 1, separator);
      if (!cell.isClosed) return { ...cell, at: findLineEnd(bytes, start) };
      at = cell.at - 1;
    }
    isCellStart = byte === separator;
  }
  return { at: bytes.length, isClosed: true, isCutOff: false };
}

/** `at` is the byte behind the closing mark. */
function findCellEnd(bytes: Buffer, start: number, separator: number): CellEnd {
  for (let at = bytes.indexOf(QUOTE, start); at !== -1; at = bytes.indexOf(QUOTE, at)) {
    const next = bytes[at + 1];
    if (next === undefined || next === separator || isLineEnd(next))
      return { at: at + 1, isClosed: true, isCutOff: false };
    if (next !== QUOTE) return { at, isClosed: false, isCutOff: false };
    at += 2;
  }
  return { at: bytes.length, isClosed: false, isCutOff: true };
}

function findLineEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && !isLineEnd(bytes[at])) at += 1;
  return at;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}
