import type { DuckDBConnection } from '@duckdb/node-api';
import {
  type Conversation,
  CONVERSATION_MARGIN_MS,
  CONVERSATION_OUTCOMES,
  type ConversationOutcome,
  type KnownTime,
  listDoubts,
  MAX_PAUSE_MS,
  MAX_TICKS,
  type Session,
  type SessionRequest,
  SLOWEST_PARTS,
  type SlowestPart,
} from '../../../../common/model/records/conversation.ts';
import { fromRecordId } from '../../../../common/model/records/record.ts';
import type { Outcome } from '../../../../common/reporting/outcome.ts';
import { isGuid } from '../../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL } from '../engine-tables.ts';
import { NO_CONDITION, type SqlCondition, toFilterSql } from '../filter-sql.ts';
import { countAtMost, type FilteredRecords, type ResolvedScope, toSourceSql } from '../resolved-scope.ts';

/**
 * Sessions by 63 bits of their Id: of ten million, two share them with a chance of 1 in 180,000. A GUID means the same in any
 * letter case; other Ids don't.
 */
const KEY_SQL =
  '(hash(CASE WHEN length(session_id) = 36 THEN lower(session_id) ELSE session_id END) >> 1)::BIGINT';
/** No time that a record gives is taken for longer: what is beyond is no time. */
const MAX_TIME_MS = CONVERSATION_MARGIN_MS;
/** Sent through a channel, rather than requested of a service. */
const IS_SENDING_SQL = "coalesce(action_id = '-1', false)";

function toMicrosecondsSql(column: string): string {
  return `CASE WHEN ${column} >= 0 THEN (least(${column}, ${MAX_TIME_MS}) * 1000)::BIGINT END`;
}

/** The place of a part of SLOWEST_PARTS, in the low bits of a time in microseconds. */
function packSlowest(microseconds: string, part: SlowestPart): string {
  return `(${microseconds}) * 4 + ${SLOWEST_PARTS.indexOf(part)}`;
}

/** Records of both directions that belong to conversations, with `columns` beside what tells what became of them. */
export function toMembersSql(
  scopes: readonly ResolvedScope[],
  columns: readonly string[] = [],
  where: SqlCondition = NO_CONDITION,
): string {
  const parts = scopes.map((scope) => {
    const isInbound = scope.direction === 'inbound';
    const took = toMicrosecondsSql('response_time_ms');
    const slow = isInbound
      ? packSlowest(toMicrosecondsSql('bot_latency_ms'), 'before')
      : `CASE WHEN ${IS_SENDING_SQL} THEN ${packSlowest(took, 'sending')} ELSE ${packSlowest(took, 'service')} END`;
    const selected = [
      `${KEY_SQL} AS conversation`,
      'date_ms',
      'channel',
      'service',
      'outcome',
      `${isInbound} AS is_inbound`,
      `${isInbound ? 'false' : IS_SENDING_SQL} AS is_sending`,
      `${took} AS took_us`,
      `${isInbound ? toMicrosecondsSql('bot_latency_ms') : 'NULL::BIGINT'} AS late_us`,
      `${slow} AS slow`,
      ...columns,
    ];
    const sql = `session_id <> '' AND date_ms IS NOT NULL AND (${where.sql})`;
    return `SELECT * FROM ${toSourceSql(scope, selected, { ...where, sql })}`;
  });
  return `(${parts.join(' UNION ALL ')})`;
}

/** Keys of the conversations that have a record which meets a condition on one direction. */
export function toMatchedSql(scope: ResolvedScope, where: SqlCondition): string {
  const sql = `session_id <> '' AND date_ms IS NOT NULL AND (${where.sql})`;
  return `SELECT DISTINCT conversation FROM ${toSourceSql(scope, [`${KEY_SQL} AS conversation`], { ...where, sql })}`;
}

