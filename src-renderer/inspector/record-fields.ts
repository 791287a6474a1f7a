import { parseExactly, toPlainText } from '../../src-main/common/json.ts';
import type { RecordDetail } from '../../src-main/common/model/records/record.ts';
import { isNamedField, type NamedField } from '../../src-main/common/model/records/body-path.ts';
import {
  type FieldsWith,
  findReportField,
  listFieldsWith,
  toFieldRow,
  toReportedName,
} from '../../src-main/common/model/records/record-fields.ts';
import { formatCount, formatDuration, formatSpan } from '../format/formats.ts';
import { SLOW_RESPONSE_MS } from '../charts/chart-marks.ts';
import { formatRecordMoment, toOffsetLabel } from '../../src-main/common/time/civil-time.ts';
import { listFields, type Direction } from '../../src-main/common/reporting/reports.ts';
import { toVisible } from '../../src-main/common/words/visible-text.ts';
import type { PageRequest } from '../../src-main/common/model/cache/download.ts';
import { useI18n } from 'vue-i18n';
import type { Session, SessionRequest } from '../../src-main/common/model/records/conversation.ts';
import { useNames } from '../names/use-names.ts';

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
  const toField = (name: FieldsWith<'inspected'>): readonly RecordField[] => {
    const reported = findReportField(name, direction);
    if (reported === null) return [];
    const { wireName, unit } = reported;
    const id = toReportedName(name) ?? undefined;
    if (name === 'dateMs')
      return [{ id, name: wireName, wide: true, tone: 'plain', ...toDate(record, zone) }];
    const { [name]: value } = record;
    return [
      {
        id,
        name: wireName,
        value: unit === 'ms' && typeof value !== 'string' ? toMs(value) : toText(value),
        wide: name === 'sessionId',
        tone: name === 'sessionId' ? 'mono' : name === 'responseTimeMs' && isSlow ? 'alert' : 'plain',
        isPersonal: toFieldRow(name).personal === true,
        ...(isNamedField(name) ? { named: name } : {}),
      },
    ];
  };
  return [
    ...listFieldsWith('inspected').flatMap(toField),
    ...Object.entries(record.extra).map(([wireName, text]) => ({
      id: undefined,
      name: wireName,
      value: toVisible(toPlainText(text)),
      wide: true,
      tone: 'plain' as const,
      isPersonal: true,
    })),
  ];
}

/** A record as JSON with the service's own names, for pages that hold no text of it. */
export function toRecordJson(record: RecordDetail, direction: Direction): string {
  const values: Readonly<Record<string, unknown>> = { ...record };
  const fields = listFields(`${direction}-detail`).map(([name, { wireName }]) => [wireName, values[name]]);
  const extra = Object.entries(record.extra).map(([name, text]) => [name, parseExactly(text)]);
  return JSON.stringify({ ...Object.fromEntries(fields), ...Object.fromEntries(extra) }, null, 2);
}

/** The command that makes a request again in a POSIX shell; `<token>` stands for a token that was never kept. */
export function toCurlCommand({ method, address, body }: PageRequest): string {
  return [
    `curl --request ${method} ${quote(address)}`,
    `--header ${quote('accept: application/json')}`,
    `--header ${quote('authorization: bearer <token>')}`,
    `--header ${quote('content-type: application/json; charset=utf-8')}`,
    `--data-raw ${quote(body)}`,
  ].join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const MIN_SECONDS_MS = 1000;

/** Words for a session and its requests. */
export function useSessionWords() {
  const { t } = useI18n();
  const names = useNames();

  /** `5 messages, 7 requests`. */
  function countRequests({ inbound, outbound }: Session): string {
    return [
      t('session.inboundCount', { count: formatCount(inbound.requests) }, inbound.requests),
      t('session.outboundCount', { count: formatCount(outbound.requests) }, outbound.requests),
    ].join(', ');
  }

  /** `168 ms`, `63.7 s`, `2 min 39 s`. */
  function spellLength(lengthMs: number): string {
    if (lengthMs < MIN_SECONDS_MS) return formatDuration(lengthMs);
    if (lengthMs < 100 * MIN_SECONDS_MS) {
      return t('session.seconds', { count: formatCount(lengthMs / MIN_SECONDS_MS, 1) });
    }
    return formatSpan(lengthMs);
  }

  /**
   * How many requests, and how long they took from the first date to the last known end; no length where the records say
   * none.
   */
  function describeLength(session: Session): string {
    const { firstMs, lastMs, endMs, untimedCount } = session;
    const requests = countRequests(session);
    if (firstMs === null || lastMs === null) return requests;
    const lengthMs = Math.max(lastMs, endMs ?? lastMs) - firstMs;
    if (untimedCount === 0) return t('session.within', { requests, length: spellLength(lengthMs) });
    return lengthMs === 0
      ? requests
      : t('session.withinAtLeast', { requests, length: spellLength(lengthMs) });
  }

  function nameRequest({ direction, actionId }: SessionRequest): string {
    if (direction === 'inbound') return t('session.message');
    if (actionId === null || actionId === '') return t('session.request');
    if (actionId === '-1') return t('session.channel');
    return names.find('actionId', actionId) === null
      ? t('session.action', { id: actionId })
      : names.toText('actionId', actionId);
  }

  return { describeLength, spellLength, nameRequest };
}
