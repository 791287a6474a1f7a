import { mayLoseDigits, parseExactly, restoreNumberWords } from '../../json.ts';
import type { OtherFields } from '../../model/cache/snapshot.ts';
import {
  resolveFields,
  ENVELOPE_FIELDS,
  FIELD_NAMES,
  SUMMARY_FIELD_NAMES,
  type FieldNames,
} from '../field-names.ts';
import { isDetailKind, type ReportKind } from '../reports.ts';
import {
  isJsonObject,
  decodeUtf8,
  isTooDeep,
  parseBody,
  withNumberWords,
  type JsonObject,
  type ParseJson,
} from './read-json.ts';
import { readInteger, readNumber } from './read-record.ts';

export interface FoundRecords {
  readonly entries: readonly unknown[];
  /** Name of the array as the service gives it; empty where the body itself is the array. */
  readonly name: string;
  /** Name at the top level: of the array, or of the object that holds it. */
  readonly place: string;
  /** The array came as a JSON string. */
  readonly isText: boolean;
  /** The object that holds the array, where it lies one level down. */
  readonly holder: JsonObject | null;
}

interface Candidate extends FoundRecords {
  readonly score: number;
}

/** Arrays of these names tell of faults; they are never records, even where nothing else is there. */
const FAULT_LIKE = /error|fault|warning|problem|violation|validation|issue|exception/i;
const USUAL_NAMES = /^(documents?|data|records?|results?|items?|list|rows?|values?|entries|value)$/i;

/**
 * Finds the records of an answer (decision 1): the array of objects at the top level or one level down,
 * also as a JSON string. Of several the one whose objects have most of the report's fields. Null when
 * there is none.
 */
export function findRecords(
  body: JsonObject,
  names: FieldNames<string>,
  envelopeKeys: ReadonlySet<string>,
  parse: ParseJson,
): FoundRecords | null {
  const toCandidate = (value: unknown, found: Omit<FoundRecords, 'entries'>): Candidate[] => {
    if (!Array.isArray(value)) return [];
    const score = scoreEntries(value, names) + (USUAL_NAMES.test(found.name) ? 0.5 : 0);
    return value.length === 0 || score > 0 ? [{ ...found, entries: value, score }] : [];
  };
  const candidates: Candidate[] = [];
  for (const [name, given] of Object.entries(body)) {
    if (envelopeKeys.has(name) || FAULT_LIKE.test(name)) continue;
    const isText = typeof given === 'string';
    const value = isText ? tryParse(given, parse) : given;
    candidates.push(...toCandidate(value, { place: name, name, holder: null, isText }));
    if (!isJsonObject(value)) continue;
    for (const [innerName, inner] of Object.entries(value)) {
      if (FAULT_LIKE.test(innerName)) continue;
      const innerIsText = typeof inner === 'string' && !/^(lastDocument)$/i.test(innerName);
      const innerValue = innerIsText ? tryParse(inner, parse) : inner;
      const found = { place: name, name: innerName, holder: value, isText: isText || innerIsText };
      candidates.push(...toCandidate(innerValue, found));
    }
  }
  return candidates.reduce<Candidate | null>(
    (best, candidate) => (best === null || candidate.score > best.score ? candidate : best),
    null,
  );
}

/** How many of the report's fields the first object of the array has. */
function scoreEntries(entries: readonly unknown[], names: FieldNames<string>): number {
  const first = entries.find(isJsonObject);
  if (first === undefined) return 0;
  return Object.values(resolveFields(Object.keys(first), names).keyOf).filter((key) => key !== undefined)
    .length;
}

function tryParse(text: string, parse: ParseJson): unknown {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return parse(text);
  } catch {
    return null;
  }
}

type EnvelopeField = keyof typeof ENVELOPE_FIELDS;
type Add = (name: string, value: unknown) => void;

/** A list of warnings may be as long as its page. */
const MAX_CHARACTERS = 20_000;

/**
 * Returns what a page says beside its records that is no field of the envelope, or could not be read, by the names on
 * the way to it. Throws AppError as `readPage` does for a body that is not JSON.
 */
export function readEnvelopeRest(bytes: Uint8Array, report: ReportKind): OtherFields {
  const text = decodeUtf8(bytes);
  const parse = withNumberWords(mayLoseDigits(text) ? parseExactly : parseBody);
  const fields: Record<string, string> = {};
  let characters = 0;
  let leftOut = 0;
  const add: Add = (name, value) => {
    const json = isTooDeep(value) ? null : restoreNumberWords(JSON.stringify(value));
    characters += name.length + (json?.length ?? 0);
    if (json === null || characters > MAX_CHARACTERS || Object.hasOwn(fields, name)) leftOut += 1;
    // Also a name such as `__proto__`.
    else Object.defineProperty(fields, name, { value: json, enumerable: true });
  };
  const body = unwrap(parse(text), parse);
  if (isJsonObject(body)) addRest(body, report, parse, add);
  return { fields, leftOut };
}

function unwrap(value: unknown, parse: ParseJson): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? unwrap(parse(value), parse) : value;
}

function addRest(body: JsonObject, report: ReportKind, parse: ParseJson, add: Add): void {
  const names = isDetailKind(report) ? FIELD_NAMES[report] : SUMMARY_FIELD_NAMES;
  const { unknownKeys } = resolveFields<EnvelopeField>(Object.keys(body), ENVELOPE_FIELDS);
  const known = new Set(Object.keys(body).filter((key) => !unknownKeys.includes(key)));
  const found = findRecords(body, names, known, parse);
  addUnread(body, '', add);
  for (const key of unknownKeys) {
    const value = body[key];
    if (key === found?.place) addHolder(found, add);
    else if (isJsonObject(value) && isPartOfEnvelope(value)) addOwn(value, `${key}.`, null, add);
    else add(key, value);
  }
}

/** What stands beside the records where they lie one level down. */
function addHolder({ holder, place, name }: FoundRecords, add: Add): void {
  if (holder !== null) addOwn(holder, `${place}.`, name, add);
}

function addOwn(part: JsonObject, path: string, records: string | null, add: Add): void {
  addUnread(part, path, add);
  for (const key of resolveFields(Object.keys(part), ENVELOPE_FIELDS).unknownKeys) {
    if (key !== records) add(path + key, part[key]);
  }
}

/** An object beside the records may hold the cursor or the total. */
function isPartOfEnvelope(part: JsonObject): boolean {
  return resolveFields(Object.keys(part), ENVELOPE_FIELDS).foundCount > 0;
}

/** Fields of the envelope whose values say nothing to the reader. */
function addUnread(part: JsonObject, path: string, add: Add): void {
  const { keyOf } = resolveFields<EnvelopeField>(Object.keys(part), ENVELOPE_FIELDS);
  const notes = { bits: 0, isLossy: false };
  const isRead: Partial<Record<EnvelopeField, (value: unknown) => boolean>> = {
    isValid: (value) => /^(true|false|0|1)$/i.test(String(value).trim()),
    totalDocument: (value) => (readInteger(value, notes) ?? -1) >= 0,
    executionTime: (value) => readNumber(value, notes) !== null,
    // Not used: decision 21.
    pageCount: () => false,
  };
  for (const [field, understands] of Object.entries(isRead)) {
    const key = keyOf[field as EnvelopeField];
    const value = key === undefined ? null : (part[key] ?? '');
    if (key !== undefined && value !== '' && !understands(value)) add(path + key, value);
  }
}