/** Requests of a kind: see CONVERSATION_OUTCOMES. */
const KIND_SQL = 'conversation, is_inbound, is_sending, service';
/**
 * The place of a request in its conversation, as one number: its date, then outbound before inbound, then how they are
 * stored. What is compared has a fixed size then: groups of anything else are never spilled to the disk.
 */
export const MEMBER_ORDER_SQL = `(date_ms::HUGEINT * ${2n ** 54n} + is_inbound::BIGINT * ${2n ** 53n} + record_id)`;

/**
 * A text of conversations, that of the request at a place: `table` holds places. It is a table, since the engine knows how
 * small those are then, and holds them rather than all records.
 */
export function toPlacedSql(
  scopes: readonly ResolvedScope[],
  { table, place, column }: { readonly table: string; readonly place: string; readonly column: string },
): string {
  const all = scopes.map(
    (scope) => `SELECT record_id, ${column} FROM ${toSourceSql(scope, ['record_id', column], NO_CONDITION)}`,
  );
  return `(SELECT conversation, ${column} FROM (${all.join(' UNION ALL ')}) AS texts
    JOIN ${table} ON texts.record_id = (${place} & ${2n ** 53n - 1n})::BIGINT)`;
}

/** Records of which conversations are gathered at once: of more, the groups would not fit into the engine's memory. */
const SLICE_RECORDS = 1_500_000;

/** Conditions on dates, which every record with one meets one of: few conversations reach from one into the next. */
export async function listTimeSlices(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  sliceRecords = SLICE_RECORDS,
): Promise<readonly SqlCondition[]> {
  const count = Math.ceil(scopes.reduce((sum, scope) => sum + countAtMost(scope), 0) / sliceRecords);
  if (count < 2) return [NO_CONDITION];
  const dates = scopes.map((scope) => `SELECT date_ms FROM ${toSourceSql(scope, ['date_ms'], NO_CONDITION)}`);
  const [[firstMs, lastMs] = [null, null]] = await readRows<[number | null, number | null]>(
    connection,
    `SELECT min(date_ms), max(date_ms) FROM (${dates.join(' UNION ALL ')})`,
  );
  if (firstMs === null || lastMs === null) return [NO_CONDITION];
  const edges = Array.from({ length: count - 1 }, (_none, place) =>
    Math.round(firstMs + ((lastMs - firstMs) * (place + 1)) / count),
  );
  return [undefined, ...edges].map((fromMs, place) => {
    const untilMs = edges[place];
    const bounds = [
      ...(fromMs === undefined ? [] : [`date_ms >= ${fromMs}`]),
      ...(untilMs === undefined ? [] : [`date_ms < ${untilMs}`]),
    ];
    return { sql: bounds.join(' AND '), values: [] };
  });
}

/** Values that a conversation's set of them can tell apart: a bit each, of a whole number. */
const MAX_SET_VALUES = 62;
/** Fields of which a conversation may have several values. */
export const SET_FIELDS = ['channel', 'service'] as const;
/** The most frequent values of each; the set of a conversation has a bit for each, in their order. */
export type SetValues = Readonly<Record<(typeof SET_FIELDS)[number], readonly number[]>>;

/** Reads the channels and services that records have, the most frequent first. */
export async function readSetValues(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
): Promise<SetValues> {
  const read = async (field: (typeof SET_FIELDS)[number]): Promise<number[]> => {
    // Of records without a session too: to leave them out, all Ids would have to be read.
    const where = { sql: `${field} IS NOT NULL`, values: [] };
    const all = scopes.map((scope) => `SELECT ${field} FROM ${toSourceSql(scope, [field], where)}`);
    const rows = await readRows<[number]>(
      connection,
      `SELECT ${field} FROM (${all.join(' UNION ALL ')})
       GROUP BY ${field} ORDER BY count(*) DESC, ${field} LIMIT ${MAX_SET_VALUES}`,
    );
    return rows.map(([value]) => value);
  };
  return { channel: await read('channel'), service: await read('service') };
}

