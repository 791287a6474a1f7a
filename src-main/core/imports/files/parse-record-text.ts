import { mayLoseDigits, parseExactly } from '../../../common/json/exact-json.ts';

/** Returns the value of a JSON text; numbers keep the digits that they are written with. Throws SyntaxError. */
export function parseRecordText(text: string): unknown {
  return mayLoseDigits(text) ? parseExactly(text) : (JSON.parse(text) as unknown);
}
