import { AppError } from '../../contract/errors.ts';
import {
  countKeys,
  type DoubledKeys,
  findDoubledKeys,
  isNumberWord,
  mayLoseDigits,
  measureJson,
  parseExactly,
  parseWithoutLoss,
  restoreNumberWords,
  toJsonTexts,
} from '../../json.ts';
import type { Remark } from '../../model/cache/snapshot.ts';
import type { SummaryGroup } from '../../model/records/histogram.ts';
import { FIELD_NAMES, SUMMARY_FIELD_NAMES, resolveFields } from '../field-names.ts';
import { isDetailKind, REPORTS, type ReportKind, type Direction } from '../reports.ts';
import { findRecords, type FoundRecords } from './find-records.ts';
import {
  createRemarks,
  fillEnvelope,
  type PageEnvelope,
  readEnvelope,
  readRefusal,
  type RemarkTally,
} from './read-envelope.ts';
import {
  decodeUtf8,
  isJsonObject,
  parseBody,
  withNumberWords,
  isTooDeep,
  type ParseJson,
  type JsonObject,
} from './read-json.ts';
import {
  createRecordReader,
  createShapeCache,
  type DetailRecord,
  NOTE_BITS,
  noteLoss,
  readInteger,
  type ReadNotes,
  readNumber,
  readText,
  type SetAsideReason,
} from './read-record.ts';

/** An entry of the answer that could not be read. */
export interface SetAside {
  /** Place in the answer, from 0. */
  readonly index: number;
  readonly reason: SetAsideReason;
  /** Its JSON, at most 2,000 characters. */
  readonly text: string;
}

/** One page of a report as read from anybody's service. Times in milliseconds. */
export interface ReadPage {
  /** Detail records in the order received; empty for a summary. */
  readonly records: readonly DetailRecord[];
  /** Groups of the direction that was asked for; empty for a detail report. */
  readonly groups: readonly SummaryGroup[];
  /** Entries that the answer holds, readable or not, of either direction: what paging counts. */
  readonly recordCount: number;
  readonly totalDocument: number | null;
  /** Cursor of the next page exactly as given; null where there is none. */
  readonly lastDocument: string | null;
  /** The service names a cursor, though it may be empty. */
  readonly hasCursorField: boolean;
  readonly idReport: string;
  readonly nameVisualization: string;
  /** The service's own figure: shown, never relied upon. */
  readonly executionTimeMs: number | null;
  readonly remarks: readonly Remark[];
  readonly setAside: readonly SetAside[];
}

interface ReadPageOptions {
  readonly report: ReportKind;
  /** Zone of dates that carry none. */
  readonly zone: string;
  /** Fields that the specification does not know keep every digit of their numbers, also `1.50`; slower. */
  readonly hasExactExtras?: boolean;
  /** Is shown the entries of the answer as they came, before they are read. */
  readonly onEntries?: (entries: readonly unknown[]) => void;
}

/** The most records that one page may hold (decision 7). */
const PAGE_RECORD_LIMIT = 100_000;
const SET_ASIDE_CHARACTERS = 2000;
/** Lists, objects and commas of a page: several times what the most records take, and what a parser has memory for. */
const MAX_PARTS = 8_000_000;
const MAX_DEPTH = 200_000;
/** Deeper values are counted by nobody: they are set aside as they are. */
const MAX_COUNTED_DEPTH = 500;

/**
 * Reads one answer of a report tolerantly (decisions 1, 3, 6 to 8, 11, 21 to 23, 32). Throws AppError:
 * `client.html`, `client.not-json` or `client.truncated` for a body that is not JSON,
 * `client.invalid-request` when `isValid` is false (details `body` and `field` hold the service's words),
 * `client.too-large` over 100,000 records, or 8 million values, `client.unexpected-shape` for anything else.
 */