function toSetSql(field: (typeof SET_FIELDS)[number], values: readonly number[]): string {
  const bits = values.map((value, place) => `WHEN ${value} THEN ${2n ** BigInt(place)}`);
  return bits.length === 0 ? '0::BIGINT' : `bit_or((CASE ${field} ${bits.join(' ')} ELSE 0 END)::BIGINT)`;
}

/** Statements that join what was gathered of one conversation in several slices. */
const JOIN_GATHERED = [
  `CREATE TEMP TABLE repeated AS SELECT conversation FROM gathered GROUP BY conversation HAVING count(*) > 1`,
  `CREATE TEMP TABLE joined AS
   SELECT conversation, min(first_ms), max(last_ms), max(end_ms), sum(inbound)::BIGINT, sum(outbound)::BIGINT,
     sum(failures)::BIGINT, sum(undecided)::BIGINT, min(channel), max(last_channel), min(service), max(last_service),
     bit_or(channels), bit_or(services), max(slow), max(message_us), sum(own_us)
   FROM gathered SEMI JOIN repeated USING (conversation) GROUP BY conversation`,
  'DELETE FROM gathered WHERE conversation IN (FROM repeated)',
  'INSERT INTO gathered FROM joined',
  'DROP TABLE repeated',
  'DROP TABLE joined',
];

/**
 * Statements that leave the conversations of a period in the temporary table `conversations`: the only place that says in
 * SQL what became of them. `channels` and `services` are the sets of those that they have.
 */
export function listConversationSql(
  scopes: readonly ResolvedScope[],
  period: TimeSpan,
  known: KnownTime,
  { values, slices }: { readonly values: SetValues; readonly slices: readonly SqlCondition[] },
): string[] {
  const failed = FAILED_SQL;
  const before = (column: string): string => `coalesce(${column}, -9007199254740991)`;
  const gather = (slice: SqlCondition): string =>
    `SELECT conversation, min(date_ms) AS first_ms, max(date_ms) AS last_ms,
       max(date_ms + coalesce(took_us, 0) / 1000) AS end_ms,
       count(*) FILTER (is_inbound) AS inbound, count(*) FILTER (NOT is_inbound) AS outbound,
       count(*) FILTER (${failed}) AS failures, count(*) FILTER (outcome = 'unknown'::outcome) AS undecided,
       min(channel) AS channel, max(channel) AS last_channel, min(service) AS service, max(service) AS last_service,
       ${toSetSql('channel', values.channel)} AS channels, ${toSetSql('service', values.service)} AS services,
       max(slow) AS slow, max(CASE WHEN is_inbound THEN took_us END) AS message_us,
       sum(CASE WHEN is_inbound THEN took_us ELSE -2 * took_us END) AS own_us
     FROM ${toMembersSql(scopes, [], slice)} GROUP BY conversation`;
  const [first = NO_CONDITION, ...others] = slices;
  return [
    `CREATE TEMP TABLE gathered AS ${gather(first)}`,
    ...others.map((slice) => `INSERT INTO gathered ${gather(slice)}`),
    ...(others.length === 0 ? [] : JOIN_GATHERED),
    `CREATE TEMP TABLE troubled AS
     FROM (
       SELECT ${KIND_SQL}, max(date_ms) FILTER (${failed}) AS failed_ms,
         max(date_ms) FILTER (outcome = 'unknown'::outcome) AS undecided_ms,
         max(date_ms) FILTER (outcome IN ('ok'::outcome, 'expected'::outcome)) AS good_ms,
         min(${MEMBER_ORDER_SQL}) FILTER (${failed}) AS first_failed
       FROM ${toMembersSql(scopes, ['record_id'])}
       SEMI JOIN (SELECT conversation FROM gathered WHERE failures > 0 OR undecided > 0) USING (conversation)
       GROUP BY ALL
     )
     SELECT conversation, min(first_failed) AS first_failed,
       bool_or(failed_ms > ${before('good_ms')} AND failed_ms > ${before('undecided_ms')}) AS is_lost,
       bool_or(undecided_ms > ${before('good_ms')} AND undecided_ms >= ${before('failed_ms')}) AS is_undecided
     GROUP BY conversation`,
    `CREATE TEMP TABLE patterns AS
     FROM ${toPlacedSql(scopes, { table: 'troubled', place: 'first_failed', column: 'error_pattern' })}`,
    `CREATE TEMP TABLE conversations AS
     SELECT conversation, first_ms, last_ms, end_ms, inbound, outbound, failures, channel, last_channel, service,
       last_service, channels, services,
       CASE WHEN first_failed IS NOT NULL THEN coalesce(error_pattern, '') END AS first_pattern,
       CASE WHEN message_us IS NOT NULL AND own_us > 0 AND message_us > coalesce(slow // 4, -1)
         THEN ${packSlowest('message_us', 'connector')} ELSE slow END AS slow,
       ${toCutSql(known)} AS is_cut, ${toOutcomeSql(known)} AS outcome
     FROM gathered LEFT JOIN troubled USING (conversation) LEFT JOIN patterns USING (conversation)
     WHERE first_ms < ${period.toMs} AND last_ms >= ${period.fromMs}`,
    'DROP TABLE gathered',
    'DROP TABLE troubled',
    'DROP TABLE patterns',
  ];
}

