import { hash } from 'node:crypto';
import type { ImportFault } from '../../common/model/connections/connection.ts';
import type { Direction, DetailKind } from '../../common/reporting/reports.ts';
import { splitLines } from '../../node/json-splitter.ts';
import { describeSample, toSessionId } from '../sample/describe-records.ts';
import type { RecordComparer, ImportedRecord } from '../store/record-store.ts';
import {
  createObjectReader,
  type FileEntry,
  IMPORT_FIELDS,
  type ImportField,
  isMissing,
  MAX_ENTRY_BYTES,
  type ReadField,
  TEXT_LIMITS,
  TOO_LONG,
  type ValueReader,
} from './import-fields.ts';

const MIN_INTEGER = -(2 ** 31);

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
  const content = (field: 'payload' | 'response'): string | null =>
    get(field) === undefined ? null : text(field, TEXT_LIMITS.content);
  const integer = (field: ImportField, min: number = MIN_INTEGER): number =>
    values.readInteger(toName(field), get(field), min);
  const record = {
    direction,
    dateMs: values.readDate(toName('dateText'), get('dateText')),
    sessionId: text('sessionId'),
    channel: integer('channel'),
    service: integer('service'),
    client: text('client'),
    responseTimeUs: values.readMicroseconds(toName('responseTimeMs'), get('responseTimeMs')),
    responseCode: isMissing(get('responseCode')) ? null : integer('responseCode'),
    error: text('error', TEXT_LIMITS.error),
    origin: text('origin'),
    payload: content('payload'),
    botLatencyMs: isInbound ? integer('botLatencyMs', 0) : 0,
    actionId: isInbound ? '' : text('actionId'),
    response: isInbound ? null : content('response'),
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
  const { sessionId, client, error, origin, actionId } = record;
  const content = JSON.stringify([
    record.dateMs,
    record.channel,
    record.service,
    record.responseTimeUs,
    record.responseCode,
    record.direction === 'inbound' ? record.botLatencyMs : null,
    ...[sessionId, client, error, origin, actionId].map(toComparableText),
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
      isSameText(own.client, imported.client) &&
      isSameText(own.error, imported.error) &&
      isSameText(own.actionId, imported.actionId) &&
      isSameText(own.payload, imported.payload) &&
      isSameText(own.response, imported.response) &&
      isSameText(stored.origin, imported.origin)
    );
  };
}

const BLANK = /^[\s\ufeff]*$/;

/** Records written as one JSON object a line. Empty lines are none, but count as lines. */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  const readObject = createObjectReader(stated);
  let line = 0;
  for await (const bytes of splitLines(chunks, MAX_ENTRY_BYTES)) {
    line += 1;
    if (bytes === null) yield { line, fault: TOO_LONG };
    else if (bytes.length > 64 || !BLANK.test(bytes.toString())) {
      yield readObject(line, line === 1 ? skipMark(bytes) : bytes);
    }
  }
}

function skipMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? bytes.subarray(3) : bytes;
}
