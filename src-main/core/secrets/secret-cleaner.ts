import { setImmediate as giveWay } from 'node:timers/promises';
import { AppError } from '../../common/contract/errors.ts';
import { createWorkQueue } from '../../node/gate.ts';
import { toSecretForms, type SecretForms } from './secret-forms.ts';
import {
  createSecretSearch,
  REMOVED,
  removeRanges,
  type SecretSearch,
  type CleanedText,
} from './secret-search.ts';

/** Takes secrets and tokens that it knows out of what services send back. */
export interface SecretCleaner {
  /** Makes a secret known: it stays so as long as the cleaner is held, if it is among the last that were noted. */
  note(secret: string): void;
  /** Returns the text without any form of a known secret; JSON stays JSON. */
  cleanText(text: string): string;
  /** Returns a body without them: the given one where nothing was found. */
  cleanBody(bytes: ArrayBuffer): CleanedBody;
  /** The same for a body of any size: others get their turn while it is searched. */
  cleanBodyInTurns(bytes: ArrayBuffer): Promise<CleanedBody>;
  /** Returns the error with clean words. */
  cleanError(error: AppError): AppError;
}

/** All secrets of the application; each user of secrets has a cleaner of its own. */
export interface KnownSecrets {
  /** Returns a text without the secrets of all cleaners. */
  cleanText(text: string): string;
  /**
   * Makes a cleaner. Its texts are cleaned of all secrets that are known, its bodies only of those noted with it, since
   * pages are large and other secrets have no way into them.
   */
  createCleaner(): SecretCleaner;
}

/** Shorter texts are in other words by chance, and hardly secret. */
const MIN_TEXT_CHARACTERS = 4;
/** In a page, a shorter one may be a word of somebody's message, which would be taken out of a record. */
const MIN_BODY_CHARACTERS = 8;
/** Of cleaners that nobody holds any longer: texts about what they did may still come. */
const MAX_RECENT = 64;
/** Two secrets, and tokens of the last hours. */
const MAX_OWN = 8;
/** A search takes additions, and is made anew to forget; that of bodies, which are large, sooner. */
const MAX_FORGOTTEN = 64;
const MAX_FORGOTTEN_OWN = 8;

/** Makes the list of what is known, empty. */
export function createKnownSecrets(): KnownSecrets {
  const compiled = new Map<string, SecretForms>();
  /** Those of cleaners that are held; a cleaner of a test goes with it. */
  const held = new Set<WeakRef<readonly SecretForms[][]>>();
  let recent: readonly SecretForms[] = [];
  let search = createSecretSearch();

  function listKept(): Set<SecretForms> {
    const kept = new Set(recent);
    for (const reference of held) {
      const lists = reference.deref();
      if (lists === undefined) held.delete(reference);
      else for (const forms of lists.flat()) kept.add(forms);
    }
    return kept;
  }
  function forget(): void {
    const kept = listKept();
    if (compiled.size <= kept.size + MAX_FORGOTTEN) return;
    compiled.clear();
    search = createSecretSearch();
    for (const forms of kept) {
      compiled.set(forms.secret, forms);
      search.add(forms);
    }
  }
  function compile(secret: string): SecretForms {
    let forms = compiled.get(secret);
    if (forms === undefined) {
      forms = toSecretForms(secret);
      compiled.set(secret, forms);
      search.add(forms);
    }
    recent = [...recent.filter((each) => each !== forms), forms].slice(-MAX_RECENT);
    forget();
    return forms;
  }
  const cleanText = (text: string): string => (search.mayHold(text) ? cleanWhole(text, search).text : text);

  return {
    cleanText,
    createCleaner() {
      const own: SecretForms[][] = [[]];
      held.add(new WeakRef(own));
      let inBodies: SecretSearch = createSecretSearch();
      let forgotten = 0;
      // Each body takes its part of a turn, and pages of several walks may arrive at once.
      const inTurn = createWorkQueue();

      return {
        note: (secret) => {
          if (secret.length < MIN_TEXT_CHARACTERS) return;
          const before = own[0] ?? [];
          if (before.at(-1)?.secret === secret) return;
          const forms = compile(secret);
          const next = [...before.filter((each) => each.secret !== secret), forms];
          own[0] = next.slice(-MAX_OWN);
          forgotten += next.length - own[0].length;
          if (forgotten > MAX_FORGOTTEN_OWN) {
            inBodies = createSecretSearch();
            forgotten = 0;
          }
          for (const each of own[0]) if (each.secret.length >= MIN_BODY_CHARACTERS) inBodies.add(each);
        },
        cleanText,
        cleanBody: (bytes) => cleanBody(bytes, inBodies),
        cleanBodyInTurns: (bytes) => inTurn(() => cleanBodyInTurns(bytes, inBodies)),
        cleanError: ({ code, message, details, cause }) => {
          const clean = Object.entries(details).map(
            ([name, value]) => [name, typeof value === 'string' ? cleanText(value) : value] as const,
          );
          return new AppError(code, cleanText(message), Object.fromEntries(clean), cause);
        },
      };
    },
  };
}

/** A body that holds no secret, and how many places were cleaned. */
interface CleanedBody {
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
function cleanBody(bytes: ArrayBuffer, search: SecretSearch): CleanedBody {
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
async function cleanBodyInTurns(bytes: ArrayBuffer, search: SecretSearch): Promise<CleanedBody> {
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
function cleanWhole(text: string, search: SecretSearch, depth = 0): CleanedText {
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
