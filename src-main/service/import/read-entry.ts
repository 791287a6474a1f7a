import { hash } from 'node:crypto';
import type { ImportFault } from '../../common/model/connections/connection.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import { describeSample, toSessionId } from '../sample/describe-records.ts';
import {
  type ImportedRecord,
  mayLack,
  type RecordComparer,
  TEXT_FIELDS,
  TEXT_NAMES,
} from '../store/record-store.ts';
import {
  IMPORT_FIELDS,
  type ImportField,
  isMissing,
  type ReadField,
  TEXT_LIMITS,
  type ValueReader,
} from './import-fields.ts';

const MIN_INTEGER = -(2 ** 31);

const NO_TEXTS = Object.fromEntries(TEXT_NAMES.map((name) => [name, ''])) as ImportedRecord['texts'];

/** Returns the record of an entry, or why it is none. */
export function readEntry(
  direction: Direction,
  get: ReadField,
  values: ValueReader,
): ImportedRecord | readonly ImportFault[] {
  const isInbound = direction === 'inbound';
  const toName = (field: ImportField): string => IMPORT_FIELDS[field][0];
  const text = (field: ImportField, limit: number = TEXT_LIMITS.name): string =>
    values.readText(toName(field), get(field), limit);
  const integer = (field: ImportField, min: number = MIN_INTEGER): number =>
    values.readInteger(toName(field), get(field), min);
  const own = (field: (typeof TEXT_FIELDS)[Direction][number]): string | null => {
    const { name, type } = field;
    if (mayLack(field) && get(name) === undefined) return null;
    if (type === 'integer' || type === 'number') {
      if (isMissing(get(name))) return '';
      return String(
        type === 'integer' ? integer(name) : values.readMicroseconds(toName(name), get(name)) / 1000,
      );
    }
    return text(
      name,
      type === 'content' ? TEXT_LIMITS.content : name === 'error' ? TEXT_LIMITS.error : undefined,
    );
  };
  const record = {
    direction,
    dateMs: values.readDate(toName('dateText'), get('dateText')),
    sessionId: text('sessionId'),
    channel: integer('channel'),
    service: integer('service'),
    responseTimeUs: values.readMicroseconds(toName('responseTimeMs'), get('responseTimeMs')),
    responseCode: isMissing(get('responseCode')) ? null : integer('responseCode'),
    origin: text('origin'),
    botLatencyMs: isInbound ? integer('botLatencyMs', 0) : 0,
    texts: {
      ...NO_TEXTS,
      ...Object.fromEntries(TEXT_FIELDS[direction].map((field) => [field.name, own(field)])),
    },
  };
  const faults = values.takeFaults();
  return faults.length === 0 ? { ...record, contentHash: hashContent(record) } : faults;
}

/** True for what is no record. */
export function isFaulty(read: ImportedRecord | readonly ImportFault[]): read is readonly ImportFault[] {
  return Array.isArray(read);
}

/**
 * A text as every format can hold it: CSV can't hold NUL, and may have put an apostrophe in front. Two
 * texts that differ in nothing else can't be distinguished once they went through CSV.
 */
function toComparableText(text: string): string {
  const whole = text.startsWith("'") ? text.slice(1) : text;
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole;
}

/** The `contentHash` of a record, the same whatever format it came in. Stores keep it, so it never changes. */
function hashContent(record: Omit<ImportedRecord, 'contentHash'>): number {
  const { sessionId, origin } = record;
  const { client, error, actionId } = record.texts;
  const content = JSON.stringify([
    record.dateMs,
    record.channel,
    record.service,
    record.responseTimeUs,
    record.responseCode,
    record.direction === 'inbound' ? record.botLatencyMs : null,
    ...[sessionId, client ?? '', error ?? '', origin, actionId ?? ''].map(toComparableText),
  ]);
  return hash('sha256', content, 'buffer').readUIntBE(0, 6);
}

/**
 * Compares what the service serves of a stored record, which is what an export holds, with every field that
 * a file has. What can't survive the file's format makes no difference. `seed` is that of the sample.
 */
export function createRecordComparer(seed: number, isCsv: boolean): RecordComparer {
  const isSameText = (stored: string, text: string | null): boolean =>
    text === null || stored === text || (isCsv && toComparableText(stored) === toComparableText(text));
  return (stored, imported) => {
    const isSameNumbers =
      stored.dateMs === imported.dateMs &&
      stored.responseTimeUs === imported.responseTimeUs &&
      stored.responseCode === imported.responseCode &&
      stored.channel === imported.channel &&
      stored.service === imported.service &&
      stored.botLatencyMs === imported.botLatencyMs;
    if (!isSameNumbers) return false;
    const own = stored.texts ?? describeSample(seed, imported.direction, stored);
    return (
      isSameText(stored.texts?.sessionId ?? toSessionId(seed, stored.session), imported.sessionId) &&
      TEXT_FIELDS[imported.direction].every(({ name }) => isSameText(own[name], imported.texts[name])) &&
      isSameText(stored.origin, imported.origin)
    );
  };
}
