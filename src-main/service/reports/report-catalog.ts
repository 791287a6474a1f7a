import { Compile } from 'typebox/compile';
import { REPORT_KINDS, type ReportKind, REPORTS } from '../../common/reporting/reports.ts';
import { fromWireDate, ReportRequest, type RequestFault } from '../../common/reporting/wire-documents.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { tryReadJsonBody } from '../../node/http/problem.ts';
import { reserve, type TextBytes, writeDigits, writeText, writeThousandths } from '../../node/text-bytes.ts';
import type { RecordStore } from '../store/record-store.ts';

/** A report as it is requested. Kinds that share an identifier are served as one report (decision 11). */
export interface ServedReport {
  readonly idReport: string;
  readonly name: string;
  /** Inbound first. */
  readonly kinds: readonly ReportKind[];
}

/** The reports of the service; the outbound summary shares an identifier unless it has one of its own. */
export function createReportCatalog(outboundSummaryId: string | null): readonly ServedReport[] {
  const byIdentifier = Map.groupBy(REPORT_KINDS, (kind) =>
    kind === 'outbound-summary' && outboundSummaryId !== null
      ? outboundSummaryId.toUpperCase()
      : REPORTS[kind].identifier,
  );
  return Array.from(byIdentifier, ([idReport, kinds]) => {
    const [only, ...others] = kinds;
    const name = only === undefined || others.length > 0 ? 'Health summary' : REPORTS[only].title;
    return { idReport, name, kinds };
  });
}

/** Finds a report by its identifier in any letter case (decision 20). */
export function findReport(catalog: readonly ServedReport[], identifier: string): ServedReport | undefined {
  const wanted = identifier.toUpperCase();
  return catalog.find((report) => report.idReport === wanted);
}

/** What a report needs besides the request. */
export interface ReportSource {
  readonly store: RecordStore;
  readonly tenant: number;
  readonly seed: number;
  readonly cursorKey: Buffer;
}

/** A page before its cursor is written; `next` is the position of its last document, null on the last page. */
export interface PositionedPage {
  /** JSON, separated by commas. */
  readonly documents: PageBuffer;
  readonly totalDocument: number;
  readonly next: readonly number[] | null;
}

export interface ReportPage extends Omit<PositionedPage, 'next'> {
  /** Empty once no further page exists (decision 8). */
  readonly lastDocument: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DASH = 0x2d;
const MAX_PLAIN = 0x7e;
/** A GUID with its quotes. */
const GUID_BYTES = 38;
const EXACT_LIMIT = 1e15;
/** Room for an envelope's head, whose texts are short. */
const HEAD_BYTES = 1024;

/** JSON text of a page as the bytes that are sent. Room is left in front for the envelope's head, which is known last. */
export interface PageBuffer extends TextBytes {
  readonly headBytes: number;
  /** The day that was written last, in days since 1970, and its text. */
  day: number;
  dayText: string;
}

/** `expectedBytes` is where the buffer begins; it grows as needed. */
export function createPageBuffer(expectedBytes: number, headBytes = HEAD_BYTES): PageBuffer {
  const bytes = Buffer.allocUnsafeSlow(headBytes + expectedBytes);
  return { headBytes, bytes, at: headBytes, day: Number.NaN, dayText: '' };
}

/** Returns the number of bytes after the head. */
export function getLength(page: PageBuffer): number {
  return page.at - page.headBytes;
}

/** Writes text as a JSON string. */
export function writeQuoted(page: PageBuffer, text: string): void {
  reserve(page, text.length * 2 + 2);
  const { bytes } = page;
  let { at } = page;
  bytes[at++] = QUOTE;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > MAX_PLAIN) {
      writeText(page, JSON.stringify(text));
      return;
    }
    if (code === QUOTE || code === BACKSLASH) bytes[at++] = BACKSLASH;
    bytes[at++] = code;
  }
  bytes[at++] = QUOTE;
  page.at = at;
}

/** Writes whole microseconds as milliseconds, as JSON does. */
export function writeMilliseconds(page: PageBuffer, microseconds: number): void {
  if (microseconds >= 0 && microseconds < EXACT_LIMIT) writeThousandths(page, microseconds);
  else writeText(page, String(microseconds / 1000));
}

/** Writes 128 bits, given as four numbers of 32, as a GUID in quotes. */
export function writeGuid(
  page: PageBuffer,
  [first, second, third, fourth]: readonly [number, number, number, number],
): void {
  reserve(page, GUID_BYTES);
  page.bytes[page.at++] = QUOTE;
  writeHex(page, first, 8);
  page.bytes[page.at++] = DASH;
  writeHex(page, second >>> 16, 4);
  page.bytes[page.at++] = DASH;
  writeHex(page, second & 0xffff, 4);
  page.bytes[page.at++] = DASH;
  writeHex(page, third >>> 16, 4);
  page.bytes[page.at++] = DASH;
  writeHex(page, third & 0xffff, 4);
  writeHex(page, fourth, 8);
  page.bytes[page.at++] = QUOTE;
}

