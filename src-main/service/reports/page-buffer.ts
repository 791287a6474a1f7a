import { DAY_MS } from '../../common/time/durations.ts';
import { reserve, writeDigits, writeText, writeThousandths, type TextBytes } from '../../node/text-bytes.ts';

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
