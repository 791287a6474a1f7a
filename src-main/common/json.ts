/** A number whose digits a JavaScript number would change; `JSON.stringify` writes it as it came. */
interface RawNumber {
  readonly rawJSON: string;
}

/** Fields of a JSON object, each value as the text of its JSON. */
export type JsonTexts = Readonly<Record<string, string>>;

// TypeScript's declarations don't have these yet.
const exact = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/** Finds the numbers that JavaScript would most likely write differently from how they came. */
const OTHERWISE_WRITTEN = /(?:"\s*:|[,[])\s*(?:-0(?![.\d])|-?(?:\d[\d.]{15,}|\d+\.\d*0(?!\d)|[\d.]+e))/i;

/** Returns the digits of a number that was kept as they are; null for any other value. */
export function toRawDigits(value: unknown): string | null {
  return exact.isRawJSON(value) ? value.rawJSON : null;
}

/** True for a number that lost digits, or its size: an integer beyond 2^53, and what is beyond any double. */
export function isLossy(value: unknown): boolean {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return false;
  return Number.isInteger(value) || !Number.isFinite(value);
}

/** Where a text is nested deeper than values can be visited, its numbers stay as JavaScript has them. */
function parseNumbers(text: string, isKept: (value: number, source: string) => boolean): unknown {
  try {
    return exact.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && isKept(value, source)
        ? exact.rawJSON(source)
        : value,
    );
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text) as unknown;
    throw error;
  }
}

/**
 * Returns the parsed text; numbers that `isLossy` are kept as their digits. Slower than JSON.parse: only for a text in
 * which such a number was met.
 */
export function parseWithoutLoss(text: string): unknown {
  return parseNumbers(text, isLossy);
}

/** Returns the parsed text; numbers are kept as their digits wherever JavaScript would write others. */
export function parseExactly(text: string): unknown {
  return parseNumbers(text, (value, source) => String(value) !== source);
}

/** True where `parseExactly` may find more than `JSON.parse`; false means that it doesn't. */
export function mayLoseDigits(text: string): boolean {
  return OTHERWISE_WRITTEN.test(text);
}

/** Returns each field of an object as the text of its JSON. */
export function toJsonTexts(fields: Readonly<Record<string, unknown>>): JsonTexts {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]));
}