export function readPage(bytes: Uint8Array, options: ReadPageOptions): ReadPage {
  const text = decodeUtf8(bytes);
  const notes: ReadNotes = { bits: 0, isLossy: false };
  const doubled: DoubledKeys[] = [];
  const quick = readReply(text, createFirstParse(doubled), { ...options, doubled }, notes);
  const readAgain = (parse: ParseJson): ReadPage =>
    readReply(text, withNumberWords(parse), { ...options, doubled, onEntries: noEntries }, notes);
  // Rare: only then is the slower parser worth its time.
  const page = notes.isLossy ? readAgain(parseWithoutLoss) : quick;
  if (options.hasExactExtras !== true || !hasExtras(page) || !mayLoseDigits(text)) return page;
  const { records, groups } = readAgain(parseExactly);
  return {
    ...page,
    records: page.records.map((record, at) => ({ ...record, extra: records[at]?.extra ?? record.extra })),
    groups,
  };
}

/** Parses as a body, and notes the names that come twice, of which a parser keeps one. */
function createFirstParse(doubled: DoubledKeys[]): ParseJson {
  const parse = withNumberWords(parseBody);
  return (text) => {
    const { depth, parts, keys } = measureJson(text);
    if (parts > MAX_PARTS || depth > MAX_DEPTH) {
      const details = { records: parts, limit: MAX_PARTS };
      throw new AppError('client.too-large', 'The page holds too many values.', details);
    }
    const value = parse(text);
    if (depth > MAX_COUNTED_DEPTH || keys === countKeys(value)) return value;
    const found = findDoubledKeys(text);
    if (found !== null) doubled.push(found);
    return value;
  };
}

function noEntries(): void {
  // They were shown by the first reading.
}

function hasExtras({ records, groups }: ReadPage): boolean {
  return [...records, ...groups].some(({ extra }) => extra !== undefined && Object.keys(extra).length > 0);
}

function readReply(
  text: string,
  parse: ParseJson,
  options: ReadPageOptions & { readonly doubled: readonly DoubledKeys[] },
  notes: ReadNotes,
): ReadPage {
  notes.bits = 0;
  notes.isLossy = false;
  const remarks = createRemarks();
  const body = unwrap(parse(text), parse, remarks);
  dropNumberWords(body);
  const names = isDetailKind(options.report) ? FIELD_NAMES[options.report] : SUMMARY_FIELD_NAMES;
  const envelope = readEnvelope(body, notes, remarks);
  if (envelope.isValid === false) throw toRefusedError(body);
  const found = Array.isArray(body)
    ? { entries: body as readonly unknown[], name: '', place: '', isText: false, holder: null }
    : findRecords(body, names, envelope.keys, parse);
  const inner = readEnvelope(found?.holder ?? {}, notes, remarks, envelope);
  const beside = Object.values(body).filter((part) => isJsonObject(part) && part !== found?.holder);
  const whole = Array.isArray(body)
    ? inner
    : beside.reduce<PageEnvelope>(
        (known, part) => fillEnvelope(known, readEnvelope(part, notes, remarks)),
        inner,
      );
  if (whole.isValid === false) throw toRefusedError(found?.holder ?? body);
  const entries = found?.entries ?? toNoEntries(whole);
  if (entries.length > PAGE_RECORD_LIMIT) {
    const details = { records: entries.length, limit: PAGE_RECORD_LIMIT };
    throw new AppError('client.too-large', 'The page holds too many records.', details);
  }
  options.onEntries?.(entries);
  if (found !== null) noteFound(found, whole, remarks);
  const read = readEntries(entries, { ...options, mayHoldWords: /NaN|Infinity/.test(text) }, notes, remarks);
  const loneSurrogates = countLoneSurrogates(text, entries);
  if (loneSurrogates > 0) remarks.add('lone-surrogates', loneSurrogates);
  for (const found of options.doubled) {
    if (found.entries > 0) remarks.add('doubled-keys', found.entries, found.name);
    if (found.beside > 0) remarks.add('doubled-envelope-keys', found.beside, found.name);
  }
  const isOtherwiseShaped = read.setAside.every(({ reason }) => reason !== 'not-a-number');
  if (entries.length > 0 && read.setAside.length === entries.length && isOtherwiseShaped) {
    throw new AppError('client.unexpected-shape', 'No entry of the answer is a record of this report.', {
      reason: read.setAside[0]?.reason ?? 'no-known-field',
    });
  }
  return {
    ...read,
    recordCount: entries.length,
    totalDocument: whole.totalDocument,
    lastDocument: whole.lastDocument,
    hasCursorField: whole.hasCursorField,
    idReport: whole.idReport,
    nameVisualization: whole.nameVisualization,
    executionTimeMs: whole.executionTimeMs,
    remarks: remarks.list(),
  };
}

