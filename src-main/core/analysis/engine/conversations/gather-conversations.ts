import type { DuckDBConnection } from '@duckdb/node-api';
import {
  CONVERSATION_OUTCOMES,
  type ConversationOutcome,
  type KnownTime,
  listDoubts,
  MAX_PAUSE_MS,
} from '../../../../common/model/records/conversation.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL } from '../engine-tables.ts';
import { NO_CONDITION } from '../filter-sql.ts';
import { countAtMost, type ResolvedScope, toSourceSql } from '../resolved-scope.ts';
import {
  ALWAYS,
  joinSpans,
  MEMBER_ORDER_SQL,
  packSlowest,
  toMembersWithinSql,
  toPlacedSql,
} from './member-records.ts';

/** Records of which conversations are gathered at once: of more, the groups would not fit into the engine's memory. */
const SLICE_RECORDS = 1_500_000;

/** Spans that hold all dates: few conversations reach from one into the next. */
export async function listTimeSlices(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  sliceRecords = SLICE_RECORDS,
): Promise<readonly TimeSpan[]> {
  const count = Math.ceil(scopes.reduce((sum, scope) => sum + countAtMost(scope), 0) / sliceRecords);
  if (count < 2) return [ALWAYS];
  const dates = scopes.map((scope) => `SELECT date_ms FROM ${toSourceSql(scope, ['date_ms'], NO_CONDITION)}`);
  const [[firstMs, lastMs] = [null, null]] = await readRows<[number | null, number | null]>(
    connection,
    `SELECT min(date_ms), max(date_ms) FROM (${dates.join(' UNION ALL ')})`,
  );
  if (firstMs === null || lastMs === null) return [ALWAYS];
  const edges = Array.from({ length: count - 1 }, (_none, place) =>
    Math.round(firstMs + ((lastMs - firstMs) * (place + 1)) / count),
  );
  return [ALWAYS.fromMs, ...edges].map((fromMs, place) => ({ fromMs, toMs: edges[place] ?? ALWAYS.toMs }));
}

/** Values that a conversation's set of them can tell apart: a bit each, of a whole number. */
export const MAX_SET_VALUES = 62;
/** Fields of which a conversation may have several values. */
export const SET_FIELDS = ['channel', 'service'] as const;
/** The most frequent values of each; the set of a conversation has a bit for each, in their order. */
export type SetValues = Readonly<Record<(typeof SET_FIELDS)[number], readonly number[]>>;