/** Returns a JSON object of fields whose values are JSON already. */
export function joinJsonTexts(fields: Iterable<readonly [string, string]>): string {
  return `{${Array.from(fields, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** Returns what a person reads of a JSON text: of a string its characters, of anything else the JSON. */
export function toPlainText(jsonText: string): string {
  if (!jsonText.startsWith('"')) return jsonText;
  try {
    return String(JSON.parse(jsonText));
  } catch {
    return jsonText;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** How much a JSON text holds. Counted without parsing, since what a parser makes of it may fill the memory. */
interface JsonSize {
  /** How deep lists and objects are nested. */
  readonly depth: number;
  /** Commas between values, and lists and objects. */
  readonly parts: number;
  /** Names of objects' fields, those that come twice included. */
  readonly keys: number;
}

/** What a JSON text may hold at most; `parts` count lists, objects and the commas in them. */
interface JsonLimits {
  readonly depth: number;
  readonly parts: number;
}

/** Measures a text; one that is no JSON gets some size too. Takes one pass, and memory for none of it. */
export function measureJson(text: string): JsonSize {
  let depth = 0;
  let deepest = 0;
  let parts = 0;
  let keys = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findTextEnd(text, at);
    else if (code === COLON) keys += 1;
    else if (code === COMMA) parts += 1;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      parts += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1;
  }
  return { depth: deepest, parts, keys };
}

/** Says what of a text is beyond the limits; null where nothing is. */
export function findJsonExcess(text: string, limits: JsonLimits): keyof JsonLimits | null {
  const { depth, parts } = measureJson(text);
  if (depth > limits.depth) return 'depth';
  return parts > limits.parts ? 'parts' : null;
}

/** Counts the names in a parsed value that is no deeper than a call can go. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const entry of value) if (typeof entry === 'object') count += countKeys(entry);
    return count;
  }
  for (const name in value) {
    count += 1;
    const entry = (value as Record<string, unknown>)[name];
    if (typeof entry === 'object') count += countKeys(entry);
  }
  return count;
}

/** Names that come twice in an object: the last value counts. */
export interface DoubledKeys {
  /** Entries of the outermost lists of objects that hold such a name. */
  readonly entries: number;
  /** Such names beside those lists. */
  readonly beside: number;
  /** The first of them. */
  readonly name: string;
}

interface OpenPart {
  readonly names: Set<string> | null;
  /** It is an entry of an outermost list. */
  readonly isEntry: boolean;
}

/** Finds names that come twice. Slower than to count them, which says whether there are any. */
export function findDoubledKeys(text: string): DoubledKeys | null {
  const open: OpenPart[] = [];
  let insideEntries = 0;
  let isDoubledEntry = false;
  let entries = 0;
  let beside = 0;
  let first: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = findTextEnd(text, at);
      const names = open.at(-1)?.names;
      if (names !== null && names !== undefined && isFollowedByColon(text, end)) {
        const name = readName(text.slice(at, end + 1));
        if (names.has(name)) {
          first ??= name;
          if (insideEntries > 0) isDoubledEntry = true;
          else beside += 1;
        }
        names.add(name);
      }
      at = end;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      const isEntry = code === OPEN_OBJECT && insideEntries === 0 && open.at(-1)?.names === null;
      if (isEntry) insideEntries += 1;
      open.push({ names: code === OPEN_OBJECT ? new Set() : null, isEntry });
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (open.pop()?.isEntry === true) {
        insideEntries -= 1;
        if (isDoubledEntry) entries += 1;
        isDoubledEntry = false;
      }
    }
  }
  return first === null ? null : { entries, beside, name: first };
}

/** Words that languages write for numbers which are none, and JSON has none for. */
const WORD = /[-+]?\b(?:NaN|Infinity)\b/g;
/** Begins a text that stands for such a word: no character, so that no text of others has it. */
const WORD_MARK = '\ufdd0';

/**
 * Returns the text with each NaN and Infinity as a text that `isNumberWord` recognises; null where it holds none, or
 * where that could be mistaken.
 */
export function replaceNumberWords(text: string): string | null {
  if (!/NaN|Infinity/.test(text) || text.includes(WORD_MARK)) return null;
  const pieces: string[] = [];
  let isFound = false;
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const outside = text.slice(at, quote === -1 ? text.length : quote);
    const replaced = outside.replace(WORD, (word) => `"${WORD_MARK}${word}"`);
    isFound ||= replaced !== outside;
    pieces.push(replaced);
    if (quote === -1) break;
    const end = findTextEnd(text, quote);
    pieces.push(text.slice(quote, end + 1));
    at = end + 1;
  }
  return isFound ? pieces.join('') : null;
}

/** True for a text that stands for NaN or Infinity. */
export function isNumberWord(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(WORD_MARK);
}

/** Returns the JSON of a value with such words as they came. */
export function restoreNumberWords(json: string): string {
  return json.includes(WORD_MARK) ? json.replace(/"\ufdd0([^"\\]*)"/g, '$1') : json;
}

/** Where the text that begins with this quote ends; the end of everything where nothing ends it. */
function findTextEnd(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let start = end;
    while (text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
    if ((end - start) % 2 === 0) return end;
  }
  return text.length;
}

function isFollowedByColon(text: string, end: number): boolean {
  let at = end + 1;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return text.charCodeAt(at) === COLON;
}

function readName(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    return token;
  }
}

/** True for an object of parsed JSON, whose members may be anything; false for a list and for null. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