function readEntries(
  entries: readonly unknown[],
  options: ReadPageOptions & { readonly mayHoldWords: boolean },
  notes: ReadNotes,
  remarks: RemarkTally,
): Pick<ReadPage, 'records' | 'groups' | 'setAside'> {
  const setAside: SetAside[] = [];
  const readEntry = <Read>(
    entry: unknown,
    read: (entry: Readonly<Record<string, unknown>>) => Read | SetAsideReason,
  ): Read | SetAsideReason => {
    if (!isJsonObject(entry)) return 'not-an-object';
    return options.mayHoldWords && hasNumberWord(entry) ? 'not-a-number' : read(entry);
  };
  const collect = <Read extends object>(
    read: (entry: Readonly<Record<string, unknown>>) => Read | SetAsideReason,
  ): Read[] => {
    const collected: Read[] = [];
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index];
      notes.bits = 0;
      const result = readEntry(entry, read);
      if (typeof result === 'string') setAside.push({ index, reason: result, text: toShortJson(entry) });
      else collected.push(result);
      if (notes.bits !== 0) remarks.addBits(notes.bits);
    }
    if (setAside.length > 0) remarks.add('record-unreadable', setAside.length);
    return collected;
  };
  if (isDetailKind(options.report)) {
    const records = collect(createRecordReader(options.report, options.zone, notes));
    return { records, groups: [], setAside };
  }
  const groups = collect(createGroupReader(notes));
  return { records: [], groups: keepDirection(groups, options.report, remarks), setAside };
}

/** True where NaN or Infinity stands in a value, as deep as values are read. */
function hasNumberWord(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return isNumberWord(value);
  return depth < 64 && Object.values(value).some((part) => hasNumberWord(part, depth + 1));
}

/** What stands for a number beside the records says nothing. */
function dropNumberWords(body: Readonly<Record<string, unknown>> | unknown[]): void {
  for (const part of [body, ...Object.values(body)]) {
    if (!isJsonObject(part)) continue;
    for (const [name, value] of Object.entries(part)) {
      if (isNumberWord(value)) (part as Record<string, unknown>)[name] = null;
    }
  }
}

/** Both summaries may share one identifier: each keeps its own groups (decision 11). */
function keepDirection(
  groups: readonly ReadGroup[],
  report: ReportKind,
  remarks: RemarkTally,
): SummaryGroup[] {
  const { direction } = REPORTS[report];
  const kept = groups.filter((group) => group.direction === direction).map(({ group }) => group);
  if (kept.length === 0 && groups.length > 0) {
    remarks.add(
      direction === 'outbound' ? 'answer-has-inbound-only' : 'answer-has-outbound-only',
      groups.length,
    );
  }
  return kept;
}

