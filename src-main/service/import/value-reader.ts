import { createDateReader } from '../../common/reporting/read-date.ts';
import { isTooDeep } from '../../common/reporting/read-json.ts';

const WHOLE = /^-?(0|[1-9]\d{0,9})$/;
// Strict on purpose: `1,234` is one number to some and another to others, and `007` is no number at all.
const DECIMAL = /^(0|[1-9]\d*)(\.\d+)?(e[-+]?\d{1,3})?$/i;
const SHOWN_CHARACTERS = 40;
const MOST_WHOLE = 2 ** 31 - 1;
/** 1970 to 2199. */
const MOST_DATE_MS = Date.UTC(2200, 0, 1) - 1;

/** Longest texts of a record, in characters. */
export const TEXT_LIMITS = { name: 1_000, error: 100_000, content: 1_000_000 } as const;

/** Reads the values of one entry strictly, and collects why it can't: what is read of a faulty entry means nothing. */
export class ValueReader {
  readonly #readDate: (value: unknown) => number | null;
  #faults: string[] = [];

  /** `zone` is that of dates that name none. */
  constructor(zone: string) {
    this.#readDate = createDateReader(zone);
  }

  /** Why the values read since the last call are no record; empty when they are one. */
  takeFaults(): readonly string[] {
    const faults = this.#faults;
    if (faults.length > 0) this.#faults = [];
    return faults;
  }

  /** Milliseconds since 1970, in any of the forms of decision 3. */
  readDate(name: string, value: unknown): number {
    if (this.#isMissing(name, value)) return 0;
    const dateMs = this.#readDate(value);
    if (dateMs !== null && dateMs >= 0 && dateMs <= MOST_DATE_MS) return dateMs;
    this.#refuse(name, value, dateMs === null ? 'is no date' : 'is not between 1970 and 2199');
    return 0;
  }

  /** A whole number of 32 bits. */
  readWhole(name: string, value: unknown, least: number): number {
    if (this.#isMissing(name, value)) return 0;
    const number = typeof value === 'string' && WHOLE.test(value) ? Number(value) : value;
    if (Number.isInteger(number) && Number(number) >= least && Number(number) <= MOST_WHOLE) {
      return Number(number) + 0;
    }
    this.#refuse(name, value, `is no whole number from ${least} to ${MOST_WHOLE}`);
    return 0;
  }

  /** A time in milliseconds, as whole microseconds. */
  readMicroseconds(name: string, value: unknown): number {
    if (this.#isMissing(name, value)) return 0;
    const timeMs = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
    if (typeof timeMs === 'number' && timeMs >= 0 && timeMs <= MOST_WHOLE) return Math.round(timeMs * 1000);
    this.#refuse(name, value, `is no number from 0 to ${MOST_WHOLE}`);
    return 0;
  }

  /** A text; numbers and structures become their text, null becomes empty. Halves of surrogate pairs are replaced. */
  readText(name: string, value: unknown, limit: number): string {
    if (typeof value === 'object' && isTooDeep(value)) {
      this.#faults.push(`${name} is nested too deep.`);
      return '';
    }
    const text = toText(value);
    if (text.length <= limit) return text.isWellFormed() ? text : text.toWellFormed();
    this.#faults.push(`${name} is longer than ${limit} characters.`);
    return '';
  }

  #isMissing(name: string, value: unknown): boolean {
    if (value !== undefined && value !== null && value !== '') return false;
    this.#faults.push(`${name} is missing.`);
    return true;
  }

  #refuse(name: string, value: unknown, why: string): void {
    const text = toText(value);
    const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
    this.#faults.push(`${name} ${why}: ${JSON.stringify(shown)}.`);
  }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  // Writing it out would exhaust the stack.
  if (isTooDeep(value)) return '…';
  return JSON.stringify(value);
}
