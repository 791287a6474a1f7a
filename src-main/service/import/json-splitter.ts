import { MOST_ENTRY_BYTES } from './file-entry.ts';
import { toImportError } from './import-error.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MOST_HEAD_BYTES = 1_048_576;
/** Of an entry that is too long: enough to see whether a quote is escaped. */
const KEPT_BYTES = 1_024;

/** The bytes of one entry; null for one that is too long. */
export type JsonPiece = Buffer | null;

/**
 * Cuts the lists of objects of a JSON document into their entries, without parsing them: the document is
 * such a list, or an object that holds some. Lists of anything else are passed over.
 */
export class JsonSplitter {
  #buffer: Buffer = Buffer.alloc(0);
  /** Next byte to look at; those before it, from the start of the buffer, are kept. */
  #at = 0;
  #depth = 0;
  /** Depth inside the list of records; 0 while outside of one. */
  #listDepth = 0;
  #inString = false;
  #isSkipping = false;
  #isClosed = false;
  #hasList = false;
  #head = '';

  /** The document's text up to the first list of objects: what the file says about itself. */
  get head(): string {
    return this.#head;
  }

  /** Entries that end in this chunk. Throws AppError for a document that no list is found in. */
  *push(chunk: Buffer): Generator<JsonPiece> {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    while (this.#at < this.#buffer.length) {
      if (this.#inString) this.#skipString();
      else if (this.#listDepth !== 0) {
        if (this.#findEntryEnd()) yield this.#takeEntry();
      } else if (!this.#lookOutside(this.#buffer[this.#at])) break;
    }
    if (this.#listDepth !== 0 && this.#at > MOST_ENTRY_BYTES) {
      this.#isSkipping = true;
      this.#dropAllBut(KEPT_BYTES);
    }
    if (this.#listDepth === 0 && this.#at > MOST_HEAD_BYTES) {
      throw toImportError('The file holds no list of records within a megabyte.');
    }
  }

  /** Throws AppError when the document has not ended, or held no list that could be one of records. */
  end(): void {
    if (!this.#isClosed) throw toImportError('The file ends in the middle of its JSON.');
    if (!this.#hasList) throw toImportError('The file holds no list of records.');
  }

  /** False when the next chunk is needed to go on. */
  #lookOutside(byte: number | undefined): boolean {
    if (this.#isClosed) {
      if (byte !== undefined && byte > 0x20) throw toImportError('There is text after the end of the JSON.');
    } else if (byte === QUOTE) {
      this.#inString = true;
    } else if (byte === OPEN_LIST && this.#depth <= 1) {
      const next = this.#peek(this.#at + 1);
      if (next === undefined) return false;
      this.#depth += 1;
      this.#hasList ||= next === OPEN_OBJECT || next === CLOSE_LIST;
      if (next === OPEN_OBJECT) this.#openList();
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      this.#depth += 1;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      this.#depth -= 1;
      this.#isClosed = this.#depth <= 0;
    }
    this.#at += 1;
    if (this.#listDepth !== 0) this.#dropAllBut(0);
    return true;
  }

  #openList(): void {
    if (this.#head === '') this.#head = this.#buffer.toString('utf8', 0, this.#at);
    this.#listDepth = this.#depth;
  }

  /** Goes on to the mark that ends an entry; false when a text or the chunk's end comes first. */
  #findEntryEnd(): boolean {
    for (; this.#at < this.#buffer.length; this.#at += 1) {
      const byte = this.#buffer[this.#at];
      if (byte === QUOTE) {
        this.#inString = true;
        this.#at += 1;
        return false;
      }
      if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#depth += 1;
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth -= 1;
      if (this.#depth < this.#listDepth || (byte === COMMA && this.#depth === this.#listDepth)) return true;
    }
    return false;
  }

  #takeEntry(): JsonPiece {
    const piece = this.#isSkipping ? null : this.#buffer.subarray(0, this.#at);
    this.#isSkipping = false;
    this.#at += 1;
    this.#dropAllBut(0);
    if (this.#depth < this.#listDepth) {
      this.#listDepth = 0;
      this.#isClosed = this.#depth <= 0;
    }
    return piece;
  }

  #skipString(): void {
    const end = this.#buffer.indexOf(QUOTE, this.#at);
    if (end === -1) {
      this.#at = this.#buffer.length;
      return;
    }
    this.#inString = this.#isEscaped(end);
    this.#at = end + 1;
  }

  #isEscaped(at: number): boolean {
    let start = at;
    while (this.#buffer[start - 1] === BACKSLASH) start -= 1;
    return (at - start) % 2 === 1;
  }

  #peek(from: number): number | undefined {
    let at = from;
    while (at < this.#buffer.length && (this.#buffer[at] ?? 0) <= 0x20) at += 1;
    return this.#buffer[at];
  }

  /** Forgets what has been looked at, but for the last bytes of it. */
  #dropAllBut(kept: number): void {
    this.#buffer = this.#buffer.subarray(this.#at - kept);
    this.#at = kept;
  }
}
