import { setImmediate as giveWay } from 'node:timers/promises';
import { REMOVED, removeRanges, type CleanedText, type SecretSearch } from './secret-search.ts';

/** A body that holds no secret, and how many places were cleaned. */
export interface CleanedBody {
  readonly bytes: ArrayBuffer;
  readonly removed: number;
}

/** What is searched in a millisecond or two. */
const BYTES_EACH_TURN = 131_072;
/** Texts in JSON in texts in JSON: no service sends more. */
const MAX_JSON_DEPTH = 3;
const LITERAL_OR_NUMBER = /"|-?\d[\d.eE+-]*/g;

/**
 * Removes every form of a secret from a body. In JSON, texts are cleaned once they are read and written anew, so
 * that it stays JSON and keeps its numbers; anything else is cleaned as one text.
 */
export function cleanBody(bytes: ArrayBuffer, search: SecretSearch): CleanedBody {
  if (!search.mayBytesHold(bytes)) return { bytes, removed: 0 };
  const buffer = Buffer.from(bytes);
  const text = tryDecode(buffer);
  // Other encodings: each byte is a character, and stays one.
  return write(
    bytes,
    text === null ? 'latin1' : 'utf8',
    cleanWhole(text ?? buffer.toString('latin1'), search),
  );
}

/** The same for a body of any size: others get their turn while it is searched, and while it is cleaned. */
export async function cleanBodyInTurns(bytes: ArrayBuffer, search: SecretSearch): Promise<CleanedBody> {
  let from = 0;
  while (!search.mayBytesHold(bytes, from, from + BYTES_EACH_TURN)) {
    from += BYTES_EACH_TURN;
    if (from >= bytes.byteLength) return { bytes, removed: 0 };
    await giveWay();
  }
  const buffer = Buffer.from(bytes);
  const text = tryDecode(buffer);
  const steps = cleanInSteps(text ?? buffer.toString('latin1'), search, 0);
  for (;;) {
    await giveWay();
    const { done, value } = steps.next();
    if (done === true) return write(bytes, text === null ? 'latin1' : 'utf8', value);
  }
}

function write(bytes: ArrayBuffer, encoding: 'utf8' | 'latin1', clean: CleanedText): CleanedBody {
  if (clean.removed === 0) return { bytes, removed: 0 };
  return { bytes: new Uint8Array(Buffer.from(clean.text, encoding)).buffer, removed: clean.removed };
}

/** Removes every form of a secret from a text, which stays JSON where it is. */
export function cleanWhole(text: string, search: SecretSearch, depth = 0): CleanedText {
  const steps = cleanInSteps(text, search, depth);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Cleans a text a part at a time: each step takes a millisecond or two, but for reading and searching it as a whole. */
function* cleanInSteps(
  text: string,
  search: SecretSearch,
  depth: number,
): Generator<undefined, CleanedText, undefined> {
  if (depth === MAX_JSON_DEPTH || !isJsonStructure(text)) return search.clean(text);
  yield;
  const literals = yield* cleanJson(text, search, depth);
  yield;
  if (!search.mayHoldLists(literals.text)) return literals;
  const lists = cleanStructure(literals.text, search);
  return { text: lists.text, removed: literals.removed + lists.removed };
}

function tryDecode(buffer: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer);
  } catch {
    return null;
  }
}

function isJsonStructure(text: string): boolean {
  if (!/^\ufeff?\s*(?:[[{"\d-]|true|false|null)/.test(text)) return false;
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

/** Cleans texts, names and numbers of JSON, each by itself. */
function* cleanJson(
  text: string,
  search: SecretSearch,
  depth: number,
): Generator<undefined, CleanedText, undefined> {
  const pieces: string[] = [];
  let [done, removed] = [0, 0];
  const replace = (from: number, to: number, clean: string, count: number): void => {
    pieces.push(text.slice(done, from), JSON.stringify(clean));
    removed += count;
    done = to;
  };
  const mayHold = search.lookThrough(text);
  const next = new RegExp(LITERAL_OR_NUMBER);
  let turnEnd = BYTES_EACH_TURN;
  for (let match = next.exec(text); match !== null; match = next.exec(text)) {
    const from = match.index;
    if (from >= turnEnd) {
      turnEnd = from + BYTES_EACH_TURN;
      yield;
    }
    if (match[0] !== '"') {
      if (search.isNumber(match[0])) replace(from, next.lastIndex, REMOVED, 1);
      continue;
    }
    const to = findEnd(text, from);
    next.lastIndex = to;
    if (!mayHold(from, to)) continue;
    const clean = cleanLiteral(JSON.parse(text.slice(from, to)) as string, search, depth);
    if (clean.removed > 0) replace(from, to, clean.text, clean.removed);
  }
  return { text: pieces.join('') + text.slice(done), removed };
}

/** A text may be JSON again, as records in a text are: it must stay it. */
function cleanLiteral(text: string, search: SecretSearch, depth: number): CleanedText {
  const inner = /^\s*[[{]/.test(text) ? cleanWhole(text, search, depth + 1) : { text, removed: 0 };
  const rest = search.clean(inner.text);
  return { text: rest.text, removed: inner.removed + rest.removed };
}

/** Lists of numbers or of texts, which no text of the JSON holds as a whole. */
function cleanStructure(text: string, search: SecretSearch): CleanedText {
  const quoted = removeRanges(text, search.findLists(text), ([from]) =>
    isInLiteral(text, from) ? REMOVED : JSON.stringify(REMOVED),
  );
  return quoted;
}

function isInLiteral(text: string, at: number): boolean {
  for (let from = text.indexOf('"'); from !== -1 && from < at;) {
    const to = findEnd(text, from);
    if (to > at) return true;
    from = text.indexOf('"', to);
  }
  return false;
}

/** The place after the closing quotation mark of the text literal that begins at `from`. */
function findEnd(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
}
