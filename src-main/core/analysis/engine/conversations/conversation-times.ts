import type { DuckDBConnection } from '@duckdb/node-api';
import {
  type ConversationTimes,
  type KnownTime,
  MAX_TIMED_PLACES,
  type PlaceTimes,
  RISING_PARTS,
  type StepTimes,
  TIME_PARTS,
  type TimePart,
} from '../../../../common/model/records/conversation.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../common/time/durations.ts';
import { listBucketEdges } from '../../../../common/time/civil-time.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { findRises, type TimedPlace } from '../../find-differences.ts';
import { readRows } from '../engine-database.ts';
import { toBucketSql } from '../measures/measure-sql.ts';
import { countAtMost, type ResolvedScope } from '../resolved-scope.ts';
import { toMembersSql } from './member-records.ts';

/** Longer periods are shown by day. */
const MAX_HOURS = 62 * 24;
/** What rose is looked for in buckets of about so many to a period, at least five minutes long. */
const BUCKETS = 288;
const WIDTHS_MS = [5, 15, 30, 60].map((minutes) => minutes * MINUTE_MS);
/** Conversations are measured in parts of about so many records, which are sorted in little memory. */
const PART_RECORDS = 400_000;
/** What rose is looked for in the places with the most records. */
const MAX_RISING_PLACES = 50;
/** A whole number of 64 bits, with room to spare. */
const MAX_PLAIN_BITS = 61;

/** In the columns of places of parts: what is counted in place of a time. */
const MESSAGES = TIME_PARTS.length;
const REQUESTS = MESSAGES + 1;
const place = (part: TimePart): number => TIME_PARTS.indexOf(part);

interface TimesQuestion {
  readonly scopes: readonly ResolvedScope[];
  /** The table of the conversations that are meant. */
  readonly list: string;
  readonly period: TimeSpan;
  readonly known: KnownTime;
  readonly zone: string;
  /** Makes the names of tables differ from those of others. */
  readonly number: number;
}

/**
 * Measures where the time of conversations went, as TIME_PARTS has it, and leaves all of it in a table to be read with
 * TIMES_CELLS_SQL.
 */
export async function measureConversationTimes(
  connection: DuckDBConnection,
  question: TimesQuestion,
): Promise<Omit<ConversationTimes, 'resultId'> & { table: string }> {
  const { period, zone, number, list } = question;
  const stepMs = period.toMs - period.fromMs <= MAX_HOURS * HOUR_MS ? HOUR_MS : DAY_MS;
  const lengthMs = period.toMs - period.fromMs;
  const widthMs = stepMs === DAY_MS ? DAY_MS : (WIDTHS_MS.find((ms) => lengthMs / ms <= BUCKETS) ?? HOUR_MS);
  const edges = clipEdges(listBucketEdges(period.fromMs, period.toMs, widthMs, zone), period);
  const steps = toSpans(clipEdges(listBucketEdges(period.fromMs, period.toMs, stepMs, zone), period));
  const [times, places, table] = [`times_${number}`, `places_${number}`, `hours_${number}`];
  try {
    await sweep(connection, question, { edges, times, places });
    const counted = await readRows<[boolean, number]>(
      connection,
      `SELECT is_cut, count(*) FROM conversations SEMI JOIN ${list} USING (conversation) GROUP BY is_cut`,
    );
    const count = (isCut: boolean): number => counted.find(([own]) => own === isCut)?.[1] ?? 0;
    const waiting = place('waiting');
    const [cut] = await readRows<[number | null]>(
      connection,
      `SELECT sum(us)::BIGINT FROM ${times} WHERE is_cut AND part < ${waiting}`,
    );
    const byBucket = await readRows<[number, number, number]>(
      connection,
      `SELECT bucket, part, sum(us)::BIGINT FROM ${times} WHERE NOT is_cut GROUP BY ALL`,
    );
    const own = steps.map((span): StepTimes => ({ ...span, messages: 0, requests: 0, parts: emptyParts() }));
    const whole = { messages: 0, requests: 0, parts: emptyParts() };
    for (const [bucket, part, sum] of byBucket) {
      const atMs = edges[bucket] ?? period.fromMs;
      const step = own[findPlace(steps, atMs)];
      for (const target of step === undefined ? [whole] : [whole, step]) addPart(target, part, sum);
    }
    const [channels, services] = [
      await readPlaces(connection, 'channel', times, places),
      await readPlaces(connection, 'service', times, places),
    ];
    const rises = findRises(
      [
        ...(await readTimed(connection, { field: 'channel', listed: channels, times, places, edges })),
        ...(await readTimed(connection, { field: 'service', listed: services, times, places, edges })),
      ],
      toSpans(edges),
    );
    await connection.run(toTableSql({ table, times, places, edges, steps }));
    const [rows] = await readRows<[number]>(connection, `SELECT count(*) FROM ${table}`);
    return {
      conversations: count(false),
      ...whole,
      cut: { conversations: count(true), ms: (cut?.[0] ?? 0) / 1000 },
      channels: channels.slice(0, MAX_TIMED_PLACES),
      services: services.slice(0, MAX_TIMED_PLACES),
      steps: own,
      rises,
      rowCount: rows?.[0] ?? 0,
      table,
    };
  } finally {
    for (const name of [times, places, `sessions_${number}`, `events_${number}`])
      await connection.run(`DROP TABLE IF EXISTS ${name}`).catch(() => undefined);
  }
}

