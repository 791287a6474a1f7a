import {
  CONVERSATION_MARGIN_MS,
  SLOWEST_PARTS,
  type SlowestPart,
} from '../../../../common/model/records/conversation.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { NO_CONDITION, type SqlCondition } from '../filter-sql.ts';
import { type ResolvedScope, toSourceSql } from '../resolved-scope.ts';

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
export function packSlowest(microseconds: string, part: SlowestPart): string {
  return `(${microseconds}) * 4 + ${SLOWEST_PARTS.indexOf(part)}`;
}

const IS_MEMBER_SQL = "session_id <> '' AND date_ms IS NOT NULL";

/** Records of both directions that belong to conversations, with `columns` beside what tells what became of them. */
export function toMembersSql(
  scopes: readonly ResolvedScope[],
  columns: readonly string[] = [],
  where: SqlCondition = NO_CONDITION,
  isMember = IS_MEMBER_SQL,
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
    const sql = `${isMember} AND (${where.sql})`;
    return `SELECT * FROM ${toSourceSql(scope, selected, { ...where, sql })}`;
  });
  return `(${parts.join(' UNION ALL ')})`;
}

/** Keys of the conversations that have a record which meets a condition on one direction. */
export function toMatchedSql(scope: ResolvedScope, where: SqlCondition): string {
  const sql = `${IS_MEMBER_SQL} AND (${where.sql})`;
  return `SELECT DISTINCT conversation FROM ${toSourceSql(scope, [`${KEY_SQL} AS conversation`], { ...where, sql })}`;
}

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

/** Every moment that a record may have. */
export const ALWAYS: TimeSpan = { fromMs: -Number.MAX_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER };

/** Parts of time, each of a power of two of milliseconds, by their numbers. */
export interface Moments {
  readonly bits: number;
  readonly numbers: readonly number[];
}

/**
 * As `toMembersSql`, of spans that don't touch: storage outside of them is skipped. With moments, those at moments in them
 * alone, for whoever knows the keys that are meant.
 */
export function toMembersWithinSql(
  scopes: readonly ResolvedScope[],
  columns: readonly string[],
  spans: readonly TimeSpan[],
  moments: Moments | null = null,
): string {
  const all = spans.map(({ fromMs, toMs }) => {
    const span = { fromMs, toMs };
    const within = `date_ms >= ${fromMs} AND date_ms < ${toMs}`;
    const own = moments?.numbers.filter(
      (number) => number * 2 ** moments.bits < toMs && (number + 1) * 2 ** moments.bits > fromMs,
    );
    const among =
      moments === null || own === undefined ? '' : ` AND date_ms >> ${moments.bits} IN (${own.join(', ')})`;
    const where = { sql: `${within}${among}`, values: [] };
    return toMembersSql(
      scopes.map((scope) => narrowScope(scope, span)),
      columns,
      where,
      // No conversation has the key of an empty Id, and to look for it all Ids would be read.
      moments === null ? IS_MEMBER_SQL : 'true',
    );
  });
  return all.length === 1 ? all.join('') : `(${all.map((sql) => `FROM ${sql}`).join(' UNION ALL ')})`;
}

/** A scope without the parts that have no record of a span, as far as that is known. */
function narrowScope({ direction, parts }: ResolvedScope, { fromMs, toMs }: TimeSpan): ResolvedScope {
  const isTouched = ({ spans, dates }: ResolvedScope['parts'][number]): boolean => {
    if (spans !== null) return spans.some((span) => span.fromMs < toMs && span.toMs > fromMs);
    if (dates === undefined) return true;
    const { firstMs, lastMs } = dates;
    return firstMs !== null && lastMs !== null && firstMs < toMs && lastMs >= fromMs;
  };
  return { direction, parts: parts.filter(isTouched) };
}

/** Joins spans that touch, and the nearest ones until there are at most `max`. */
export function joinSpans(spans: readonly TimeSpan[], max: number): TimeSpan[] {
  const sorted = spans.toSorted((a, b) => a.fromMs - b.fromMs);
  const joined: TimeSpan[] = [];
  for (const span of sorted) {
    const last = joined.at(-1);
    if (last === undefined || span.fromMs > last.toMs) joined.push(span);
    else joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) };
  }
  if (joined.length <= max) return joined;
  const gaps = joined.slice(1).map(({ fromMs }, place) => fromMs - (joined[place]?.toMs ?? fromMs));
  const least = gaps.toSorted((a, b) => b - a)[max - 1] ?? 0;
  const kept: TimeSpan[] = [];
  for (const [place, span] of joined.entries()) {
    const last = kept.at(-1);
    if (last === undefined || (gaps[place - 1] ?? 0) > least) kept.push(span);
    else kept[kept.length - 1] = { fromMs: last.fromMs, toMs: span.toMs };
  }
  return kept;
}
