const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MAX_HEAD_BYTES = 1_048_576;
/** Of an entry that is too long: enough to see whether a quote is escaped. */
const KEPT_BYTES = 1_024;

/** The bytes of one entry; null for one that is too long. */
export type JsonPiece = Buffer | null;

/**
 * Cuts the lists of objects of a JSON document into their entries, without parsing them: the document is
 * such a list, or an object that holds some. Lists of anything else are passed over.
 */
export interface JsonSplitter {
  /** Returns the document's text up to the first list of objects: what the file says about itself. */
  getHead(): string;
  /** Yields the entries that end in this chunk. Throws for a document that no list is found in. */
  push(chunk: Buffer): Generator<JsonPiece>;
  /** Throws when the document has not ended, or held no list that could be one of records. */
  end(): void;
}

/** Why a document can't be split, in English. */
export const DOCUMENT_FAULTS = {
  'text-after': 'There is text after the end of the JSON.',
  'no-list-yet': 'The file holds no list of records within a megabyte.',
  cut: 'The file ends in the middle of its JSON.',
  'no-list': 'The file holds no list of records.',
} as const;
export type DocumentFault = keyof typeof DOCUMENT_FAULTS;

/** Makes a splitter; entries of more than `maxEntryBytes` are passed over, and `toError` makes what it throws. */
export function createJsonSplitter(options: {
  readonly maxEntryBytes: number;
  readonly toError: (fault: DocumentFault) => Error;
}): JsonSplitter {
  const { maxEntryBytes, toError } = options;
  let buffer: Buffer = Buffer.alloc(0);
  /** Next byte to look at; those before it, from the start of the buffer, are kept. */
  let at = 0;
  let depth = 0;
  /** Depth inside the list of records; 0 while outside of one. */
  let listDepth = 0;
  let inString = false;
  let isSkipping = false;
  let isClosed = false;
  let hasList = false;
  let head = '';

  /** Forgets what has been looked at, but for the last bytes of it. */
  const dropAllBut = (kept: number): void => {
    buffer = buffer.subarray(at - kept);
    at = kept;
  };
  /** Returns the next byte that is no white space; undefined when the next chunk is needed to know it. */
  const peek = (from: number): number | undefined => {
    let next = from;
    while (next < buffer.length && (buffer[next] ?? 0) <= 0x20) next += 1;
    return buffer[next];
  };
  const isEscaped = (quote: number): boolean => {
    let start = quote;
    while (buffer[start - 1] === BACKSLASH) start -= 1;
    return (quote - start) % 2 === 1;
  };
  const skipString = (): void => {
    const end = buffer.indexOf(QUOTE, at);
    if (end === -1) {
      at = buffer.length;
      return;
    }
    inString = isEscaped(end);
    at = end + 1;
  };
  const openList = (): void => {
    if (head === '') head = buffer.toString('utf8', 0, at);
    listDepth = depth;
  };
  /** False when the next chunk is needed to go on. */
  const lookOutside = (byte: number | undefined): boolean => {
    if (isClosed) {
      if (byte !== undefined && byte > 0x20) throw toError('text-after');
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === OPEN_LIST && depth <= 1) {
      const next = peek(at + 1);
      if (next === undefined) return false;
      depth += 1;
      hasList ||= next === OPEN_OBJECT || next === CLOSE_LIST;
      if (next === OPEN_OBJECT) openList();
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth -= 1;
      isClosed = depth <= 0;
    }
    at += 1;
    if (listDepth !== 0) dropAllBut(0);
    return true;
  };
  /** Goes on to the mark that ends an entry; false when a text or the chunk's end comes first. */
  const findEntryEnd = (): boolean => {
    for (; at < buffer.length; at += 1) {
      const byte = buffer[at];
      if (byte === QUOTE) {
        inString = true;
        at += 1;
        return false;
      }
      if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
      if (depth < listDepth || (byte === COMMA && depth === listDepth)) return true;
    }
    return false;
  };
  const takeEntry = (): JsonPiece => {
    const piece = isSkipping ? null : buffer.subarray(0, at);
    isSkipping = false;
    at += 1;
    dropAllBut(0);
    if (depth < listDepth) {
      listDepth = 0;
      isClosed = depth <= 0;
    }
    return piece;
  };
  function* push(chunk: Buffer): Generator<JsonPiece> {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
    while (at < buffer.length) {
      if (inString) skipString();
      else if (listDepth !== 0) {
        if (findEntryEnd()) yield takeEntry();
      } else if (!lookOutside(buffer[at])) break;
    }
    if (listDepth !== 0 && at > maxEntryBytes) {
      isSkipping = true;
      dropAllBut(KEPT_BYTES);
    }
    if (listDepth === 0 && at > MAX_HEAD_BYTES) {
      throw toError('no-list-yet');
    }
  }
  return {
    getHead: () => head,
    push,
    end: () => {
      if (!isClosed) throw toError('cut');
      if (!hasList) throw toError('no-list');
    },
  };
}

const NEWLINE = 0x0a;

/** Lines of a file without their LF; null stands for one of more than `maxBytes`. */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let partBytes = 0;
  const takeLine = (last: Buffer): Buffer | null => {
    const line = partBytes + last.length > maxBytes ? null : Buffer.concat([...parts, last]);
    parts = [];
    partBytes = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield takeLine(chunk.subarray(start, end));
      start = end + 1;
    }
    partBytes += chunk.length - start;
    if (partBytes > maxBytes) parts = [];
    else if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (partBytes > 0) yield takeLine(Buffer.alloc(0));
}
