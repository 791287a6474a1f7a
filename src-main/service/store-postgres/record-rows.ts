import type { Direction } from '../../common/reporting/reports.ts';
import type { RecordTexts, StoredRecord } from '../store/records.ts';
import type { Queryable } from './connect.ts';
import type { GroupCache } from './group-cache.ts';
import { DIRECTION_NUMBERS } from './schema.ts';

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
  inbound: `${SHARED_COLUMNS}, r.bot_latency_ms, NULL::bigint`,
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

export function toRecord(row: RecordRow, texts: RecordTexts | null, groups: GroupCache): StoredRecord {
  const [dateMs, arrival, session, groupId, responseTimeUs, detail, originId] = row;
  const { channel, service, origin, responseCode } = groups.getGroup(groupId);
  const isInbound = originId === null;
  return {
    dateMs,
    arrival,
    session: texts === null ? session : 0,
    channel,
    service,
    origin: isInbound ? origin : groups.getOrigin(originId),
    responseCode,
    responseTimeUs,
    botLatencyMs: isInbound ? detail : 0,
    actionId: isInbound ? 0 : detail,
    texts,
  };
}

const TEXTS_SQL = `
SELECT arrival, texts_json FROM imported_text
WHERE tenant = $1 AND direction = $2 AND arrival = ANY($3::bigint[])`;

/** Texts of imported records, by arrival. */
export async function readTexts(
  source: Queryable,
  tenant: number,
  direction: Direction,
  arrivals: readonly number[],
): Promise<Map<number, RecordTexts>> {
  if (arrivals.length === 0) return new Map();
  const rows = await source.query<[number, string]>(TEXTS_SQL, [
    tenant,
    DIRECTION_NUMBERS[direction],
    arrivals,
  ]);
  return new Map(rows.map(([arrival, json]) => [arrival, JSON.parse(json) as RecordTexts]));
}