/** Reads the channels and services that records have, the most frequent first, `max` of each. */
export async function readSetValues(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  max = MAX_SET_VALUES,
): Promise<SetValues> {
  const read = async (field: (typeof SET_FIELDS)[number]): Promise<number[]> => {
    // Of records without a session too: to leave them out, all Ids would have to be read.
    const where = { sql: `${field} IS NOT NULL`, values: [] };
    const all = scopes.map((scope) => `SELECT ${field} FROM ${toSourceSql(scope, [field], where)}`);
    const rows = await readRows<[number]>(
      connection,
      `SELECT ${field} FROM (${all.join(' UNION ALL ')})
       GROUP BY ${field} ORDER BY count(*) DESC, ${field} LIMIT ${max}`,
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
     bit_or(channels), bit_or(services), max(slow), max(message_us), sum(own_us), min(named)
   FROM gathered SEMI JOIN repeated USING (conversation) GROUP BY conversation`,
  'DELETE FROM gathered WHERE conversation IN (FROM repeated)',
  'INSERT INTO gathered FROM joined',
  'DROP TABLE repeated',
  'DROP TABLE joined',
];

/** Requests of a kind: see CONVERSATION_OUTCOMES. */
const KIND_SQL = 'conversation, is_inbound, is_sending, service';

/** What is gathered of a conversation, whatever is asked of it: the columns of the tables that hold some. */
export const GATHERED_COLUMNS = `conversation, first_ms, last_ms, end_ms, inbound, outbound, failures, channel, last_channel,
  service, last_service, channels, services, client, first_pattern, slow, is_lost, is_undecided`;

/** Which conversations are gathered. */
interface Gathered {
  readonly values: SetValues;
  /** Spans that don't touch, and hold all of them. */
  readonly slices: readonly TimeSpan[];
  /** A table of their keys; all conversations without it. */
  readonly among?: string;
}

/**
 * Statements that leave conversations in a temporary table, by its name: the only place that says in SQL what became of
 * them. `channels` and `services` are the sets of those that they have.
 */
export function listGatherSql(
  scopes: readonly ResolvedScope[],
  table: string,
  { values, slices, among }: Gathered,
): string[] {
  const failed = FAILED_SQL;
  const before = (column: string): string => `coalesce(${column}, -9007199254740991)`;
  const own = among === undefined ? '' : `SEMI JOIN ${among} USING (conversation)`;
  const gather = (slice: TimeSpan): string =>
    `SELECT conversation, min(date_ms) AS first_ms, max(date_ms) AS last_ms,
       max(date_ms + coalesce(took_us, 0) / 1000) AS end_ms,
       count(*) FILTER (is_inbound) AS inbound, count(*) FILTER (NOT is_inbound) AS outbound,
       count(*) FILTER (${failed}) AS failures, count(*) FILTER (outcome = 'unknown'::outcome) AS undecided,
       min(channel) AS channel, max(channel) AS last_channel, min(service) AS service, max(service) AS last_service,
       ${toSetSql('channel', values.channel)} AS channels, ${toSetSql('service', values.service)} AS services,
       max(slow) AS slow, max(CASE WHEN is_inbound THEN took_us END) AS message_us,
       sum(CASE WHEN is_inbound THEN took_us ELSE -2 * took_us END) AS own_us,
       min(${MEMBER_ORDER_SQL}) FILTER (client <> '') AS named
     FROM ${toMembersWithinSql(scopes, ['record_id', 'client'], [slice])} ${own} GROUP BY conversation`;
  const [first = ALWAYS, ...others] = slices;
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
       FROM ${toMembersWithinSql(scopes, ['record_id'], among === undefined ? [ALWAYS] : slices)}
       SEMI JOIN (SELECT conversation FROM gathered WHERE failures > 0 OR undecided > 0) USING (conversation)
       GROUP BY ALL
     )
     SELECT conversation, min(first_failed) AS first_failed,
       bool_or(failed_ms > ${before('good_ms')} AND failed_ms > ${before('undecided_ms')}) AS is_lost,
       bool_or(undecided_ms > ${before('good_ms')} AND undecided_ms >= ${before('failed_ms')}) AS is_undecided
     GROUP BY conversation`,
    `CREATE TEMP TABLE patterns AS
     FROM ${toPlacedSql(scopes, { table: 'troubled', place: 'first_failed', column: 'error_pattern' })}`,
    `CREATE TEMP TABLE clients AS
     FROM ${toPlacedSql(scopes, { table: 'gathered', place: 'named', column: 'client' })}`,
    `CREATE TEMP TABLE ${table} AS
     SELECT conversation, first_ms, last_ms, end_ms, inbound, outbound, failures, channel, last_channel, service,
       last_service, channels, services, client,
       CASE WHEN first_failed IS NOT NULL THEN coalesce(error_pattern, '') END AS first_pattern,
       CASE WHEN message_us IS NOT NULL AND own_us > 0 AND message_us > coalesce(slow // 4, -1)
         THEN ${packSlowest('message_us', 'connector')} ELSE slow END AS slow,
       is_lost, is_undecided
     FROM gathered LEFT JOIN troubled USING (conversation) LEFT JOIN patterns USING (conversation)
     LEFT JOIN clients USING (conversation)`,
    ...['gathered', 'troubled', 'patterns', 'clients'].map((used) => `DROP TABLE ${used}`),
  ];
}

/**
 * A statement that shows as `conversations` those of a period, with what became of them, that queries for
 * GATHERED_COLUMNS find.
 */
export function toConversationsSql(
  queries: readonly string[],
  { fromMs, toMs }: TimeSpan,
  known: KnownTime,
): string {
  return `CREATE TEMP VIEW conversations AS
    SELECT *, ${toCutSql(known)} AS is_cut, ${toOutcomeSql(known)} AS outcome FROM (${queries.join(' UNION ALL ')})
    WHERE first_ms < ${toMs} AND last_ms >= ${fromMs}`;
}

/** Conversations that were gathered before. */
export interface KeptTable {
  readonly table: string;
  readonly values: SetValues;
  /** Records that came since. */
  readonly added: readonly ResolvedScope[];
}

/** What conversations are gathered of. */
interface GatherQuestion {
  /** That of the scopes: conversations that reach beyond it are told by what they have in it. */
  readonly span: TimeSpan;
  readonly kept: KeptTable | null;
  /** Resolves once the next statement may run. */
  rest?(): Promise<void>;
}

/** Conversations as queries for GATHERED_COLUMNS, over temporary tables of the connection. */
interface GatheredConversations {
  readonly queries: readonly string[];
  readonly values: SetValues;
}

/** Gathers the conversations of scopes; of those that are kept only the ones that have other records in these. */
export async function gatherConversations(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  question: GatherQuestion,
): Promise<GatheredConversations> {
  const { kept, span, rest = () => Promise.resolve() } = question;
  const gather = async (own: Gathered): Promise<void> => {
    for (const sql of listGatherSql(scopes, 'own', own)) {
      await rest();
      await connection.run(sql);
    }
  };
  const values = kept === null ? null : addValues(kept.values, await readSetValues(connection, kept.added));
  if (kept === null || values === null) {
    const found = await readSetValues(connection, scopes);
    await gather({ values: found, slices: await listTimeSlices(connection, scopes) });
    return { queries: [`SELECT ${GATHERED_COLUMNS} FROM own`], values: found };
  }
  const isBefore = `first_ms < ${span.fromMs} AND last_ms >= ${span.fromMs}`;
  const isAfter = `first_ms < ${span.toMs} AND last_ms >= ${span.toMs}`;
  const added = toMembersWithinSql(kept.added, [], [ALWAYS]);
  await connection.run(
    `CREATE TEMP TABLE again AS
     SELECT conversation FROM ${kept.table} WHERE (${isBefore}) OR (${isAfter})
     UNION SELECT conversation FROM ${added}`,
  );
  const reached = await readRows<[place: number, firstMs: number | null, lastMs: number | null]>(
    connection,
    `SELECT CASE WHEN ${isBefore} THEN 0 WHEN ${isAfter} THEN 1 ELSE 2 END AS place, min(first_ms), max(last_ms)
     FROM ${kept.table} SEMI JOIN again USING (conversation) GROUP BY place
     UNION ALL SELECT 2, min(date_ms), max(date_ms) FROM ${added}`,
  );
  const spans = reached.flatMap(([, firstMs, lastMs]) => {
    if (firstMs === null || lastMs === null) return [];
    const own = { fromMs: Math.max(span.fromMs, firstMs), toMs: Math.min(span.toMs, lastMs + 1) };
    return own.fromMs < own.toMs ? [own] : [];
  });
  const inside = `first_ms >= ${span.fromMs} AND last_ms < ${span.toMs}`;
  if (spans.length === 0)
    return { queries: [`SELECT ${GATHERED_COLUMNS} FROM ${kept.table} WHERE ${inside}`], values };
  await gather({ values, slices: joinSpans(spans, Infinity), among: 'again' });
  return {
    queries: [
      `SELECT ${GATHERED_COLUMNS} FROM ${kept.table} ANTI JOIN again USING (conversation) WHERE ${inside}`,
      `SELECT ${GATHERED_COLUMNS} FROM own`,
    ],
    values,
  };
}

/** The values of sets with more of them, null where these have no room. */
function addValues(before: SetValues, more: SetValues): SetValues | null {
  const add = (field: (typeof SET_FIELDS)[number]): readonly number[] => [
    ...new Set([...before[field], ...more[field]]),
  ];
  const values = { channel: add('channel'), service: add('service') };
  return Math.max(values.channel.length, values.service.length) > MAX_SET_VALUES ? null : values;
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
