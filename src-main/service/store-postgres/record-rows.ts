import type { Direction } from '../../common/reporting/reports.ts';
import type { RecordTexts, StoredRecord } from '../store/record-store.ts';
import type { Queryable } from './connect.ts';
import type { GroupCache } from './group-cache.ts';

/** `detail` is the bot latency of an inbound record, the action of an outbound one, whose origin is a number of its own. */
export type RecordRow = readonly [
  dateMs: number,
  arrival: number,
  session: number,
  groupId: number,
  responseTimeUs: number,
  detail: number,
  originId: number | null,
];

const SHARED_COLUMNS = 'r.date_ms, r.arrival, r.session, r.group_id, r.response_time_us';

/** Columns of RecordRow, from a table named `r`. */
export const ROW_COLUMNS: Readonly<Record<Direction, string>> = {
  inbound: `${SHARED_COLUMNS}, r.bot_latency_ms, NULL::integer`,
  outbound: `${SHARED_COLUMNS}, r.action_id, r.origin_id`,
};

/** Makes sure that the groups and origins of rows are known. */
export async function catchUpWith(
  groups: GroupCache,
  source: Queryable,
  rows: readonly RecordRow[],
): Promise<void> {
  const originIds = rows.flatMap(([, , , , , , originId]) => (originId === null ? [] : [originId]));
  await groups.catchUp(
    source,
    rows.map(([, , , groupId]) => groupId),
    originIds,
  );
}

/** `textsJson` is null for a sample record. */
export function toRecord(row: RecordRow, textsJson: string | null, groups: GroupCache): StoredRecord {
  const [dateMs, arrival, session, groupId, responseTimeUs, detail, originId] = row;
  const { channel, service, origin, responseCode } = groups.getGroup(groupId);
  const isInbound = originId === null;
  return {
    dateMs,
    arrival,
    session: textsJson === null ? session : 0,
    channel,
    service,
    origin: isInbound ? origin : groups.getOrigin(originId),
    responseCode,
    responseTimeUs,
    botLatencyMs: isInbound ? detail : 0,
    actionId: isInbound ? 0 : detail,
    texts: textsJson === null ? null : (JSON.parse(textsJson) as RecordTexts),
  };
}
