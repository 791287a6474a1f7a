import { toImportError } from './import-error.ts';
import { MOST_ENTRY_BYTES } from './file-entry.ts';

const LF = 0x0a;
const CR = 0x0d;

/** The bytes of one row, and the line of the file on which it begins, from 1. */
export interface TrackedRow {
  readonly line: number;
  readonly bytes: Buffer;
}

/** Knows the bytes and line numbers of rows that a parser tells by where they end. */
export class RowTracker {
  #chunks: Buffer[] = [];
  #pendingBytes = 0;
  #startBytes = 0;
  #line = 1;

  /** Line on which the next row begins. */
  get line(): number {
    return this.#line;
  }

  /** Bytes as they are given to the parser. Throws AppError when a row doesn't end. */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes <= MOST_ENTRY_BYTES + 4 * chunk.length) return;
    throw toImportError(
      `The row that begins on line ${this.#line} doesn't end within ${MOST_ENTRY_BYTES} bytes; a quote may be missing.`,
    );
  }

  /** The row that ends before this byte of the file, blank lines before it left out. */
  take(endBytes: number): TrackedRow {
    const bytes = this.#takeBytes(endBytes - this.#startBytes);
    this.#startBytes = endBytes;
    let start = 0;
    while (bytes[start] === LF || bytes[start] === CR) start += 1;
    const line = this.#line + countLineEnds(bytes.subarray(0, start));
    this.#line = line + countLineEnds(bytes.subarray(start));
    return { line, bytes: bytes.subarray(start) };
  }

  #takeBytes(length: number): Buffer {
    this.#pendingBytes -= length;
    const taken: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      const [chunk] = this.#chunks;
      if (chunk === undefined) break;
      taken.push(chunk.subarray(0, missing));
      if (chunk.length > missing) this.#chunks[0] = chunk.subarray(missing);
      else this.#chunks.shift();
      missing -= Math.min(missing, chunk.length);
    }
    const [only] = taken;
    return taken.length === 1 && only !== undefined ? only : Buffer.concat(taken);
  }
}

/** CRLF, LF and a single CR each end a line. */
function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  for (let at = bytes.indexOf(CR); at !== -1; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) count += 1;
  }
  return count;
}
