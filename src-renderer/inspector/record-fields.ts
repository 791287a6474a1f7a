import { toPlainText } from '../../src-main/common/json/exact-json.ts';
import type { RecordDetail } from '../../src-main/common/model/records/record.ts';
import type { NamedField } from '../../src-main/common/model/records/value-name.ts';
import { formatCount } from '../format/numbers.ts';
import { SLOW_RESPONSE_MS } from '../charts/log-scale.ts';
import { formatRecordMoment } from '../../src-main/common/time/format-moment.ts';
import { toOffsetLabel } from '../../src-main/common/time/time-zones.ts';
import { listFields, REPORTS, type Direction } from '../../src-main/common/reporting/reports.ts';
import { toVisible } from '../../src-main/common/words/visible-text.ts';

/** A field as the service names it. */
interface RecordField {
  /** Its name in the application; undefined for a field that the specification does not know. */
  readonly id: string | undefined;
  readonly name: string;
  readonly value: string;
  /** The text that the value was read from. */
  readonly received?: string | undefined;
  readonly wide: boolean;
  readonly tone: 'plain' | 'mono' | 'alert';
  /** It may tell who a person is. */
  readonly isPersonal?: boolean;
  /** The field inside the application, where its numbers can have names. */
  readonly named?: NamedField;
}

function toMs(value: number | null): string {
  if (value === null) return '–';
  return `${formatCount(value, Number.isInteger(value) ? 0 : 1)} ms`;
}

function toText(value: number | string | null): string {
  return value === null || value === '' ? '–' : toVisible(String(value));
}

/** The reading of a date, which tells its offset, and the text that was read. */
function toDate({ dateMs, dateText }: RecordDetail, zone: string): Pick<RecordField, 'value' | 'received'> {
  if (dateMs === null) return { value: toText(dateText) };
  // Where this clock shows a time twice, the moment ends with an offset of its own.
  const moment = formatRecordMoment(dateMs, zone).slice(0, 23);
  return { value: `${moment} ${toOffsetLabel(dateMs, zone)}`, received: toVisible(dateText) };
}

/** The short fields of a record, in the order and spelling of the service; its date as the clock in the zone shows it. */
export function toRecordFields(
  record: RecordDetail,
  direction: Direction,
  zone: string,
): readonly RecordField[] {
  const isSlow = (record.responseTimeMs ?? 0) > SLOW_RESPONSE_MS;
  const { fields } = REPORTS[`${direction}-detail`];
  const ids = new Map<string, string>(
    listFields(`${direction}-detail`).map(([id, { wireName }]) => [wireName, id]),
  );
  const field = (
    { wireName }: { readonly wireName: string },
    value: string,
    wide = false,
    tone: RecordField['tone'] = 'plain',
  ): RecordField => ({ id: ids.get(wireName), name: wireName, value, wide, tone });
  return [
    field(fields.sessionId, toText(record.sessionId), true, 'mono'),
    { ...field(fields.dateText, '', true), ...toDate(record, zone) },
    { ...field(fields.channel, toText(record.channel)), named: 'channel' },
    { ...field(fields.service, toText(record.service)), named: 'service' },
    { ...field(fields.client, toText(record.client)), isPersonal: true },
    field(fields.origin, toText(record.origin)),
    field(fields.responseTimeMs, toMs(record.responseTimeMs), false, isSlow ? 'alert' : 'plain'),
    'botLatencyMs' in fields
      ? field(fields.botLatencyMs, toMs(record.botLatencyMs))
      : { ...field(fields.actionId, toText(record.actionId)), named: 'actionId' as const },
    ...Object.entries(record.extra).map(([wireName, text]) => ({
      ...field({ wireName }, toVisible(toPlainText(text)), true),
      isPersonal: true,
    })),
  ];
}
