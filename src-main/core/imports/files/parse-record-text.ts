import { mayLoseDigits, parseExactly } from '../../../common/json/exact-json.ts';
import { countKeys, findDoubledKeys, findJsonExcess, measureJson } from '../../../common/json/scan-json.ts';
import { isJsonObject } from '../../../common/reporting/reading/read-json.ts';

/**
 * What a record may hold: far more than a report's, and what every part of the application has room for. More is refused
 * before anything is made of it.
 */
export const RECORD_LIMITS = { depth: 1_000, parts: 1_000_000 };

/** Returns the value of a JSON text; numbers keep the digits that they are written with. Throws SyntaxError. */
export function parseRecordText(text: string): unknown {
  return mayLoseDigits(text) ? parseExactly(text) : (JSON.parse(text) as unknown);
}

/**
 * Returns the fields of an object that a text holds, as it would be held in one cell; null for anything else, and for
 * more than `RECORD_LIMITS`. `onDoubled` is told the first name that comes twice in it.
 */
export function tryParseFields(
  text: string,
  onDoubled: (name: string) => void,
): Readonly<Record<string, unknown>> | null {
  if (findJsonExcess(text, RECORD_LIMITS) !== null) return null;
  try {
    const value = parseRecordText(text);
    if (!isJsonObject(value)) return null;
    const name = findDoubledName(text, value);
    if (name !== null) onDoubled(name);
    return value;
  } catch {
    return null;
  }
}

/** The first name that comes twice in a text, of which its value holds one; null where none does. */
export function findDoubledName(text: string, value: unknown): string | null {
  return measureJson(text).keys === countKeys(value) ? null : (findDoubledKeys(text)?.name ?? null);
}
