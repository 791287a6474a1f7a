import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { findSeparatorLine, isSpacedHeader } from '../common/csv-habits.ts';
import {
  CSV_SEPARATORS,
  type CsvDialect,
  type ImportedFormat,
} from '../common/model/exports/export-options.ts';
import { DETAIL_FIELD_NAMES, resolveFields, SUMMARY_FIELD_NAMES } from '../common/reporting/field-names.ts';
import { createJsonSplitter, type DocumentFault, splitLines } from './json-splitter.ts';

/** Bytes from the start that show what a file is: more than any line of ordinary length. */
export const HEAD_BYTES = 1024 * 1024;
export const MAX_COLUMNS = 1_000;

/** Why a file as a whole can't be read. */
export type FileFault =
  | DocumentFault
  | 'utf16'
  | 'compressed'
  | 'no-text'
  | 'empty-file'
  | 'unknown'
  | 'open-row';

/** How a reader treats files: its longest record, and what it throws. */
export interface ReadingLimits {
  readonly maxBytes: number;
  toError(fault: FileFault, values?: Readonly<Record<string, string | number>>): Error;
}

/** How the cells of a CSV file stand beside each other. */
export interface CsvFormat {
  readonly kind: 'csv';
  readonly separator: CsvDialect['separator'];
  /** Spaces stand behind each separator, and belong to no cell. */
  readonly isSpaced: boolean;
}

type OtherKind = Exclude<ImportedFormat, CsvFormat['kind']> | 'zip';
export type RecordFormat = CsvFormat | { [Kind in OtherKind]: { readonly kind: Kind } }[OtherKind];

/** True for a file of cells, whatever stands between them. */
export function hasCells(format: RecordFormat): format is CsvFormat {
  return 'separator' in format;
}

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

const ALL_NAMES = { ...SUMMARY_FIELD_NAMES, ...DETAIL_FIELD_NAMES };
/** With fewer known names, the first line is no header. */
const MIN_FIELDS = 2;
const LINE_END = /\r\n|\n|\r/u;
const PACKED_MARKS = [
  '\u001f\u008b',
  'BZh',
  '\u00fd7zX',
  '\u0028\u00b5\u002f\u00fd',
  '7z\u00bc\u00af',
  'Rar!',
];

/** Says what a file is by its beginning, never by its name. Throws for anything that holds no records. */
export function detectFormat(
  start: Buffer,
  toError: ReadingLimits['toError'],
): { readonly format: RecordFormat; readonly encoding: Encoding } {
  const mark = start.toString('latin1', 0, 4);
  const encoding = findEncoding(start);
  if (mark === 'PK\u0003\u0004') return { format: { kind: 'zip' }, encoding };
  if (mark === 'PAR1' || mark === 'PARE') return { format: { kind: 'parquet' }, encoding };
  if (PACKED_MARKS.some((packed) => mark.startsWith(packed))) throw toError('compressed');
  const text = new TextDecoder(encoding).decode(start).trimStart();
  if (text === '') throw toError('empty-file');
  if (text.startsWith('[')) return { format: { kind: 'json' }, encoding };
  const [line = '', nextLine] = text.slice(findSeparatorLine(text).length).trimStart().split(LINE_END, 2);
  if (text.startsWith('{')) {
    return { format: { kind: isRecordLine(line, nextLine) ? 'ndjson' : 'json' }, encoding };
  }
  const separator = findSeparator(line);
  // A text may hold a NUL; what doesn't begin as one is none.
  if (separator === null) throw toError(start.subarray(0, 4096).includes(0) ? 'no-text' : 'unknown');
  const isSpaced = isSpacedHeader(line.split(separator, MAX_COLUMNS));
  return { format: { kind: 'csv', separator, isSpaced }, encoding };
}

/** Without its mark, UTF-16 shows by a NUL in every letter or bracket that a file of records may begin with. */
function findEncoding([first = 0, second = 0, third = 0, fourth = 0]: Buffer): Encoding {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second !== 0 && third === 0 && fourth !== 0) return 'utf-16be';
  return 'utf-8';
}

/** What separates the cells: the mark by which the first line names most fields; null for no header at all. */
function findSeparator(line: string): CsvDialect['separator'] | null {
  let best: CsvDialect['separator'] | null = null;
  let most = MIN_FIELDS - 1;
  for (const separator of CSV_SEPARATORS) {
    // So begins a table in Markdown.
    if (separator === '|' && line.startsWith('|')) continue;
    const names = line.split(separator, MAX_COLUMNS).map((cell) => cell.replaceAll('"', ''));
    const { foundCount } = resolveFields<string>(names, ALL_NAMES);
    if (foundCount > most) [best, most] = [separator, foundCount];
  }
  return best;
}