/** The first and the last edge are those of the period, so that nothing outside of it is counted. */
function clipEdges(edges: readonly number[], { fromMs, toMs }: TimeSpan): number[] {
  return edges.map((edge) => Math.min(toMs, Math.max(fromMs, edge)));
}

function toSpans(edges: readonly number[]): TimeSpan[] {
  return edges.slice(0, -1).map((fromMs, at) => ({ fromMs, toMs: edges[at + 1] ?? fromMs }));
}

function emptyParts(): number[] {
  return TIME_PARTS.map(() => 0);
}

function addPart(
  target: { messages: number; requests: number; parts: number[] },
  part: number,
  sum: number,
): void {
  if (part === MESSAGES) target.messages += sum;
  else if (part === REQUESTS) target.requests += sum;
  else target.parts[part] = (target.parts[part] ?? 0) + sum / 1000;
}

function findPlace(spans: readonly TimeSpan[], atMs: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.toMs ?? Infinity) > atMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Adds up the parts by bucket and place. Conversations are laid one after the other on one axis, so that one walk in
 * its order tells at each moment how far what has begun reaches: no request of a conversation reaches into the next one,
 * which begins a microsecond after it.
 * Windows without an order of their own run over the rows as the table has them, which takes a fifth of sorting each
 * conversation by itself. A moment in a window is twice its microseconds on that axis, and one more for outbound
 * records, which come after the message of the same moment; below it stands the number of its place, so that the
 * greatest end has its place with it.
 */
async function sweep(
  connection: DuckDBConnection,
  question: TimesQuestion,
  target: { edges: readonly number[]; times: string; places: string },
): Promise<void> {
  const { scopes, list } = question;
  await connection.run(
    `CREATE TEMP TABLE ${target.places} AS
     SELECT channel, service, row_number() OVER () - 1 AS place
     FROM (SELECT DISTINCT channel, service FROM ${toMembersSql(scopes)} SEMI JOIN ${list} USING (conversation))`,
  );
  await connection.run(
    `CREATE TEMP TABLE ${target.times}
     (bucket BIGINT, is_cut BOOLEAN, part TINYINT, place BIGINT, us BIGINT, squares DOUBLE)`,
  );
  const records = scopes.reduce((sum, scope) => sum + countAtMost(scope), 0);
  const parts = Math.max(1, Math.ceil(records / PART_RECORDS));
  for (let part = 0; part < parts; part += 1)
    await sweepPart(connection, question, { ...target, own: `conversation % ${parts} = ${part}` });
}