/** Whether a part of a conversation may not be cached. */
function toCutSql(known: KnownTime): string {
  const { untilMs } = known;
  if (untilMs === null) return 'true';
  const doubts = listDoubts(known).map(({ fromMs, toMs }) => `(first_ms < ${toMs} AND end_ms > ${fromMs})`);
  return `(${[...doubts, `last_ms >= ${untilMs + MAX_PAUSE_MS}`].join(' OR ')})`;
}

/** The place of the outcome in CONVERSATION_OUTCOMES; what each of them means is said there. */
function toOutcomeSql(known: KnownTime): string {
  const { untilMs } = known;
  const place = (outcome: ConversationOutcome): number => CONVERSATION_OUTCOMES.indexOf(outcome);
  if (untilMs === null) return `${place('unknown')}::TINYINT`;
  return `(CASE
    WHEN ${toCutSql(known)} THEN ${place('unknown')}
    WHEN end_ms > ${untilMs - MAX_PAUSE_MS} THEN ${place('waiting')}
    WHEN is_lost THEN ${place('lost')}
    WHEN is_undecided THEN ${place('unknown')}
    WHEN failures > 0 THEN ${place('recovered')}
    ELSE ${place('fine')} END)::TINYINT`;
}

type Row = [
  ...[key: string, firstMs: number, lastMs: number, endMs: number, inbound: number, outbound: number],
  ...[failures: number, outcome: number, slow: number | null],
];
type Details = [
  ...[key: string, sessionId: string, client: string | null, channels: string, services: string],
  ...[firstError: string | null, slowestService: number | null, ticks: string],
  ...[isLastFailed: boolean | null, lastMessageMs: number | null, lastSentMs: number | null],
];

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
  const fromMs = rows.reduce((least, [, firstMs]) => Math.min(least, firstMs), Infinity);
  const toMs = rows.reduce((most, [, , lastMs]) => Math.max(most, lastMs), -Infinity);
  const columns = ['record_id', 'session_id', 'client', 'error', 'error_pattern', 'response_code'];
  const within = { sql: `date_ms BETWEEN ${fromMs} AND ${toMs}`, values: [] };
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
     FROM ${toMembersSql(scopes, columns, within)} SEMI JOIN (${shown}) AS own USING (conversation)
     GROUP BY conversation`,
  );
  const byKey = new Map(details.map((one) => [one[0], one]));
  return rows.flatMap((row) => {
    const own = byKey.get(row[0]);
    return own === undefined ? [] : [toConversation(row, own)];
  });
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

const SHARED_COLUMNS = [
  'record_id',
  'date_ms',
  'response_time_ms',
  'response_code',
  'channel',
  'service',
  'client',
  'error',
  'outcome',
];

type SessionRow = [
  ...[number, number, number | null, number | null, number | null, number | null],
  ...[string, string, number | string | null, Outcome],
];

/** A session among the records of both directions: what is counted of it, and its oldest dated requests. */
export async function readSession(
  connection: DuckDBConnection,
  records: readonly FilteredRecords[],
  sessionId: string,
  limit: number,
): Promise<Session> {
  // A GUID means the same in any letter case, and other systems write it in another one than the service.
  const isAnyCase = isGuid(sessionId);
  const id = isAnyCase ? sessionId.toLowerCase() : sessionId;
  const requests: SessionRequest[] = [];
  const counts = { inbound: { requests: 0, failures: 0 }, outbound: { requests: 0, failures: 0 } };
  const edges: number[] = [];
  const ends: number[] = [];
  let undatedCount = 0;
  let untimedCount = 0;
  for (const { scope, filter } of records) {
    const { direction } = scope;
    const left = toFilterSql(filter, direction);
    const values = [...left.values, id];
    const isOfSession = `${isAnyCase ? 'lower(session_id)' : 'session_id'} = $${values.length}`;
    const own = direction === 'inbound' ? 'bot_latency_ms' : 'action_id';
    const sql = left.sql === 'true' ? isOfSession : `${isOfSession} AND (${left.sql})`;
    const source = toSourceSql(scope, [...SHARED_COLUMNS, own], { sql, values });
    const [found] = await readRows<
      [number, number, number, number | null, number | null, number | null, number]
    >(
      connection,
      `SELECT count(*), count(*) FILTER (${FAILED_SQL}), count(*) FILTER (date_ms IS NULL),
         min(date_ms), max(date_ms), max(date_ms + response_time_ms) FILTER (response_time_ms >= 0),
         count(*) FILTER (date_ms IS NOT NULL AND (response_time_ms IS NULL OR response_time_ms < 0))
       FROM ${source}`,
      values,
    );
    if (found === undefined) continue;
    const [count, failures, undated, firstMs, lastMs, endMs, untimed] = found;
    counts[direction] = { requests: count, failures };
    undatedCount += undated;
    untimedCount += untimed;
    if (endMs !== null) ends.push(endMs);
    edges.push(...[firstMs, lastMs].filter((edge) => edge !== null));
    if (limit === 0 || count === 0) continue;
    const rows = await readRows<SessionRow>(
      connection,
      `SELECT record_id, date_ms, response_time_ms, response_code, channel, service, left(client, 300),
         left(error, 300), ${own}, outcome::VARCHAR
       FROM ${source} WHERE date_ms IS NOT NULL ORDER BY date_ms, part, record_id LIMIT ${limit}`,
      values,
    );
    requests.push(...rows.map((row) => toRequest(direction, row)));
  }
  return {
    requests: requests.sort((a, b) => a.dateMs - b.dateMs).slice(0, limit),
    ...counts,
    undatedCount,
    firstMs: edges.length === 0 ? null : Math.min(...edges),
    lastMs: edges.length === 0 ? null : Math.max(...edges),
    endMs: ends.length === 0 ? null : Math.max(...ends),
    untimedCount,
  };
}

function toRequest(direction: SessionRequest['direction'], row: SessionRow): SessionRequest {
  const [recordId, dateMs, responseTimeMs, responseCode, channel, service, client, error, own, outcome] = row;
  return {
    direction,
    ...fromRecordId(recordId),
    dateMs,
    responseTimeMs,
    responseCode,
    outcome,
    channel,
    service,
    client,
    error,
    botLatencyMs: typeof own === 'number' ? own : null,
    actionId: typeof own === 'string' ? own : null,
  };
}