function unwrap(
  value: unknown,
  parse: ParseJson,
  remarks: RemarkTally,
): Readonly<Record<string, unknown>> | unknown[] {
  if (Array.isArray(value) || isJsonObject(value))
    return value as Readonly<Record<string, unknown>> | unknown[];
  if (typeof value === 'string' && /^\s*[[{]/.test(value)) {
    remarks.add('body-as-string', 1);
    return unwrap(parse(value), parse, remarks);
  }
  throw new AppError('client.unexpected-shape', 'The answer is neither an object nor an array.', {
    reason: value === null ? 'null' : typeof value,
  });
}

function noteFound(found: FoundRecords, envelope: PageEnvelope, remarks: RemarkTally): void {
  if (found.name !== 'documents' || found.holder !== null) {
    remarks.add('records-under-other-name', found.entries.length, found.name);
  }
  if (found.isText) remarks.add('records-as-string', found.entries.length);
  if (envelope.isValid === null) remarks.add('validity-not-stated', 1);
}

/** An envelope with no array at all is an empty page, unless it claims that records are there. */
function toNoEntries(envelope: PageEnvelope): readonly unknown[] {
  const isPlausible = (envelope.totalDocument ?? 0) === 0 || envelope.lastDocument === null;
  if (envelope.keys.size > 0 && isPlausible) return [];
  throw new AppError('client.unexpected-shape', 'The answer holds no records.', { reason: 'no-records' });
}

function toRefusedError(body: unknown): AppError {
  const { words, field } = readRefusal(body);
  return new AppError('client.invalid-request', 'The service calls the request invalid.', {
    body: words,
    field,
  });
}

function toShortJson(entry: unknown): string {
  try {
    return restoreNumberWords(JSON.stringify(entry)).slice(0, SET_ASIDE_CHARACTERS);
  } catch {
    return '';
  }
}

/** How JSON writes any half of a surrogate pair; UTF-8 itself has none. */
const WRITTEN_HALF = /\\u[dD][89a-fA-F]/;

/**
 * Counts the entries of an answer that hold a half of a surrogate pair without its other half, which no column can
 * store (decision 36). `text` is the whole answer: nearly none has to be looked through.
 */
function countLoneSurrogates(text: string, entries: readonly unknown[]): number {
  return WRITTEN_HALF.test(text) ? entries.filter(hasLoneSurrogate).length : 0;
}

function hasLoneSurrogate(root: unknown): boolean {
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && !value.isWellFormed()) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) waiting.push(key, child);
  }
  return false;
}

/** A group of a summary and the direction that its fields tell (decision 11). */
interface ReadGroup {
  readonly direction: Direction;
  readonly group: SummaryGroup;
}

/** Fields that are null where no number could be read. */
const NUMBERS = [
  'channel',
  'service',
  'responseCode',
  'averageResponseTimeMs',
  'averageBotLatencyMs',
] as const satisfies readonly (keyof SummaryGroup)[];

/**
 * A reader of one page's summary groups; what it had to tolerate goes to `notes`. Only inbound groups
 * have an origin or a latency. A count that is not digits is set aside rather than guessed (decision 32).
 */
function createGroupReader(notes: ReadNotes): (entry: JsonObject) => ReadGroup | SetAsideReason {
  const resolve = createShapeCache((keys) => resolveFields(keys, SUMMARY_FIELD_NAMES));
  return (entry) => {
    const { keyOf, isCorrected, unknownKeys } = resolve(entry);
    const pick = (field: keyof typeof keyOf): unknown => {
      const key = keyOf[field];
      return key === undefined ? undefined : entry[key];
    };
    if (keyOf.count === undefined) return 'no-known-field';
    const count = readCount(pick('count'));
    if (count === null) return 'count-not-understood';
    if (isCorrected) notes.bits |= NOTE_BITS['corrected-spelling'];
    if (unknownKeys.length > 0) notes.bits |= NOTE_BITS['unknown-fields'];
    if (typeof pick('count') === 'number') notes.bits |= NOTE_BITS['strings-as-numbers'];
    const origin = pick('origin') ?? null;
    const latency = pick('averageBotLatencyMs') ?? null;
    const group: SummaryGroup = {
      channel: readInteger(pick('channel'), notes),
      service: readInteger(pick('service'), notes),
      origin: origin === null ? null : readText(origin, notes),
      responseCode: readInteger(pick('responseCode'), notes),
      count,
      averageResponseTimeMs: readNumber(pick('averageResponseTimeMs'), notes),
      averageBotLatencyMs: latency === null ? null : readNumber(latency, notes),
      sessionId: readText(pick('sessionId'), notes),
    };
    const unread = NUMBERS.filter((name) => group[name] === null && (pick(name) ?? '') !== '');
    const names = [...unknownKeys, ...unread.map((name) => keyOf[name] ?? name)];
    const extra = Object.fromEntries(names.map((name) => [name, entry[name]]));
    if (isTooDeep(extra)) return 'nested-too-deep';
    noteLoss(extra, notes);
    return {
      direction: origin === null && latency === null ? 'outbound' : 'inbound',
      group: names.length === 0 ? group : { ...group, extra: toJsonTexts(extra) },
    };
  };
}

function readCount(value: unknown): number | null {
  const isDigits = typeof value === 'string' && /^\s*\d+\s*$/.test(value);
  const count = isDigits ? Number(value) : value;
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : null;
}
