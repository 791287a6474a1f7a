import { mayLoseDigits, parseExactly } from '../../json/exact-json.ts';
import { restoreNumberWords } from '../../json/scan-json.ts';
import type { OtherFields } from '../../model/cache/snapshot.ts';
import { ENVELOPE_FIELDS, FIELD_NAMES, resolveFields, SUMMARY_FIELD_NAMES } from '../field-names.ts';
import { isDetailKind, type ReportKind } from '../reports.ts';
import { findRecords, type FoundRecords } from './find-records.ts';
import {
  decodeUtf8,
  isJsonObject,
  isTooDeep,
  parseBody,
  withNumberWords,
  type JsonObject,
  type ParseJson,
} from './read-json.ts';
import { readInteger, readNumber } from './read-value.ts';

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
