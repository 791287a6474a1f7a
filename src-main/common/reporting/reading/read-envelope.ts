import { AppError } from '../../contract/errors.ts';
import type { Remark } from '../../model/cache/snapshot.ts';
import { ENVELOPE_FIELDS, resolveFields } from '../field-names.ts';
import { isJsonObject } from './read-json.ts';
import { readInteger, readNumber, readText, NOTE_BITS, type ReadNotes } from './read-value.ts';

/** The fields around the records (specification, section "Report response envelope"). */
export interface PageEnvelope {
  /** Null where the service does not say. */
  readonly isValid: boolean | null;
  readonly totalDocument: number | null;
  readonly lastDocument: string | null;
  /** The service names a cursor, though it may be empty. */
  readonly hasCursorField: boolean;
  readonly idReport: string;
  readonly nameVisualization: string;
  readonly executionTimeMs: number | null;
  /** Keys that hold these fields. */
  readonly keys: ReadonlySet<string>;
}

const CURSOR_CHARACTERS = 8192;
/** What services write where there is no next page; sent as a cursor, it would begin again (decision 8). */
const NO_CURSOR = /^(0|false|null|undefined|none|nil)?$/i;
const NOTHING: PageEnvelope = {
  isValid: null,
  totalDocument: null,
  lastDocument: null,
  hasCursorField: false,
  idReport: '',
  nameVisualization: '',
  executionTimeMs: null,
  keys: new Set(),
};

/**
 * Reads the envelope's fields; those that are missing are taken from `outer`. The cursor stays exactly as
 * given. Throws AppError `client.unexpected-shape` for a cursor over 8,192 characters.
 */
export function readEnvelope(
  value: unknown,
  notes: ReadNotes,
  remarks: RemarkTally,
  outer: PageEnvelope = NOTHING,
): PageEnvelope {
  if (!isJsonObject(value)) return outer;
  notes.bits = 0;
  const { keyOf, isCorrected } = resolveFields<keyof typeof ENVELOPE_FIELDS>(
    Object.keys(value),
    ENVELOPE_FIELDS,
  );
  const pick = (field: keyof typeof keyOf): unknown => {
    const key = keyOf[field];
    return key === undefined ? undefined : value[key];
  };
  const total = readInteger(pick('totalDocument'), notes);
  const envelope = {
    isValid: readBoolean(pick('isValid')) ?? outer.isValid,
    totalDocument: total !== null && total >= 0 ? total : outer.totalDocument,
    lastDocument: readCursor(pick('lastDocument'), notes) ?? outer.lastDocument,
    hasCursorField: outer.hasCursorField || keyOf.lastDocument !== undefined,
    idReport: readText(pick('idReport'), notes) || outer.idReport,
    nameVisualization: readText(pick('nameVisualization'), notes) || outer.nameVisualization,
    executionTimeMs: readNumber(pick('executionTime'), notes) ?? outer.executionTimeMs,
    keys: new Set([...outer.keys, ...Object.values(keyOf).filter((key) => key !== undefined)]),
  };
  if (isCorrected) remarks.add('corrected-envelope-spelling', 1);
  if (total === null && (pick('totalDocument') ?? null) !== null) remarks.add('total-not-understood', 1);
  return envelope;
}

/** The first envelope with what it lacks taken from the second, such as an object of cursor and total beside the records. */
export function fillEnvelope(envelope: PageEnvelope, more: PageEnvelope): PageEnvelope {
  return {
    isValid: envelope.isValid ?? more.isValid,
    totalDocument: envelope.totalDocument ?? more.totalDocument,
    lastDocument: envelope.lastDocument ?? more.lastDocument,
    hasCursorField: envelope.hasCursorField || more.hasCursorField,
    idReport: envelope.idReport || more.idReport,
    nameVisualization: envelope.nameVisualization || more.nameVisualization,
    executionTimeMs: envelope.executionTimeMs ?? more.executionTimeMs,
    keys: envelope.keys,
  };
}

function readBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const text =
    typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : '';
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : null;
}

function readCursor(value: unknown, notes: ReadNotes): string | null {
  const cursor = readText(value, notes);
  if (cursor.length > CURSOR_CHARACTERS) {
    const details = { reason: 'cursor-too-long', characters: cursor.length };
    throw new AppError('client.unexpected-shape', 'The cursor of the next page is too long.', details);
  }
  return NO_CURSOR.test(cursor) ? null : cursor;
}

/** Counts what had to be tolerated in a page. */
export interface RemarkTally {
  add(code: string, count: number, detail?: string): void;
  /** Adds one record's notes. */
  addBits(bits: number): void;
  list(): Remark[];
}

/** An empty tally; `list` answers in order of first appearance, notes of records last. */
export function createRemarks(): RemarkTally {
  const remarks = new Map<string, { count: number; detail?: string }>();
  const bitCounts = new Map<number, number>();
  return {
    add(code, count, detail) {
      const before = remarks.get(code)?.count ?? 0;
      remarks.set(code, { count: before + count, ...(detail === undefined ? {} : { detail }) });
    },
    addBits(bits) {
      bitCounts.set(bits, (bitCounts.get(bits) ?? 0) + 1);
    },
    list() {
      const noted = Object.entries(NOTE_BITS).flatMap(([code, bit]) => {
        let count = 0;
        for (const [bits, records] of bitCounts) if ((bits & bit) !== 0) count += records;
        return count === 0 ? [] : [{ code, count }];
      });
      return [...[...remarks].map(([code, remark]) => ({ code, ...remark })), ...noted];
    },
  };
}
