import { toFileError } from './import-error.ts';
import { MAX_ENTRY_BYTES } from './file-entry.ts';

const LF = 0x0a;
const CR = 0x0d;

/** The bytes of one row, and the line of the file on which it begins, from 1. */
export interface TrackedRow {
  readonly line: number;
  readonly bytes: Buffer;
  /** Line ends before it, which belong to no row. */
  readonly gap: Buffer;
}

/** Cuts a file into the rows that a parser reports by where they end. */
export interface RowTracker {
  /** Takes bytes as they are given to the parser. Throws AppError when a row doesn't end. */
  add(chunk: Buffer): void;
  /** Returns the row that ends before this byte of the file, blank lines before it left out. */
  take(endBytes: number): TrackedRow;
  /** Takes what is left at the end of the file. */
  takeRest(): TrackedRow;
}

/** Creates a tracker at the beginning of a file. */
export function createRowTracker(): RowTracker {
  const chunks: Buffer[] = [];
  let pendingBytes = 0;
  let startBytes = 0;
  let nextLine = 1;

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
export function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  for (let at = bytes.indexOf(CR); at !== -1; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) count += 1;
  }
  return count;
}