/**
 * True for a line that is an object of its own, and has fields of a record itself or another object below it. Whatever is
 * wrong with it is said of that line: it may hold words that are no JSON, or be longer than what is known of the file.
 */
function isRecordLine(line: string, nextLine: string | undefined): boolean {
  const { keys, isWhole } = scanTop(line);
  const isFollowed = nextLine?.trimStart().startsWith('{') === true;
  if (!isWhole && nextLine !== undefined && !isFollowed) return false;
  return resolveFields<string>(keys, ALL_NAMES).foundCount > 0 || (isWhole && isFollowed);
}

const MARKS = /"(?:[^"\\]|\\.)*"?|[[\]{}:]/gu;

/** The names that an object has itself, and whether it ends within the text. */
function scanTop(text: string): { readonly keys: readonly string[]; readonly isWhole: boolean } {
  const keys: string[] = [];
  let depth = 0;
  let last = '';
  for (const [mark] of text.matchAll(MARKS)) {
    if (mark === '{' || mark === '[') depth += 1;
    else if (mark === '}' || mark === ']') depth -= 1;
    else if (mark === ':' && depth === 1 && last.startsWith('"')) keys.push(readName(last));
    last = mark;
    if (depth === 0) return { keys, isWhole: true };
  }
  return { keys, isWhole: false };
}

function readName(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.replaceAll('"', '');
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The bytes of a file in UTF-8, without a mark at their start. Throws `utf16` for what isn't what its mark says. */
export async function* toUtf8(
  chunks: AsyncIterable<Buffer>,
  encoding: Encoding,
  toError: ReadingLimits['toError'],
): AsyncGenerator<Buffer> {
  const decoder = encoding === 'utf-8' ? null : new TextDecoder(encoding, { fatal: true });
  const decode = (chunk: Buffer, stream: boolean): Buffer => {
    try {
      return Buffer.from(decoder?.decode(chunk, { stream }) ?? '');
    } catch {
      throw toError('utf16');
    }
  };
  let isStart = true;
  for await (const chunk of chunks) {
    if (decoder !== null) yield decode(chunk, true);
    else yield isStart && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk;
    isStart = false;
  }
  if (decoder !== null) yield decode(Buffer.alloc(0), false);
}

/** A line or entry of a file of JSON, from 1, and its bytes; null for one that is too long. */
interface JsonEntry {
  readonly line: number;
  readonly bytes: Buffer | null;
  /** Text of the document before its records: what it says about itself. */
  readonly head: string;
}

const BLANK = /^[\s\ufeff]*$/u;

/**
 * Cuts a JSON document into the entries of its lists, or a file of lines into those that hold something. Throws for a
 * document that ends too early or goes on after its end; the entries before have been given.
 */
export async function* readObjects(
  chunks: AsyncIterable<Buffer>,
  kind: 'json' | 'ndjson',
  { maxBytes, toError }: ReadingLimits,
): AsyncGenerator<JsonEntry> {
  let line = 0;
  if (kind === 'ndjson') {
    for await (const bytes of splitLines(chunks, maxBytes)) {
      line += 1;
      if (bytes === null || bytes.length > 64 || !BLANK.test(bytes.toString()))
        yield { line, bytes, head: '' };
    }
    return;
  }
  const splitter = createJsonSplitter({ maxEntryBytes: maxBytes, toError });
  for await (const chunk of chunks) {
    for (const bytes of splitter.push(chunk)) {
      line += 1;
      yield { line, bytes, head: splitter.getHead() };
    }
  }
  splitter.end();
}

/** A row of a CSV file by the line on which it begins, from 1; or why it can't be read. */
export type CsvRow =
  | {
      readonly line: number;
      readonly cells: readonly string[];
      /** False for a last row without a line end, which may have been cut off. */
      readonly isEnded: boolean;
    }
  | { readonly line: number; readonly fault: 'open-quote' | 'not-utf8' };

/**
 * Rows of a CSV file (RFC 4180), the header first; blank lines, and one that names the separator, are none. Any line end
 * is understood; a quotation mark inside a cell without quotation marks is part of it. A row whose quotation mark isn't
 * closed is a fault, and the rows below it are read as themselves. Throws for a row that doesn't end within the limit.
 */
export async function* readRows(
  chunks: AsyncIterable<Buffer>,
  format: CsvFormat,
  { maxBytes, toError }: ReadingLimits,
): AsyncGenerator<CsvRow> {
  let parts: Buffer[] = [];
  let length = 0;
  /** A row that is longer than what is there isn't looked at again before there is twice as much. */
  let enough = 0;
  const reader = createRowReader(format);
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length < enough && length <= maxBytes) continue;
    const bytes = Buffer.concat(parts);
    const done = yield* reader.read(bytes, false);
    enough = done === 0 ? 2 * length : 0;
    parts = [bytes.subarray(done)];
    length -= done;
    if (length > maxBytes) throw toError('open-row', { line: reader.line(), limit: maxBytes });
  }
  yield* reader.read(Buffer.concat(parts), true);
}

