import type { RecordDetail } from '../model/record.ts';
import { FIELD_NAMES, type FieldNames, type ResolvedFields } from './field-names.ts';
import { createDateReader, isEmptyDate } from './read-date.ts';
import { isRounded, isTooDeep, type JsonObject } from './read-json.ts';
import { NOTE_BITS, readInteger, readNumber, readText, type ReadNotes } from './read-value.ts';
import type { DetailKind, FieldName } from './reports.ts';
import { createShapeCache } from './shape-cache.ts';

/** One detail record of a page. Times in milliseconds; what a direction does not have is null. */
export type DetailRecord = Readonly<Omit<RecordDetail, 'seq' | 'payloadPreview' | 'payloadLength'>>;

/** Why an entry of the answer is no record. */
export type SetAsideReason = 'not-an-object' | 'no-known-field' | 'nested-too-deep' | 'count-not-understood';

type Field = FieldName<DetailKind>;
type DetailFields = ResolvedFields<Field>;

const NOTHING_EXTRA: Readonly<Record<string, unknown>> = Object.freeze({});
/** Fields that a summary does not have: an object with none of them is no detail record. */
const TELLING: readonly Field[] = ['dateText', 'client', 'payload', 'responseTimeMs', 'error'];
const NUMBER_FIELDS: readonly Field[] = [
  'channel',
  'service',
  'responseTimeMs',
  'responseCode',
  'botLatencyMs',
];

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
  const names: Readonly<Partial<FieldNames<Field>>> = FIELD_NAMES[report];
  const resolve = createShapeCache(names as FieldNames<Field>);
  const fieldCount = Object.keys(names).length;
  const isInbound = report === 'inbound-detail';
  return (entry) => {
    const fields = resolve(entry);
    const key: Readonly<Partial<Record<Field, string | undefined>>> = fields.keyOf;
    if (!TELLING.some((field) => key[field] !== undefined)) return 'no-known-field';
    const date = pick(entry, key.dateText);
    const dateMs = readDate(date);
    if (dateMs === null) {
      notes.bits |= NOTE_BITS[isEmptyDate(date) ? 'date-empty' : 'date-not-understood'];
    }
    noteShape(fields, fieldCount, notes);
    const record = {
      sessionId: readText(pick(entry, key.sessionId), notes),
      dateText: readText(date, notes),
      dateMs,
      channel: readInteger(pick(entry, key.channel), notes),
      service: readInteger(pick(entry, key.service), notes),
      client: readText(pick(entry, key.client), notes),
      responseTimeMs: readNumber(pick(entry, key.responseTimeMs), notes),
      responseCode: readInteger(pick(entry, key.responseCode), notes),
      error: readText(pick(entry, key.error), notes),
      botLatencyMs: isInbound ? readNumber(pick(entry, key.botLatencyMs), notes) : null,
      payload: readText(pick(entry, key.payload), notes),
      origin: readText(pick(entry, key.origin), notes),
      actionId: isInbound ? null : readText(pick(entry, key.actionId), notes),
      response: isInbound ? null : readText(pick(entry, key.response), notes),
      extra: NOTHING_EXTRA,
    };
    return notes.bits === 0 ? record : addExtra(record, entry, fields, notes);
  };
}

function pick(entry: JsonObject, key: string | undefined): unknown {
  return key === undefined ? undefined : entry[key];
}

function noteShape(fields: DetailFields, fieldCount: number, notes: ReadNotes): void {
  if (fields.isCorrected) notes.bits |= NOTE_BITS['corrected-spelling'];
  if (fields.unknownKeys.length > 0) notes.bits |= NOTE_BITS['unknown-fields'];
  if (fields.foundCount < fieldCount) notes.bits |= NOTE_BITS['missing-fields'];
}

function addExtra(
  record: DetailRecord,
  entry: JsonObject,
  fields: DetailFields,
  notes: ReadNotes,
): DetailRecord | SetAsideReason {
  const keys = [...fields.unknownKeys];
  if ((notes.bits & NOTE_BITS['number-not-understood']) !== 0)
    keys.push(...findUnreadNumbers(record, entry, fields));
  if ((notes.bits & NOTE_BITS['structures-as-text']) !== 0 && isTooDeep(entry)) return 'nested-too-deep';
  if (keys.length === 0) return record;
  const extra = Object.fromEntries(keys.map((key) => [key, entry[key]]));
  if (isTooDeep(extra)) return 'nested-too-deep';
  if (holdsRounded(extra)) notes.isRounded = true;
  return { ...record, extra };
}

function findUnreadNumbers(record: DetailRecord, entry: JsonObject, fields: DetailFields): string[] {
  const values: Readonly<Record<string, unknown>> = record;
  return NUMBER_FIELDS.flatMap((field) => {
    const key = fields.keyOf[field];
    const isUnread = key !== undefined && values[field] === null && entry[key] !== null && entry[key] !== '';
    return isUnread ? [key] : [];
  });
}

function holdsRounded(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(holdsRounded);
  return isRounded(value);
}
