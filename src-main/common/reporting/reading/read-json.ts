import { AppError } from '../../contract/errors.ts';
import { replaceNumberWords, toRawDigits } from '../../json.ts';

// Present in every runtime of the application; declared here because this folder knows neither DOM nor Node.
declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean },
) => { decode(bytes: Uint8Array): string };

export type JsonObject = Readonly<Record<string, unknown>>;
export type ParseJson = (text: string) => unknown;

const FIRST_LINE_CHARACTERS = 200;
const DEPTH_LIMIT = 64;

/** True for a JSON object; arrays, null and numbers that are kept as their digits are none. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && toRawDigits(value) === null;
}

/** The first line with text in it, cut to 200 characters, for showing what came instead of JSON. */
export function toFirstLine(text: string): string {
  const start = text.trimStart();
  const end = start.search(/[\r\n]/);
  return (end === -1 ? start : start.slice(0, end)).trimEnd().slice(0, FIRST_LINE_CHARACTERS);
}

/**
 * Reads strict UTF-8; a byte order mark is dropped. Throws AppError `client.not-json`, its details' `reason` being
 * `utf-16` or `invalid-utf8`.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  if (isUtf16(bytes)) {
    throw new AppError('client.not-json', 'The body is UTF-16.', { reason: 'utf-16' });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('client.not-json', 'The body is not UTF-8.', { reason: 'invalid-utf8' }, cause);
  }
}

/**
 * Parses a body whatever its content type says (decision 17). Throws AppError `client.html`,
 * `client.truncated` for JSON that stops in the middle, or `client.not-json`; details carry `firstLine`.
 */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw toParseError(text, cause);
  }
}

/**
 * Makes a parser that also takes NaN and Infinity where a value belongs, as `isNumberWord` recognises them.
 * Throws what `parse` throws of the text as it is.
 */
export function withNumberWords(parse: ParseJson): ParseJson {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      const replaced = replaceNumberWords(text);
      if (replaced === null) throw error;
      try {
        return parse(replaced);
      } catch {
        throw error;
      }
    }
  };
}

/**
 * Parses again with every integer beyond 2^53 kept as its digits, so that no identifier is rounded.
 * Slower than JSON.parse: only for a text in which such a number was met.
 */
export const parseKeepingDigits: ParseJson = (text) => {
  const parse = JSON.parse as (
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ) => unknown;
  return parse(text, (_key, value, { source }) =>
    isRounded(value) && source !== undefined ? source : value,
  );
};

/** True for an integer that a JSON number may have lost digits of. */
export function isRounded(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** True when arrays and objects are nested more than 64 deep; never recurses deeper than that. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= DEPTH_LIMIT) return true;
  return Object.values(value).some((child) => isTooDeep(child, depth + 1));
}

function toParseError(text: string, cause: unknown): AppError {
  const firstLine = toFirstLine(text);
  if (firstLine === '')
    return new AppError('client.not-json', 'The body is empty.', { reason: 'empty' }, cause);
  if (/^<(!doctype html|html|head|body|!--|title|script|meta|div|h\d)/i.test(firstLine)) {
    return new AppError('client.html', 'The body is a web page.', { firstLine }, cause);
  }
  if (endsInside(text)) {
    return new AppError('client.truncated', 'The body ends in the middle of its JSON.', { firstLine }, cause);
  }
  const reason = /^[[{]/.test(firstLine) ? 'broken' : 'syntax';
  return new AppError('client.not-json', 'The body is not JSON.', { reason, firstLine }, cause);
}

/** True for text that begins with the mark of UTF-16, or with an ASCII character in two bytes. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return false;
  return (
    (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0
  );
}

/** True for a text that begins as JSON does and ends inside a string, an array or an object. */
function endsInside(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    // Closed at the outermost level: whatever follows is surplus, not a cut.
    if (!inString && depth <= 0 && character !== ' ' && character !== '\n' && character !== '\r')
      return false;
  }
  return true;
}
