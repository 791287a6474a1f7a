const DAY_MS = 86_400_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DASH = 0x2d;
const GUID_BYTES = 36;
const LAST_PLAIN = 0x7e;
// Longer texts are copied sooner by the runtime than character by character.
const SHORT_LENGTH = 48;
const MOST_BYTES_PER_UNIT = 3;
const EXACT_LIMIT = 1e15;
/** Room for an envelope's head, whose texts are short. */
const HEAD_BYTES = 1024;
const DOCUMENT_BYTES = 440;

/**
 * JSON text of a page as the bytes that are sent: nothing is built as a string first and copied then. Room
 * is left in front for the envelope's head, which is known last.
 */
export class PageBuffer {
  readonly #headBytes: number;
  #bytes: Buffer;
  #at: number;
  #day = Number.NaN;
  #dayText = '';

  /** `expectedBytes` is where the buffer begins; it grows as needed. */
  constructor(headBytes: number, expectedBytes: number) {
    this.#headBytes = headBytes;
    this.#at = headBytes;
    this.#bytes = Buffer.allocUnsafeSlow(headBytes + expectedBytes);
  }

  /** Bytes after the head. */
  get length(): number {
    return this.#at - this.#headBytes;
  }

  /** Writes text as it is. */
  write(text: string): void {
    const isShort = text.length <= SHORT_LENGTH;
    this.#reserve(isShort ? text.length * MOST_BYTES_PER_UNIT : Buffer.byteLength(text));
    if (!isShort || !this.#tryWritePlain(text)) {
      this.#at += this.#bytes.write(text, this.#at);
    }
  }

  /** Writes text as a JSON string. */
  writeQuoted(text: string): void {
    this.#reserve(text.length * 2 + 2);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = QUOTE;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code < 0x20 || code > LAST_PLAIN) {
        this.write(JSON.stringify(text));
        return;
      }
      if (code === QUOTE || code === BACKSLASH) bytes[at++] = BACKSLASH;
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE;
    this.#at = at;
  }

  /** Writes a number as JSON does. */
  writeNumber(value: number): void {
    if (Number.isInteger(value) && value >= 0 && value < EXACT_LIMIT) this.#writeDigits(value, 1);
    else this.write(String(value));
  }

  /** Writes whole microseconds as milliseconds, as JSON does. */
  writeMilliseconds(microseconds: number): void {
    if (microseconds < 0 || microseconds >= EXACT_LIMIT) {
      this.write(String(microseconds / 1000));
      return;
    }
    const rest = microseconds % 1000;
    this.#writeDigits((microseconds - rest) / 1000, 1);
    if (rest === 0) return;
    this.write('.');
    if (rest % 100 === 0) this.#writeDigits(rest / 100, 1);
    else if (rest % 10 === 0) this.#writeDigits(rest / 10, 2);
    else this.#writeDigits(rest, 3);
  }

  /** Writes 128 bits, given as four numbers of 32, as a GUID. */
  writeGuid([first, second, third, fourth]: readonly [number, number, number, number]): void {
    this.#reserve(GUID_BYTES);
    this.#writeHex(first, 8);
    this.#bytes[this.#at++] = DASH;
    this.#writeHex(second >>> 16, 4);
    this.#bytes[this.#at++] = DASH;
    this.#writeHex(second & 0xffff, 4);
    this.#bytes[this.#at++] = DASH;
    this.#writeHex(third >>> 16, 4);
    this.#bytes[this.#at++] = DASH;
    this.#writeHex(third & 0xffff, 4);
    this.#writeHex(fourth, 8);
  }

  /** Writes an instant as ISO 8601 in UTC with milliseconds (decision 3). */
  writeInstant(epochMs: number): void {
    const day = Math.floor(epochMs / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayText = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
    }
    const ofDayMs = epochMs - day * DAY_MS;
    this.write(this.#dayText);
    this.#writeDigits(Math.floor(ofDayMs / 3_600_000), 2);
    this.write(':');
    this.#writeDigits(Math.floor(ofDayMs / 60_000) % 60, 2);
    this.write(':');
    this.#writeDigits(Math.floor(ofDayMs / 1000) % 60, 2);
    this.write('.');
    this.#writeDigits(ofDayMs % 1000, 3);
    this.write('Z');
  }

  /** The bytes between head and tail. The buffer can't be written to any more. */
  finish(head: string, tail: string): Buffer {
    this.write(tail);
    const length = Buffer.byteLength(head);
    if (length > this.#headBytes) throw new Error(`A head of ${length} bytes`);
    const start = this.#headBytes - length;
    this.#bytes.write(head, start);
    return this.#bytes.subarray(start, this.#at);
  }

  #tryWritePlain(text: string): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > LAST_PLAIN) return false;
      bytes[start + index] = code;
    }
    this.#at = start + text.length;
    return true;
  }

  #writeDigits(value: number, least: number): void {
    let digits = least;
    for (let limit = 10 ** least; limit <= value; limit *= 10) digits += 1;
    this.#reserve(digits);
    let rest = value;
    for (let at = this.#at + digits - 1; at >= this.#at; at -= 1) {
      const next = Math.floor(rest / 10);
      this.#bytes[at] = 0x30 + rest - next * 10;
      rest = next;
    }
    this.#at += digits;
  }

  #writeHex(value: number, digits: number): void {
    let at = this.#at;
    for (let shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      const digit = (value >>> shift) & 15;
      this.#bytes[at++] = digit < 10 ? 0x30 + digit : 0x57 + digit;
    }
    this.#at = at;
  }

  #reserve(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}

/** A buffer for about as many documents. */
export function createPageBuffer(documents: number): PageBuffer {
  return new PageBuffer(HEAD_BYTES, documents * DOCUMENT_BYTES);
}
