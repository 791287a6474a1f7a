import type { RecordDetail } from '../../../../src-main/common/model/record.ts';
import { formatCount } from '../../../format/numbers.ts';
import { SLOW_RESPONSE_MS } from '../../../charts/log-scale.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';

/** A field as the service names it. */
interface RecordField {
  readonly name: string;
  readonly value: string;
  readonly wide: boolean;
  readonly tone: 'plain' | 'mono' | 'alert';
}

function toMs(value: number | null): string {
  if (value === null) return '–';
  return `${formatCount(value, Number.isInteger(value) ? 0 : 1)} ms`;
}

function toText(value: number | string | null): string {
  return value === null || value === '' ? '–' : String(value);
}

/** The short fields of a record, in the order and spelling of the service. */
export function toRecordFields(record: RecordDetail, direction: Direction): readonly RecordField[] {
  const isSlow = (record.responseTimeMs ?? 0) > SLOW_RESPONSE_MS;
  const field = (
    name: string,
    value: string,
    wide = false,
    tone: RecordField['tone'] = 'plain',
  ): RecordField => ({ name, value, wide, tone });
  return [
    field('Id', toText(record.sessionId), true, 'mono'),
    field('Date', toText(record.dateText), true),
    field('Channel', toText(record.channel)),
    field('Service', toText(record.service)),
    field('Client', toText(record.client)),
    field('Origin', toText(record.origin)),
    field('ReponseTime', toMs(record.responseTimeMs), false, isSlow ? 'alert' : 'plain'),
    direction === 'inbound'
      ? field('BotLatency', toMs(record.botLatencyMs))
      : field('ActionId', toText(record.actionId)),
    ...Object.entries(record.extra).map(([name, value]) =>
      field(name, typeof value === 'string' ? value : JSON.stringify(value), true),
    ),
  ];
}
