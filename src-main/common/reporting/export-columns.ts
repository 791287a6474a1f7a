import type { RecordDetail } from '../model/record.ts';
import type { SummaryGroup } from '../model/summary.ts';
import type { DetailKind, SummaryKind } from './reports.ts';

/** A field of an exported record: its name and type as specified, and where its value comes from. */
export interface ExportColumn<Row> {
  readonly name: string;
  /** `digits` are texts that hold a number, such as `Count` and `ActionId`. */
  readonly type: 'text' | 'number' | 'digits';
  readonly read: (row: Row) => string | number | null;
}

type DetailColumns = readonly ExportColumn<RecordDetail>[];
type SummaryColumns = readonly ExportColumn<SummaryGroup>[];

const DETAIL_START: DetailColumns = [
  { name: 'Id', type: 'text', read: (row) => row.sessionId },
  { name: 'Date', type: 'text', read: (row) => row.dateText },
  { name: 'Channel', type: 'number', read: (row) => row.channel },
  { name: 'Service', type: 'number', read: (row) => row.service },
  { name: 'Client', type: 'text', read: (row) => row.client },
  { name: 'ReponseTime', type: 'number', read: (row) => row.responseTimeMs },
  { name: 'ReponseCode', type: 'number', read: (row) => row.responseCode },
  { name: 'Error', type: 'text', read: (row) => row.error },
];
const BOT_LATENCY: DetailColumns = [{ name: 'BotLatency', type: 'number', read: (row) => row.botLatencyMs }];
const ACTION_ID: DetailColumns = [{ name: 'ActionId', type: 'digits', read: (row) => row.actionId }];
const PAYLOAD: DetailColumns = [{ name: 'Payload', type: 'text', read: (row) => row.payload }];
const RESPONSE: DetailColumns = [{ name: 'Reponse', type: 'text', read: (row) => row.response }];
const ORIGIN: DetailColumns = [{ name: 'Origin', type: 'text', read: (row) => row.origin }];

/**
 * Fields of a detail report in the order of the specification (sections "Inbound health detail record"
 * and "Outbound health detail record"); `Payload` and `Reponse` only when asked for.
 */
export function selectDetailColumns(report: DetailKind, includePayload: boolean): DetailColumns {
  if (report === 'inbound-detail') {
    return [...DETAIL_START, ...BOT_LATENCY, ...(includePayload ? PAYLOAD : []), ...ORIGIN];
  }
  return [...DETAIL_START, ...ACTION_ID, ...(includePayload ? [...PAYLOAD, ...RESPONSE] : []), ...ORIGIN];
}

const SUMMARY_START: SummaryColumns = [
  { name: 'Id', type: 'text', read: (group) => group.sessionId },
  { name: 'ReponseCode', type: 'number', read: (group) => group.responseCode },
  { name: 'Channel', type: 'number', read: (group) => group.channel },
  { name: 'Service', type: 'number', read: (group) => group.service },
];
const SUMMARY_ORIGIN: SummaryColumns = [{ name: 'Origin', type: 'text', read: (group) => group.origin }];
const SUMMARY_COUNT: SummaryColumns = [
  { name: 'Count', type: 'digits', read: (group) => String(group.count) },
  { name: 'AvegareReponseTime', type: 'number', read: (group) => group.averageResponseTimeMs },
];
const SUMMARY_LATENCY: SummaryColumns = [
  { name: 'AvegareBotLatency', type: 'number', read: (group) => group.averageBotLatencyMs },
];

/**
 * Fields of a summary report in the order of the specification (sections "Inbound health summary record"
 * and "Outbound health summary record").
 */
export function selectSummaryColumns(report: SummaryKind): SummaryColumns {
  return report === 'inbound-summary'
    ? [...SUMMARY_START, ...SUMMARY_ORIGIN, ...SUMMARY_COUNT, ...SUMMARY_LATENCY]
    : [...SUMMARY_START, ...SUMMARY_COUNT];
}
