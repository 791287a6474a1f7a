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
