import { isLossy, toRawDigits } from '../../json/exact-json.ts';
import { isTooDeep } from './read-json.ts';

/** What had to be tolerated in one record, as bits: counting stays out of the way of ordinary records. */
export const NOTE_BITS = {
  'numbers-as-strings': 1,
  'strings-as-numbers': 2,
  'null-values': 4,
  'number-not-understood': 8,
  'date-not-understood': 16,
  'date-empty': 32,
  'unknown-fields': 64,
  'corrected-spelling': 128,
  'missing-fields': 256,
  'structures-as-text': 512,
  'number-rounded': 1024,
} as const;

/** Collected while one record is read. */
export interface ReadNotes {
  bits: number;
  /** A number lost digits or its size: the text has to be parsed again. */
  isLossy: boolean;
}

/** A text field: numbers and structures become their text, null becomes empty (decision 22). */
export function readText(value: unknown, notes: ReadNotes): string {
  return typeof value === 'string' ? value : coerceText(value, notes);
}

/** A number field, or null when there is none to read. */
export function readNumber(value: unknown, notes: ReadNotes): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return coerceNumber(value, notes);
  // Whether its digits are those that came, only the text tells.
  if (isLossy(value)) notes.isLossy = true;
  return value;
}

/** An integer field, or null when there is none to read; never rounds. */
export function readInteger(value: unknown, notes: ReadNotes): number | null {
  if (Number.isSafeInteger(value)) return value as number;
  const number = readNumber(value, notes);
  if (number === null || Number.isSafeInteger(number)) return number;
  notes.bits |= NOTE_BITS['number-not-understood'];
  return null;
}

function coerceText(value: unknown, notes: ReadNotes): string {
  if (value === undefined) return '';
  if (value === null) {
    notes.bits |= NOTE_BITS['null-values'];
    return '';
  }
  const digits = toRawDigits(value);
  if (typeof value === 'object' && digits === null) {
    notes.bits |= NOTE_BITS['structures-as-text'];
    if (isTooDeep(value)) return '';
    noteLoss(value, notes);
    return JSON.stringify(value);
  }
  noteLoss(value, notes);
  notes.bits |= NOTE_BITS['strings-as-numbers'];
  if (digits !== null) return digits;
  return typeof value === 'number' ? String(value) : value === true ? 'true' : 'false';
}

function coerceNumber(value: unknown, notes: ReadNotes): number | null {
  if (value === undefined) return null;
  const digits = toRawDigits(value);
  if (digits !== null && Number.isFinite(Number(digits))) return keep(digits, notes);
  const text = typeof value === 'string' ? value.trim() : null;
  if (value === null || text === '') {
    notes.bits |= NOTE_BITS['null-values'];
    return null;
  }
  // Strict on purpose: `1,234` is one number to some and another to others.
  if (text !== null && /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text) && Number.isFinite(Number(text))) {
    notes.bits |= NOTE_BITS['numbers-as-strings'];
    return keep(text, notes);
  }
  notes.bits |= NOTE_BITS['number-not-understood'];
  return null;
}

/** The number that is kept of digits, and a note where it is another one. */
function keep(digits: string, notes: ReadNotes): number {
  const value = Number(digits);
  if (toPlainDigits(digits) !== toPlainDigits(String(value))) notes.bits |= NOTE_BITS['number-rounded'];
  return value;
}

/** One spelling for each number: its digits without zeros at either end, and the place of the point. */
function toPlainDigits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([-+]?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const all = whole + fraction;
  const leading = all.search(/[1-9]/);
  if (leading === -1) return '0';
  let end = all.length;
  while (all[end - 1] === '0') end -= 1;
  return `${sign === '-' ? '-' : ''}${all.slice(leading, end)}e${whole.length - leading + Number(exponent)}`;
}

/** Notes numbers that lost digits or their size, in structures of up to the depth that is read as well. */
export function noteLoss(value: unknown, notes: ReadNotes): void {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) noteLoss(part, notes);
  } else if (isLossy(value)) notes.isLossy = true;
}
