import { AppError } from '../../contract/errors.ts';
import type { Remark } from '../../model/cache/snapshot.ts';
import { ENVELOPE_FIELDS, resolveFields } from '../field-names.ts';
import { isJsonObject, toFirstLine } from './read-json.ts';
import { NOTE_BITS, readInteger, type ReadNotes, readNumber, readText } from './read-record.ts';

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

/** What a service says about a request that it refuses (decision 6); both may be empty. */
interface Refusal {
  readonly words: string;
  /** The first field that it names. */
  readonly field: string;
}

/** What was collected so far. */
interface Said {
  readonly lines: string[];
  readonly fields: string[];
}

const WORDS_CHARACTERS = 2000;
const FIELD_NAMES = /^(field|property|propertyName|member|name|key)$/i;
const WORD_NAMES =
  /^(message|errorMessage|detail|details|description|reason|text|title|error|error_description)$/i;
const FAULT_NAMES = /error|fault|problem|violation|validation|issue|exception|message|detail|title|reason/i;
const DEPTH_LIMIT = 4;

/**
 * Collects the words of a refusal from any usual shape: `errors` as `{field, message}`, texts, or lists by
 * field; `message`, `title`, `detail`. At most 2,000 characters.
 */
export function readRefusal(body: unknown): Refusal {
  if (typeof body === 'string') return { words: toFirstLine(body), field: '' };
  if (!isJsonObject(body)) return { words: '', field: '' };
  const said: Said = { lines: [], fields: [] };
  for (const [name, value] of Object.entries(body)) {
    if (FAULT_NAMES.test(name)) collect(value, '', said, 0);
  }
  const words = [...new Set(said.lines)].join('\n').slice(0, WORDS_CHARACTERS);
  return { words, field: said.fields[0] ?? '' };
}

function collect(value: unknown, field: string, said: Said, depth: number): void {
  if (depth > DEPTH_LIMIT || value === null) return;
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value).trim();
    if (text === '') return;
    said.lines.push(field === '' ? text : `${field}: ${text}`);
    if (field !== '') said.fields.push(field);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collect(item, field, said, depth + 1);
    return;
  }
  if (!isJsonObject(value)) return;
  const entries = Object.entries(value);
  const named = entries.find(([name, text]) => FIELD_NAMES.test(name) && typeof text === 'string');
  const worded = entries.filter(([name]) => WORD_NAMES.test(name));
  if (worded.length === 0) {
    // Lists by field, as ASP.NET writes them: {"startDate": ["is required"]}.
    for (const [name, text] of entries) collect(text, name, said, depth + 1);
    return;
  }
  for (const [, text] of worded) {
    collect(text, named === undefined ? field : String(named[1]), said, depth + 1);
  }
}

/** What the pages of one walk announced as `totalDocument`; null where none did. A zero counts only beside no other. */
export interface Announced {
  readonly last: number | null;
  readonly largest: number | null;
}

interface TotalsVerdict {
  /** Fewer came than the service has: the walk is incomplete. */
  readonly isShort: boolean;
  /** What has to be said about the totals; empty where as many came as were announced. */
  readonly remarks: readonly Remark[];
}

/** Sums up the totals of a walk's pages, in the order of the pages. */
export function sumUpAnnounced(totals: Iterable<number | null>): Announced {
  let last: number | null = null;
  let largest: number | null = null;
  for (const total of totals) {
    // Services that count what remains end with zero.
    if (total === null || (total === 0 && last !== null)) continue;
    last = total;
    largest = Math.max(largest ?? 0, total);
  }
  return { last, largest };
}

/** True when exactly the announced number of entries came; more prove that the announcement means something else. */
export function hasAllAnnounced(received: number, { last, largest }: Announced): boolean {
  return (received === last || received === largest) && !judgeTotals(received, { last, largest }).isShort;
}

/**
 * Compares what a walk received with what it was announced (decision 8). A total that shrank is believed only where
 * exactly as many came: 200 of 250 are incomplete, even if the last page said 50.
 */
export function judgeTotals(received: number, { last, largest }: Announced): TotalsVerdict {
  if (last === null || largest === null) {
    return { isShort: false, remarks: [{ code: 'total-missing', count: 1 }] };
  }
  if (received < last || (received < largest && received !== last)) {
    const detail = `${received} / ${received < last ? last : largest}`;
    return { isShort: true, remarks: [{ code: 'fewer-than-total', count: 1, detail }] };
  }
  if (received <= largest) return { isShort: false, remarks: [] };
  return {
    isShort: false,
    remarks: [{ code: 'more-than-total', count: 1, detail: `${received} / ${largest}` }],
  };
}

export interface ReceivedPage {
  /** Entries in the answer, readable or not. */
  readonly recordCount: number;
  readonly lastDocument: string | null;
  /** Empty for the first page. */
  readonly cursorSent: string;
  /** The page before this one held nothing. */
  readonly isAfterEmpty: boolean;
  /** True for a cursor that an earlier page of this walk was asked with or answered. */
  readonly seenCursors: (cursor: string) => boolean;
  /** True when as many entries as announced have come, this page's included; asked only where it matters. */
  readonly hasAll: () => boolean;
}

interface PageVerdict {
  /** The cursor of the next page; null at the end of the walk. */
  readonly nextCursor: string | null;
  /** Why the walk ends; `cursor-repeated` means that it is incomplete. Null while it goes on. */
  readonly end: 'empty-page' | 'no-cursor' | 'total-reached' | 'cursor-repeated' | null;
}

/**
 * Judges whether a walk over pages goes on (decision 8). Neither a short page nor a total ends it while there is a
 * new cursor. An empty page does, except that one more is asked for where it has a new cursor and records are
 * missing. An empty cursor is never sent back since it would begin again, and one that was seen before would turn
 * in circles.
 */
export function judgeEnd(page: ReceivedPage): PageVerdict {
  const { lastDocument: cursor, cursorSent, recordCount } = page;
  const isRepeated = cursor === cursorSent || (cursor !== null && page.seenCursors(cursor));
  if (recordCount === 0) {
    const goesOn = cursor !== null && cursor !== '' && !isRepeated && !page.isAfterEmpty && !page.hasAll();
    return goesOn ? { nextCursor: cursor, end: null } : { nextCursor: null, end: 'empty-page' };
  }
  if (cursor === null || cursor === '') return { nextCursor: null, end: 'no-cursor' };
  if (!isRepeated) return { nextCursor: cursor, end: null };
  return { nextCursor: null, end: page.hasAll() ? 'total-reached' : 'cursor-repeated' };
}
