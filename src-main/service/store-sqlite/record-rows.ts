import type { Direction } from '../../common/reporting/reports.ts';
import type { RecordTexts, StoredRecord } from '../store/records.ts';
import type { GroupTable } from './group-table.ts';

/** `detail` is the bot latency of an inbound record, the action of an outbound one. */
export type RecordRow = readonly [
  dateMs: number,
  arrival: number,
  session: number,
  groupId: number,
  responseTimeUs: number,
  detail: number,
  originId?: number,
];

const SHARED_COLUMNS = 'r.date_ms, r.arrival, r.session, r.group_id, r.response_time_us';

/** Columns of RecordRow, from a table named `r`. */
export const ROW_COLUMNS: Readonly<Record<Direction, string>> = {
  inbound: `${SHARED_COLUMNS}, r.bot_latency_ms`,
  outbound: `${SHARED_COLUMNS}, r.action_id, r.origin_id`,
};

/** Columns of RecordTexts but for the session, from a table named `t`. */
export const TEXT_COLUMNS: Readonly<Record<Direction, string>> = {
  inbound: "t.client, t.error, '' AS actionId, t.payload, '' AS response",
  outbound: 't.client, t.error, t.action_id AS actionId, t.payload, t.response',
};

/** Makes a record of a row; texts are null for a record of sample traffic, whose texts are made when it is sent. */
export function toRecord(row: RecordRow, texts: RecordTexts | null, groups: GroupTable): StoredRecord {
  // By index: taking a row apart as a list takes longer until it is compiled.
  const originId = row[6];
  const { channel, service, origin, responseCode } = groups.getGroup(row[3]);
  return {
    dateMs: row[0],
    arrival: row[1],
    session: texts === null ? row[2] : 0,
    channel,
    service,
    origin: originId === undefined ? origin : groups.getOriginName(originId),
    responseCode,
    responseTimeUs: row[4],
    botLatencyMs: originId === undefined ? row[5] : 0,
    actionId: originId === undefined ? 0 : row[5],
    texts,
  };
}
