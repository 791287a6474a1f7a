import type { Direction } from '../../common/reporting/reports.ts';
import { IMPORT_FIELDS, type ImportField, type ReadField } from './import-fields.ts';
import type { ImportedRecord } from './imported-record.ts';
import { TEXT_LIMITS, type ValueReader } from './value-reader.ts';

const MOST_BELOW_ZERO = -(2 ** 31);

/** The record of an entry, or why it is none. */
export function readEntry(
  line: number,
  direction: Direction,
  get: ReadField,
  values: ValueReader,
): ImportedRecord | string {
  const text = (field: ImportField, limit: number = TEXT_LIMITS.name): string =>
    values.readText(IMPORT_FIELDS[field][0], get(field), limit);
  const content = (field: 'payload' | 'response'): string | null =>
    get(field) === undefined ? null : text(field, TEXT_LIMITS.content);
  const whole = (field: ImportField, least: number): number =>
    values.readWhole(IMPORT_FIELDS[field][0], get(field), least);
  const common = {
    line,
    dateMs: values.readDate('Date', get('dateText')),
    sessionId: text('sessionId'),
    channel: whole('channel', MOST_BELOW_ZERO),
    service: whole('service', MOST_BELOW_ZERO),
    client: text('client'),
    responseTimeUs: values.readMicroseconds('ReponseTime', get('responseTimeMs')),
    responseCode: whole('responseCode', MOST_BELOW_ZERO),
    error: text('error', TEXT_LIMITS.error),
    origin: text('origin'),
    payload: content('payload'),
  };
  const record: ImportedRecord =
    direction === 'inbound'
      ? { ...common, direction, botLatencyMs: whole('botLatencyMs', 0) }
      : { ...common, direction, actionId: text('actionId'), response: content('response') };
  const faults = values.takeFaults();
  return faults.length === 0 ? record : faults.join(' ');
}