/** Adds up the conversations for which a condition holds. */
async function sweepPart(
  connection: DuckDBConnection,
  { scopes, list, known, number }: TimesQuestion,
  {
    edges,
    times,
    places,
    own,
  }: {
    readonly edges: readonly number[];
    readonly times: string;
    readonly places: string;
    readonly own: string;
  },
): Promise<void> {
  const [sessions, events] = [`sessions_${number}`, `events_${number}`];
  const members = toMembersSql(scopes);
  await connection.run(
    `CREATE TEMP TABLE ${sessions} AS
     SELECT *, (sum(end_us - begin_us + 1) OVER (ROWS UNBOUNDED PRECEDING))::BIGINT - end_us - 1 AS shift FROM (
       SELECT conversation, is_cut, min(date_ms * 1000 - coalesce(late_us, 0)) AS begin_us,
         max(date_ms * 1000 + coalesce(took_us, 0)) AS end_us
       FROM ${members}
       JOIN (SELECT conversation, is_cut FROM conversations SEMI JOIN ${list} USING (conversation) WHERE ${own}) AS own
         USING (conversation)
       GROUP BY conversation, is_cut
     )`,
  );
  const [sizes] = await readRows<[number, number]>(
    connection,
    `SELECT (SELECT count(*) FROM ${places}), (SELECT coalesce(sum(end_us - begin_us + 1), 0)::DOUBLE FROM ${sessions})`,
  );
  const [placeCount = 0, lengthUs = 0] = sizes ?? [];
  // The last number is that of no place.
  const span = 2 ** Math.ceil(Math.log2(placeCount + 2));
  const bits = Math.log2(Math.max(1, lengthUs) * 2 * span);
  const type = bits < MAX_PLAIN_BITS ? 'BIGINT' : 'HUGEINT';
  const { outboundGaps: gaps } = known;
  const gapRows = gaps.map(({ fromMs, toMs }) => `(${fromMs * 1000}, ${toMs * 1000})`).join(', ');
  const ofGaps =
    gaps.length === 0
      ? ''
      : `, holes AS (
           SELECT shift, is_cut, end_us, greatest(from_us, begin_us) AS from_us, least(to_us, end_us) AS to_us
           FROM ${sessions} JOIN (VALUES ${gapRows}) AS gap (from_us, to_us)
             ON from_us < end_us AND to_us > begin_us
         )`;
  const gapEvents =
    gaps.length === 0
      ? ''
      : `UNION ALL SELECT (from_us + shift) * 2, from_us // 1000, from_us, end_us, is_cut, ${span - 1}, 'gap', (to_us + shift) * 2 FROM holes
         UNION ALL SELECT (to_us + shift) * 2, to_us // 1000, to_us, end_us, is_cut, ${span - 1}, 'end', NULL FROM holes`;
  const end = (kind: string): string =>
    `CASE WHEN kind = '${kind}' THEN until::${type} * ${span} + place END AS ${kind}`;
  const [first = 0] = edges;
  await connection.run(
    `CREATE TEMP TABLE ${events} AS
     WITH records AS (
       SELECT date_ms, date_ms * 1000 AS at_us, (date_ms * 1000 + shift) * 2 AS v, end_us, is_inbound, is_cut, place,
         coalesce(took_us, 0) AS took_us, coalesce(late_us, 0) AS late_us
       FROM ${members} AS member JOIN ${sessions} USING (conversation)
       JOIN ${places} AS named ON member.channel IS NOT DISTINCT FROM named.channel
         AND member.service IS NOT DISTINCT FROM named.service
     )${ofGaps}, moments AS (
       SELECT v + (NOT is_inbound)::BIGINT AS v, date_ms, at_us, end_us, is_cut, place,
         CASE WHEN is_inbound THEN 'work' ELSE 'ran' END AS kind, v + took_us * 2 AS until FROM records
       UNION ALL SELECT v + took_us * 2, date_ms, at_us + took_us, end_us, is_cut, ${span - 1}, 'end', NULL FROM records WHERE took_us > 0
       UNION ALL SELECT v - late_us * 2, date_ms, at_us - late_us, end_us, is_cut, place, 'late', v FROM records WHERE late_us > 0
       ${gapEvents}
     )
     SELECT CASE WHEN date_ms >= ${first} AND date_ms < ${edges.at(-1) ?? first} THEN ${toBucketSql(edges)} END AS bucket,
       at_us = end_us AS is_last, is_cut, v::${type} * ${span} + place AS moment, ${['work', 'ran', 'late', 'gap'].map(end).join(', ')}
     FROM moments ORDER BY v`,
  );
  const running = (value: string, name: string): string =>
    `max(${value}) OVER (ROWS UNBOUNDED PRECEDING) AS ${name}`;
  const holes = gaps.length === 0 ? 'false' : 'coalesce(gap_until > own, false)';
  const isOf = (until: string): string => `coalesce(${until} > own, false)`;
  await connection.run(
    `INSERT INTO ${times}
     WITH reached AS (
       SELECT bucket, is_last, is_cut, ran, moment // ${span * 2} AS at_us, lead(moment) OVER () AS next,
         (moment // ${span * 2} * 2 + 1) * ${span} + ${span - 1} AS own, ${running('work', 'work_until')},
         ${running('ran', 'ran_until')}, ${running('late', 'late_until')}
         ${gaps.length === 0 ? '' : `, ${running('gap', 'gap_until')}`}
       FROM ${events}
     ), served AS (
       SELECT *, ${running(
         `CASE WHEN ran IS NOT NULL AND work_until > own
            THEN least(ran // ${span}, work_until // ${span}) * ${span} + ran % ${span} END`,
         'served_until',
       )} FROM reached
     ), divided AS (
       SELECT bucket, is_cut, next // ${span * 2} - at_us AS us,
         CASE WHEN ${isOf('served_until')} THEN ${place('service')}
           WHEN ${isOf('work_until')} THEN CASE WHEN ${holes} THEN ${place('unknown')} ELSE ${place('inside')} END
           WHEN ${isOf('late_until')} THEN ${place('before')}
           WHEN ${isOf('ran_until')} THEN ${place('outside')} ELSE ${place('waiting')} END AS part,
         CASE WHEN ${isOf('served_until')} THEN served_until WHEN ${isOf('work_until')} THEN work_until
           WHEN ${isOf('late_until')} THEN late_until WHEN ${isOf('ran_until')} THEN ran_until ELSE next END % ${span} AS place
       FROM served WHERE bucket IS NOT NULL AND NOT is_last AND next // ${span * 2} > at_us
     )
     SELECT bucket, is_cut, part::TINYINT AS part, place::BIGINT AS place, sum(us)::BIGINT AS us,
       sum((us::DOUBLE / 1000) ** 2) AS squares
     FROM divided GROUP BY ALL
     UNION ALL
     SELECT bucket, is_cut, CASE WHEN ran IS NULL THEN ${MESSAGES} ELSE ${REQUESTS} END, (moment % ${span})::BIGINT,
       count(*), 0
     FROM ${events} WHERE bucket IS NOT NULL AND (work IS NOT NULL OR ran IS NOT NULL) GROUP BY ALL`,
  );
  for (const name of [events, sessions]) await connection.run(`DROP TABLE ${name}`);
}

/** The times of each channel or service, those with the most time that was spent on something first. */
async function readPlaces(
  connection: DuckDBConnection,
  field: 'channel' | 'service',
  times: string,
  places: string,
): Promise<PlaceTimes[]> {
  const rows = await readRows<[number | null, number, number]>(
    connection,
    `SELECT ${field}, part, sum(us)::BIGINT FROM ${times} LEFT JOIN ${places} USING (place)
     WHERE NOT is_cut GROUP BY ALL`,
  );
  const found = new Map<number | null, PlaceTimes>();
  for (const [value, part, sum] of rows) {
    const own = found.get(value) ?? { value, messages: 0, requests: 0, parts: emptyParts() };
    found.set(value, own);
    addPart(own, part, sum);
  }
  const toSpent = ({ parts }: PlaceTimes): number =>
    parts.reduce((sum, ms, part) => (part === place('waiting') ? sum : sum + ms), 0);
  return [...found.values()].sort((a, b) => toSpent(b) - toSpent(a));
}

/** The times of each place in each bucket, as what rises is found by. */
async function readTimed(
  connection: DuckDBConnection,
  {
    field,
    listed,
    times,
    places,
    edges,
  }: {
    readonly field: 'channel' | 'service';
    readonly listed: readonly PlaceTimes[];
    readonly times: string;
    readonly places: string;
    readonly edges: readonly number[];
  },
): Promise<TimedPlace[]> {
  const busiest = listed
    .filter(({ value }) => value !== null)
    .sort((a, b) => b.messages + b.requests - a.messages - a.requests)
    .slice(0, MAX_RISING_PLACES);
  if (busiest.length === 0) return [];
  const rows = await readRows<[number, number, number, number, number]>(
    connection,
    `SELECT ${field}, bucket, part, sum(us)::BIGINT, sum(squares) FROM ${times} JOIN ${places} USING (place)
     WHERE NOT is_cut AND ${field} IN (${busiest.map(({ value }) => value).join(', ')}) GROUP BY ALL`,
  );
  const points = new Map<string, { count: number; ms: number; squares: number }[]>();
  const find = (value: number | null, part: number): { count: number; ms: number; squares: number }[] => {
    const key = `${value} ${part}`;
    const own = points.get(key) ?? edges.slice(1).map(() => ({ count: 0, ms: 0, squares: 0 }));
    points.set(key, own);
    return own;
  };
  for (const [value, bucket, part, sum, squares] of rows) {
    // Of messages are the time before and inside, of requests the rest.
    const counted =
      part === MESSAGES ? ['before', 'inside'] : part === REQUESTS ? ['service', 'outside'] : [];
    for (const name of counted) {
      const point = find(value, place(name as TimePart))[bucket];
      if (point !== undefined) point.count += sum;
    }
    if (part >= MESSAGES) continue;
    const point = find(value, part)[bucket];
    if (point === undefined) continue;
    point.ms += sum / 1000;
    point.squares += squares;
  }
  return busiest.flatMap(({ value }) =>
    RISING_PARTS.map((part) => ({ field, value, part, points: find(value, place(part)) })),
  );
}

/** All of it by step, channel and service: what is written to a file. */
function toTableSql({
  table,
  times,
  places,
  edges,
  steps,
}: {
  readonly table: string;
  readonly times: string;
  readonly places: string;
  readonly edges: readonly number[];
  readonly steps: readonly TimeSpan[];
}): string {
  const starts = edges.slice(0, -1).map((edge) => steps[findPlace(steps, edge)]?.fromMs ?? edge);
  const sum = (part: number): string => `coalesce(sum(us) FILTER (NOT is_cut AND part = ${part}), 0)::BIGINT`;
  const parts = TIME_PARTS.map((name, part) => `${sum(part)} / 1000 AS ${name}_ms`);
  return `CREATE TEMP TABLE ${table} AS
    SELECT ([${starts.join(', ')}]::BIGINT[])[bucket + 1] AS from_ms, channel, service,
      ${sum(MESSAGES)} AS messages, ${sum(REQUESTS)} AS requests, ${parts.join(', ')},
      coalesce(sum(us) FILTER (is_cut AND part < ${place('waiting')}), 0)::BIGINT / 1000 AS cut_ms
    FROM ${times} LEFT JOIN ${places} USING (place) GROUP BY ALL
    ORDER BY from_ms, channel NULLS LAST, service NULLS LAST`;
}

/** The columns of TIMES_COLUMNS, in their order. */
export const TIMES_CELLS_SQL = `strftime(epoch_ms(from_ms), '%Y-%m-%dT%H:%M:%S.%gZ'), channel, service, messages, requests,
  ${TIME_PARTS.map((name) => `${name}_ms`).join(', ')}, cut_ms`;
