import type { DuckDBConnection } from '@duckdb/node-api';
import {
  type Conversation,
  CONVERSATION_OUTCOMES,
  MAX_TICKS,
  SLOWEST_PARTS,
} from '../../../../common/model/records/conversation.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL } from '../engine-tables.ts';
import type { ResolvedScope } from '../resolved-scope.ts';
import { MEMBER_ORDER_SQL, type Moments, toMembersWithinSql } from './member-records.ts';

type Row = [
  ...[key: string, firstMs: number, lastMs: number, endMs: number, inbound: number, outbound: number],
  ...[failures: number, outcome: number, slow: number | null],
];
type Details = [
  ...[key: string, sessionId: string, client: string | null, channels: string, services: string],
  ...[firstError: string | null, slowestService: number | null, ticks: string],
  ...[isLastFailed: boolean | null, lastMessageMs: number | null, lastSentMs: number | null],
];

/** Of more rows, everything from the first to the last of them is looked at. */
const MAX_ROWS_BY_MOMENT = 500;
/** Moments of about a minute, or of longer ones where they would be too many. */
const LEAST_BITS = 16;
const MAX_MOMENTS = 1_000;

/** Reads the rows [offset, end) of a list, a table of the connection, with what is shown of each conversation. */
export async function readConversations(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  table: string,
  { offset, end }: { readonly offset: number; readonly end: number },
): Promise<Conversation[]> {
  const shown = `SELECT rowid AS place, conversation FROM ${table} WHERE rowid >= ${offset} AND rowid < ${end}`;
  const rows = await readRows<Row>(
    connection,
    `SELECT conversation::VARCHAR, first_ms, last_ms, end_ms, inbound, outbound, failures, outcome, slow
     FROM (${shown}) JOIN conversations USING (conversation) ORDER BY place`,
  );
  const columns = ['record_id', 'session_id', 'client', 'error', 'error_pattern', 'response_code'];
  if (rows.length === 0) return [];
  const span = {
    fromMs: rows.reduce((least, [, firstMs]) => Math.min(least, firstMs), Infinity),
    toMs: rows.reduce((most, [, , lastMs]) => Math.max(most, lastMs + 1), -Infinity),
  };
  const details = await readRows<Details>(
    connection,
    `SELECT conversation::VARCHAR, arg_min(session_id, ${MEMBER_ORDER_SQL}),
       arg_min(client, ${MEMBER_ORDER_SQL}) FILTER (client <> ''),
       to_json(list_sort(list_distinct(list(channel)))), to_json(list_sort(list_distinct(list(service)))),
       to_json(arg_min({text: left(error, 300), family: error_pattern, code: response_code}, ${MEMBER_ORDER_SQL})
         FILTER (${FAILED_SQL})),
       arg_max(service, (took_us, -record_id)) FILTER (NOT is_inbound AND NOT is_sending AND took_us IS NOT NULL),
       to_json(list([date_ms, is_inbound::BIGINT, (${FAILED_SQL})::BIGINT] ORDER BY ${MEMBER_ORDER_SQL})[1:${MAX_TICKS}]),
       arg_max(${FAILED_SQL}, ${MEMBER_ORDER_SQL}) FILTER (is_inbound), max(date_ms) FILTER (is_inbound),
       max(date_ms) FILTER (is_sending AND NOT ${FAILED_SQL})
     FROM ${toMembersWithinSql(scopes, columns, [span], listMoments(rows))} SEMI JOIN (${shown}) AS own USING (conversation)
     GROUP BY conversation`,
  );
  const byKey = new Map(details.map((one) => [one[0], one]));
  return rows.flatMap((row) => {
    const own = byKey.get(row[0]);
    return own === undefined ? [] : [toConversation(row, own)];
  });
}

/** The moments that the requests of rows are at; null for too many rows. */
function listMoments(rows: readonly Row[]): Moments | null {
  if (rows.length > MAX_ROWS_BY_MOMENT) return null;
  const lengthMs = rows.reduce((sum, [, firstMs, lastMs]) => sum + lastMs - firstMs, 0);
  const bits = Math.max(LEAST_BITS, Math.ceil(Math.log2(lengthMs / MAX_MOMENTS)));
  const toNumber = (ms: number): number => Math.floor(ms / 2 ** bits);
  const numbers = rows.flatMap(([, firstMs, lastMs]) => {
    const from = toNumber(firstMs);
    return Array.from({ length: toNumber(lastMs) - from + 1 }, (_none, place) => from + place);
  });
  return { bits, numbers: [...new Set(numbers)] };
}

function toConversation(
  [, firstMs, lastMs, endMs, inbound, outbound, failures, outcome, slow]: Row,
  [
    ,
    sessionId,
    client,
    channels,
    services,
    firstError,
    slowestService,
    ticks,
    isFailed,
    messageMs,
    sentMs,
  ]: Details,
): Conversation {
  const slowestPart = slow === null ? null : (SLOWEST_PARTS[slow % 4] ?? null);
  return {
    sessionId,
    firstMs,
    lastMs,
    endMs,
    channels: JSON.parse(channels) as number[],
    services: JSON.parse(services) as number[],
    client: (client ?? '').slice(0, 300),
    inbound,
    outbound,
    failures,
    outcome: CONVERSATION_OUTCOMES[outcome] ?? 'unknown',
    slowestPart,
    slowestMs: slow === null ? null : Math.floor(slow / 4) / 1000,
    slowestService: slowestPart === 'service' ? slowestService : null,
    firstError: firstError === null ? null : toError(firstError),
    isUnanswered: isFailed === true && (sentMs ?? -Infinity) < (messageMs ?? -Infinity),
    ticks: (JSON.parse(ticks) as [number, number, number][]).map(([atMs, isInbound, failed]) => ({
      atMs,
      isInbound: isInbound === 1,
      isFailed: failed === 1,
    })),
  };
}

function toError(json: string): Conversation['firstError'] {
  const { text, family, code } = JSON.parse(json) as {
    text: string | null;
    family: string | null;
    code: number | null;
  };
  return { text: text ?? '', family: family ?? '', code };
}
