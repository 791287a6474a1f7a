import type { ImportFault, ImportFaultCode } from '../../common/model/connections/import-fault.ts';
import { createDateReader } from '../../common/reporting/reading/read-date.ts';
import { isTooDeep } from '../../common/reporting/reading/read-json.ts';
import { toFault } from './import-error.ts';

const INTEGER = /^-?(0|[1-9]\d{0,9})$/;
// Strict on purpose: `1,234` is one number to some and another to others, and `007` is no number at all.
const DECIMAL = /^(0|[1-9]\d*)(\.\d+)?(e[-+]?\d{1,3})?$/i;
const MAX_SHOWN_CHARACTERS = 40;
const MAX_INTEGER = 2 ** 31 - 1;
/** 1970 to 2199. */
const MAX_DATE_MS = Date.UTC(2200, 0, 1) - 1;

/** Longest texts of a record, in characters. */
export const TEXT_LIMITS = { name: 1_000, error: 100_000, content: 1_000_000 } as const;

/**
 * Reads the values of one entry strictly, and collects why it can't: what is read of a faulty entry means
 * nothing. `name` is that of the field, for the reason.
 */
export interface ValueReader {
  /** Milliseconds since 1970, in any of the forms of decision 3. */
  readDate(name: string, value: unknown): number;
  /** A whole number of 32 bits. */
  readInteger(name: string, value: unknown, min: number): number;
  /** A time in milliseconds, as whole microseconds. */
  readMicroseconds(name: string, value: unknown): number;
  /** A text; numbers and structures become their text, null becomes empty. Halves of surrogate pairs are replaced. */
  readText(name: string, value: unknown, limit: number): string;
  /** Why the values read since the last call are no record; empty when they are one. */
  takeFaults(): readonly ImportFault[];
}

/** True for what an entry doesn't have, in any of the ways that files say so. */
export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** `zone` is that of dates that name none. */
export function createValueReader(zone: string): ValueReader {
  const parseDate = createDateReader(zone);
  let faults: ImportFault[] = [];

  const noteMissing = (name: string, value: unknown): boolean => {
    if (!isMissing(value)) return false;
    faults.push(toFault('missing', { field: name }));
    return true;
  };
  const quote = (value: unknown): string => {
    const text = toText(value);
    return JSON.stringify(
      text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text,
    );
  };
  const refuse = (code: ImportFaultCode, value: unknown, values: ImportFault['values']): 0 => {
    faults.push(toFault(code, { ...values, value: quote(value) }));
    return 0;
  };
  return {
    readDate: (name, value) => {
      if (noteMissing(name, value)) return 0;
      const dateMs = parseDate(value);
      if (dateMs !== null && dateMs >= 0 && dateMs <= MAX_DATE_MS) return dateMs;
      return dateMs === null ? refuse('date', value, {}) : refuse('date-range', value, { field: name });
    },
    readInteger: (name, value, min) => {
      if (noteMissing(name, value)) return 0;
      const number = typeof value === 'string' && INTEGER.test(value) ? Number(value) : value;
      const isInteger = Number.isInteger(number) && Number(number) >= min && Number(number) <= MAX_INTEGER;
      // -0 becomes 0.
      if (isInteger) return Number(number) + 0;
      return refuse('integer', value, { field: name, min, max: MAX_INTEGER });
    },
    readMicroseconds: (name, value) => {
      if (noteMissing(name, value)) return 0;
      const timeMs = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
      if (typeof timeMs === 'number' && timeMs >= 0 && timeMs <= MAX_INTEGER)
        return Math.round(timeMs * 1000);
      return refuse('number', value, { field: name, max: MAX_INTEGER });
    },
    readText: (name, value, limit) => {
      if (typeof value === 'object' && isTooDeep(value)) {
        faults.push(toFault('too-deep', { field: name }));
        return '';
      }
      const text = toText(value);
      if (text.length <= limit) return text.isWellFormed() ? text : text.toWellFormed();
      faults.push(toFault('text-too-long', { field: name, limit }));
      return '';
    },
    takeFaults: () => {
      const taken = faults;
      if (taken.length > 0) faults = [];
      return taken;
    },
  };
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  // Writing it out would exhaust the stack.
  if (isTooDeep(value)) return '…';
  return JSON.stringify(value);
}