/** All rows of a text, as `readRows`. */
export function readAllRows(text: string, format: CsvFormat): readonly CsvRow[] {
  return [...createRowReader(format).read(Buffer.from(text.replace(/^\ufeff/u, '')), true)];
}

function createRowReader(format: CsvFormat) {
  const options = {
    delimiter: format.separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    ltrim: format.isSpaced,
  };
  let line = 1;
  let isStart = true;
  /** Rows that lie one behind the other are read at once. */
  function* readRun(bytes: Buffer, rows: readonly (CutRow & { readonly line: number })[]): Generator<CsvRow> {
    const [first] = rows;
    const last = rows.at(-1);
    if (first === undefined || last === undefined) return;
    const run = bytes.subarray(first.start, last.end);
    if (!isUtf8(run)) {
      if (rows.length === 1) yield { line: first.line, fault: 'not-utf8' };
      else for (const row of rows) yield* readRun(bytes, [row]);
      return;
    }
    for (const [place, cells] of parse(run, options).entries()) {
      const row = rows[place] ?? last;
      yield { line: row.line, cells, isEnded: row.end < bytes.length };
    }
  }
  return {
    line: () => line,
    /** Reads what is whole, or everything at the end of the file; returns the bytes that were read. */
    *read(bytes: Buffer, isLast: boolean): Generator<CsvRow, number> {
      let run: (CutRow & { readonly line: number })[] = [];
      let done = 0;
      for (const row of cutRows(bytes, format)) {
        const { start, end, isClosed, isCutOff } = row;
        // A mark of the line end may follow, or a row that a quotation mark keeps open may go on.
        if (!isLast && (isCutOff || end + 1 >= bytes.length)) break;
        const text = bytes.subarray(start, end);
        const isNone = isBlank(text) || (isStart && isSeparatorLine(text));
        isStart &&= isBlank(text);
        if (isNone || !isClosed) {
          yield* readRun(bytes, run);
          run = [];
          if (!isNone) yield { line, fault: 'open-quote' };
        } else run.push({ ...row, line });
        line += 1 + countLineEnds(text);
        done = Math.min(bytes.length, end + (bytes[end] === CR && bytes[end + 1] === LF ? 2 : 1));
      }
      yield* readRun(bytes, run);
      return done;
    },
  };
}

function isSeparatorLine(bytes: Buffer): boolean {
  return bytes.length < 16 && findSeparatorLine(`${bytes.toString()}\n`) !== '';
}

const SPACE = 0x20;

/** Tabs separate cells. */
function isBlank(bytes: Buffer): boolean {
  return bytes[0] === undefined || (bytes[0] === SPACE && bytes.every((byte) => byte === SPACE));
}

/**
 * The cells of a row, one for each column of the header; null for a row without any text, else what is wrong with it.
 * What a spreadsheet leaves behind the last column is no cell.
 */
export function fitRow(
  cells: readonly string[],
  header: readonly string[],
): readonly string[] | 'cells' | 'header-again' | null {
  if (cells.every((cell) => cell.trim() === '')) return null;
  const { length } = header;
  const fit = cells.slice(length).every((cell) => cell === '') ? cells.slice(0, length) : cells;
  if (fit.length !== length) return 'cells';
  return fit.every((cell, place) => cell === header[place]) ? 'header-again' : fit;
}

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/** Returns how many lines end: CRLF, LF and a single CR each end one. */
function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  for (let at = bytes.indexOf(CR); at !== -1; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) count += 1;
  }
  return count;
}

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
 * Cuts bytes into rows. One whose quotation mark isn't closed ends with its own line, so that the rows below it are
 * themselves again. The time grows with the bytes: what is looked at twice holds no cell that is left open.
 */
export function* cutRows(bytes: Buffer, format: CsvFormat): Generator<CutRow> {
  let start = 0;
  while (start < bytes.length) {
    const { at, isClosed, isCutOff } = findRowEnd(bytes, start, format);
    yield { start, end: at, isClosed, isCutOff };
    start = bytes[at] === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
  }
}

function findRowEnd(bytes: Buffer, start: number, { separator, isSpaced }: CsvFormat): CellEnd {
  const separatorByte = separator.charCodeAt(0);
  let isCellStart = true;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isLineEnd(byte)) return { at, isClosed: true, isCutOff: false };
    if (byte === QUOTE && isCellStart) {
      const cell = findCellEnd(bytes, at + 1, separatorByte);
      if (!cell.isClosed) return { ...cell, at: findLineEnd(bytes, start) };
      at = cell.at - 1;
    }
    isCellStart = byte === separatorByte || (isSpaced && isCellStart && byte === SPACE);
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
