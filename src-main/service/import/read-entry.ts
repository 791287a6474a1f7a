import type { ImportFault } from '../../common/model/connections/import-fault.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import type { ImportedRecord } from '../store/records.ts';
import { IMPORT_FIELDS, type ImportField, type ReadField } from './import-fields.ts';
import { hashContent } from './imported-record.ts';
import { isMissing, TEXT_LIMITS, type ValueReader } from './value-reader.ts';

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
