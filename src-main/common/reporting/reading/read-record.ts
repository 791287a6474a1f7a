import { isLossy, toRawDigits } from '../../json.ts';
import type { RecordDetail } from '../../model/records/record.ts';
import { CONTENT_NAMES, FIELD_NAMES, NARROW_NAMES, resolveFields } from '../field-names.ts';
import { type DetailKind, type FieldName, listFields, SUMMARY_KINDS } from '../reports.ts';
import { createDateReader, isEmptyDate } from './read-date.ts';
import { isTooDeep, type JsonObject } from './read-json.ts';

/** One detail record of a page. Times in milliseconds; what its report does not have is null. */
export type DetailRecord = Readonly<
  Omit<RecordDetail, 'snapshotId' | 'seq' | 'payloadPreview' | 'payloadLength' | 'extra'>
> & {
  /** Fields that the specification does not know, and numbers that could not be read, by the service's names. */
  readonly extra: JsonObject;
};

/** Why an entry of a page is no record. */
export type SetAsideReason =
  | 'not-an-object'
  | 'no-known-field'
  | 'nested-too-deep'
  /** It holds NaN or Infinity. */
  | 'not-a-number'
  | 'count-not-understood'
  /** Readable, but left out where pages are stored. */
  | 'seen-at-cut'
  | 'before-period'
  | 'after-period';

type DetailField = FieldName<DetailKind>;

/** How objects with the same keys are read. */
interface RecordShape {
  readonly isRecord: boolean;
  /** Undefined for a field that is missing, null for one that the report does not have. */
  readonly keyOf: Readonly<Record<DetailField, string | undefined | null>>;
  readonly unknownKeys: readonly string[];
  /** What is noted of every record of this shape. */
  readonly bits: number;
}

const NOTHING_EXTRA: Readonly<Record<string, unknown>> = Object.freeze({});
const summaryNames = new Set<string>(SUMMARY_KINDS.flatMap((kind) => listFields(kind).map(([name]) => name)));

/**
 * A reader of one page's detail records; what it had to tolerate goes to `notes`. Dates without a zone
 * are in the given one. A value that can't be read as its field stays in `extra` under the service's name.
 */
export function createRecordReader(
  report: DetailKind,
  zone: string,
  notes: ReadNotes,
): (entry: JsonObject) => DetailRecord | SetAsideReason {
  const readDate = createDateReader(zone);
  const toShape = createShapeCache((keys) => describeShape(report, keys));
  return (entry) => {
    const shape = toShape(entry);
    if (!shape.isRecord) return 'no-known-field';
    const { keyOf } = shape;
    const date = pick(entry, keyOf.dateText);
    const dateMs = readDate(date);
    if (dateMs === null) {
      notes.bits |= NOTE_BITS[isEmptyDate(date) ? 'date-empty' : 'date-not-understood'];
    }
    notes.bits |= shape.bits;
    // Every record passes here, and a loop over the fields is slower; one that is missing does not compile.
    const record = {
      sessionId: readText(pick(entry, keyOf.sessionId), notes),
      dateText: readText(date, notes),
      dateMs,
      channel: readInteger(pick(entry, keyOf.channel), notes),
      service: readInteger(pick(entry, keyOf.service), notes),
      client: readText(pick(entry, keyOf.client), notes),
      responseTimeMs: readNumber(pick(entry, keyOf.responseTimeMs), notes),
      responseCode: readInteger(pick(entry, keyOf.responseCode), notes),
      error: readText(pick(entry, keyOf.error), notes),
      botLatencyMs: readNumber(pick(entry, keyOf.botLatencyMs), notes),
      payload: readText(pick(entry, keyOf.payload), notes),
      origin: readText(pick(entry, keyOf.origin), notes),
      actionId: keyOf.actionId === null ? null : readText(pick(entry, keyOf.actionId), notes),
      response: keyOf.response === null ? null : readText(pick(entry, keyOf.response), notes),
      extra: NOTHING_EXTRA,
    } satisfies DetailRecord;
    return notes.bits === 0 ? record : addExtra(record, entry, shape, notes);
  };
}

function pick(entry: JsonObject, key: string | undefined | null): unknown {
  return key === undefined || key === null ? undefined : entry[key];
}

function describeShape(report: DetailKind, keys: readonly string[]): RecordShape {
  const { keyOf, unknownKeys, isCorrected, foundCount } = resolveFields<string>(keys, FIELD_NAMES[report]);
  const own = new Map<string, string | undefined>(Object.entries(keyOf));
  const names = [...NARROW_NAMES, ...CONTENT_NAMES].map((name) => [
    name,
    own.has(name) ? own.get(name) : null,
  ]);
  let bits = 0;
  if (isCorrected) bits |= NOTE_BITS['corrected-spelling'];
  if (unknownKeys.length > 0) bits |= NOTE_BITS['unknown-fields'];
  if (foundCount < own.size) bits |= NOTE_BITS['missing-fields'];
  return {
    // An object with none but fields of a summary may be a group of one.
    isRecord: [...own].some(([name, key]) => key !== undefined && !summaryNames.has(name)),
    keyOf: Object.fromEntries(names) as RecordShape['keyOf'],
    unknownKeys,
    bits,
  };
}

function addExtra(
  record: DetailRecord,
  entry: JsonObject,
  { keyOf, unknownKeys }: RecordShape,
  notes: ReadNotes,
): DetailRecord | SetAsideReason {
  const keys = [...unknownKeys];
  if ((notes.bits & NOTE_BITS['number-not-understood']) !== 0) {
    keys.push(...findUnreadNumbers(record, entry, keyOf));
  }
  if ((notes.bits & NOTE_BITS['structures-as-text']) !== 0 && isTooDeep(entry)) return 'nested-too-deep';
  if (keys.length === 0) return record;
  const extra = Object.fromEntries(keys.map((key) => [key, entry[key]]));
  if (isTooDeep(extra)) return 'nested-too-deep';
  noteLoss(extra, notes);
  return { ...record, extra };
}

function findUnreadNumbers(record: DetailRecord, entry: JsonObject, keyOf: RecordShape['keyOf']): string[] {
  return NARROW_NAMES.flatMap((name) => {
    const key = keyOf[name] ?? undefined;
    const isUnread = key !== undefined && record[name] === null && entry[key] !== null && entry[key] !== '';
    return isUnread ? [key] : [];
  });
}

interface Shape<Description> {
  readonly keys: readonly string[];
  readonly description: Description;
}

const MAX_SHAPES = 256;

/**
 * Describes objects by their keys. Records of a page mostly share one shape, so each shape is described
 * once and after that only recognised.
 */
export function createShapeCache<Description>(
  describe: (keys: readonly string[]) => Description,
): (entry: JsonObject) => Description {
  const shapes = new Map<string, Shape<Description>>();
  let last: Shape<Description> | null = null;
  return (entry) => {
    if (last !== null && hasKeys(entry, last.keys)) return last.description;
    const keys = Object.keys(entry);
    const signature = JSON.stringify(keys);
    last = shapes.get(signature) ?? { keys, description: describe(keys) };
    // A service that names fields after its data must not fill the memory.
    if (shapes.size < MAX_SHAPES) shapes.set(signature, last);
    return last.description;
  };
}

function hasKeys(entry: JsonObject, keys: readonly string[]): boolean {
  let at = 0;
  for (const key in entry) {
    if (key !== keys[at]) return false;
    at += 1;
  }
  return at === keys.length;
}

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
