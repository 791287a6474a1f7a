const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/** A row by its bytes; `isClosed` is false where a quotation mark opens a cell that nothing closes. */
export interface CutRow {
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
export function mergesRows(bytes: Buffer, delimiter: string): boolean {
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