/** Writes an instant in quotes, as ISO 8601 in UTC with milliseconds (decision 3). */
export function writeInstant(page: PageBuffer, epochMs: number): void {
  const day = Math.floor(epochMs / DAY_MS);
  if (day !== page.day) {
    page.day = day;
    page.dayText = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
  }
  const ofDayMs = epochMs - day * DAY_MS;
  writeText(page, '"');
  writeText(page, page.dayText);
  writeDigits(page, Math.floor(ofDayMs / 3_600_000), 2);
  writeText(page, ':');
  writeDigits(page, Math.floor(ofDayMs / 60_000) % 60, 2);
  writeText(page, ':');
  writeDigits(page, Math.floor(ofDayMs / 1000) % 60, 2);
  writeText(page, '.');
  writeDigits(page, ofDayMs % 1000, 3);
  writeText(page, 'Z"');
}

/** Returns the bytes between head and tail. The buffer can't be written to any more. */
export function finishPage(page: PageBuffer, head: string, tail: string): Buffer {
  writeText(page, tail);
  const length = Buffer.byteLength(head);
  if (length > page.headBytes) throw new Error(`A head of ${length} bytes`);
  const start = page.headBytes - length;
  page.bytes.write(head, start);
  return page.bytes.subarray(start, page.at);
}

function writeHex(page: PageBuffer, value: number, digits: number): void {
  let { at } = page;
  for (let shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    const digit = (value >>> shift) & 15;
    page.bytes[at++] = digit < 10 ? 0x30 + digit : 0x57 + digit;
  }
  page.at = at;
}

/** A valid report request: records with fromMs <= date < toMs. `size` is already capped. */
export interface ReportQuery {
  readonly fromMs: number;
  readonly toMs: number;
  readonly size: number;
  /** Empty for the first page. */
  readonly lastDocument: string;
}

type ReadRequest =
  | { readonly ok: true; readonly query: ReportQuery }
  | { readonly ok: false; readonly errors: readonly RequestFault[] };

export const DEFAULT_SIZE = 100;
/** Documents in a page whatever is requested (decision 7). */
export const MAXIMUM_PAGE_SIZE = 10_000;

const BODY_FAULT: RequestFault = {
  field: 'body',
  message: 'The body is not a JSON object, or names a field twice.',
};
// The schemas are those of the service's description; compiled, as every request is checked by them.
const { properties } = ReportRequest;
const fields = {
  startDate: Compile(properties.startDate),
  endDate: Compile(properties.endDate),
  size: Compile(properties.size),
  lastDocument: Compile(properties.lastDocument),
};

/**
 * Reads a report request body (specification, "Report request body"; decisions 4 to 7). Never throws: what
 * is wrong is listed by field. Fields that the specification doesn't name are ignored.
 */
export function readReportRequest(body: unknown, timeZone: string): ReadRequest {
  const content = tryParseObject(body);
  if (content === undefined) {
    return { ok: false, errors: [BODY_FAULT] };
  }
  const errors: RequestFault[] = [];
  const startMs = readDate(content, 'startDate', timeZone, errors);
  const endMs = readDate(content, 'endDate', timeZone, errors);
  if (startMs !== undefined && endMs !== undefined && startMs > endMs) {
    errors.push({ field: 'startDate', message: 'The start is after the end.' });
  }
  const size = readSize(content, errors);
  const lastDocument = readLastDocument(content, errors);
  if (errors.length > 0 || startMs === undefined || endMs === undefined) return { ok: false, errors };
  // Both ends are included at whole seconds (decision 5).
  return { ok: true, query: { fromMs: startMs, toMs: endMs + 1000, size, lastDocument } };
}

function tryParseObject(body: unknown): ReadonlyMap<string, unknown> | undefined {
  const content = tryReadJsonBody(body);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return undefined;
  return new Map(Object.entries(content));
}

function readDate(
  content: ReadonlyMap<string, unknown>,
  field: 'startDate' | 'endDate',
  timeZone: string,
  errors: RequestFault[],
): number | undefined {
  const text = content.get(field);
  if (text === undefined || text === null || text === '') {
    errors.push({ field, message: 'The date is missing.' });
    return undefined;
  }
  const instant = fields[field].Check(text) ? fromWireDate(text, timeZone) : 'misformed';
  if (typeof instant === 'number') return instant;
  errors.push({
    field,
    message:
      instant === 'impossible'
        ? 'The date does not exist.'
        : 'The date is not written as YYYY-MM-DD HH:MM:SS.',
  });
  return undefined;
}

function readSize(content: ReadonlyMap<string, unknown>, errors: RequestFault[]): number {
  const size = content.get('size');
  if (size === undefined) return DEFAULT_SIZE;
  if (fields.size.Check(size)) return Math.min(size, MAXIMUM_PAGE_SIZE);
  errors.push({ field: 'size', message: 'The size is not a whole number from 1.' });
  return DEFAULT_SIZE;
}

function readLastDocument(content: ReadonlyMap<string, unknown>, errors: RequestFault[]): string {
  const lastDocument = content.get('lastDocument');
  if (lastDocument === undefined) return '';
  if (fields.lastDocument.Check(lastDocument)) return lastDocument;
  errors.push(LAST_DOCUMENT_FAULT);
  return '';
}

/** For a `lastDocument` that this report did not issue for this period. */
export const LAST_DOCUMENT_FAULT: RequestFault = {
  field: 'lastDocument',
  message: 'This report did not issue this lastDocument for this period.',
};
