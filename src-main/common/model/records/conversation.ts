import { type Static, Type } from 'typebox';
import { Outcome } from '../../reporting/outcome.ts';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { DAY_MS, MINUTE_MS } from '../../time/durations.ts';
import type { TimeSpan } from '../../time/time-span.ts';
import { Nullable } from '../nullable.ts';

/**
 * A conversation is everything of one session Id, in both directions, in the clear order of its dates: records without an
 * Id or a readable date belong to none. What became of it is one of these, and the first that holds counts:
 *
 * 1. `unknown`: a moment of either direction is not cached that the conversation may have reached, so that a message of it
 *    may be missing. It may reach MAX_PAUSE_MS beyond its first and its last known moment.
 * 2. `waiting`: it was going on at the newest moment that is known, less than MAX_PAUSE_MS after its last one. That moment
 *    is the end of what is cached, never the computer's clock.
 * 3. `lost`: for one of its kinds of requests the last one failed, by the outcome rules of the connection. A kind is a
 *    direction and a service; what is sent through the channel is apart from what is requested of a service, since an
 *    apology that arrives does not make a failed order succeed.
 * 4. `unknown` again: for one of its kinds the rules don't say whether the last request failed.
 * 5. `recovered`: something failed, and each time one of the same kind succeeded later. An expected answer is a success.
 *    Dates may be whole seconds: of a failure and a success at the same moment the success counts.
 * 6. `fine`: nothing failed.
 *
 * It belongs to every period in which it goes on, whole: what it said up to CONVERSATION_MARGIN_MS before and after is
 * counted too, and is not cut at the edges of the period. One that reaches beyond that is `unknown`.
 */
export const CONVERSATION_OUTCOMES = ['lost', 'recovered', 'unknown', 'waiting', 'fine'] as const;
export type ConversationOutcome = (typeof CONVERSATION_OUTCOMES)[number];

/** Platforms end a session after a shorter silence. */
export const MAX_PAUSE_MS = 30 * MINUTE_MS;
/** Messaging channels close a conversation after a day. */
export const CONVERSATION_MARGIN_MS = DAY_MS;

/**
 * What the longest single time of a conversation was spent on: before a message reached the connector, in a service, on
 * sending through the channel, or in the connector. The time of an inbound request holds that of the requests made for it:
 * it counts only where all of them together took less than half of it.
 */
export const SLOWEST_PARTS = ['before', 'service', 'sending', 'connector'] as const;
export type SlowestPart = (typeof SLOWEST_PARTS)[number];

/** What is known of both directions around a period. */
export interface KnownTime {
  /** Where conversations are looked for. */
  readonly span: TimeSpan;
  /** Moments of it that are not cached in one of the directions, in order, apart. */
  readonly gaps: readonly TimeSpan[];
  /** Moments of it of which outbound records are not cached, the end of what is known included. */
  readonly outboundGaps: readonly TimeSpan[];
  /** The newest moment that is known; null where nothing is known of one of the directions. */
  readonly untilMs: number | null;
}

/** Returns where the conversations of a period are looked for. */
export function toConversationSpan({ fromMs, toMs }: TimeSpan): TimeSpan {
  return { fromMs: fromMs - CONVERSATION_MARGIN_MS, toMs: toMs + CONVERSATION_MARGIN_MS };
}

/**
 * Returns what is known of both directions from what was read of each, inbound first, in order. A direction that is followed may be behind
 * the other one: up to MAX_PAUSE_MS that is no gap, and both are known up to the end of the one behind.
 */
export function toKnownTime(span: TimeSpan, read: readonly (readonly TimeSpan[])[]): KnownTime {
  const ends = read.map((spans) => spans.at(-1)?.toMs ?? null);
  const outboundGaps = listBetween(read[1] ?? [], span.fromMs, span.toMs);
  if (ends.length === 0 || ends.includes(null)) return { span, gaps: [span], outboundGaps, untilMs: null };
  const known = ends.filter((end) => end !== null);
  const [first, last] = [Math.min(...known), Math.max(...known)];
  const untilMs = last - first <= MAX_PAUSE_MS ? first : last;
  const lacking = read.flatMap((spans) => listBetween(spans, span.fromMs, untilMs));
  return { span, gaps: join(lacking), outboundGaps, untilMs };
}

/** What lies between spans of [fromMs, toMs). */
function listBetween(spans: readonly TimeSpan[], fromMs: number, toMs: number): TimeSpan[] {
  const gaps: TimeSpan[] = [];
  let sinceMs = fromMs;
  for (const span of spans) {
    if (span.fromMs > sinceMs) gaps.push({ fromMs: sinceMs, toMs: Math.min(span.fromMs, toMs) });
    sinceMs = Math.max(sinceMs, span.toMs);
  }
  if (sinceMs < toMs) gaps.push({ fromMs: sinceMs, toMs });
  return gaps.filter((gap) => gap.toMs > gap.fromMs);
}

function join(spans: readonly TimeSpan[]): TimeSpan[] {
  const joined: TimeSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (last === undefined || span.fromMs > last.toMs) joined.push(span);
    else joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) };
  }
  return joined;
}

/**
 * The spans in which no moment of a conversation may lie, from its first to its last, without it being `unknown`: gaps and
 * what lies outside of the span looked at, each with the longest pause around it.
 */
export function listDoubts({ span, gaps, untilMs }: KnownTime): TimeSpan[] {
  // What is known reaches further than what is looked at.
  const isCut = untilMs !== null && untilMs >= span.toMs;
  const outside = [
    { fromMs: -Number.MAX_SAFE_INTEGER / 2, toMs: span.fromMs },
    ...(isCut ? [{ fromMs: span.toMs, toMs: Number.MAX_SAFE_INTEGER / 2 }] : []),
  ];
  return join(
    [...outside, ...gaps].map(({ fromMs, toMs }) => ({
      fromMs: fromMs - MAX_PAUSE_MS,
      toMs: toMs + MAX_PAUSE_MS,
    })),
  );
}

/** The longest list of moments of a conversation, the oldest ones. */
export const MAX_TICKS = 60;

/** One conversation. */
export const Conversation = Type.Object({
  sessionId: Type.String(),
  /** The dates of its first and its last request. */
  firstMs: Type.Integer(),
  lastMs: Type.Integer(),
  /** When its last request ended, as far as records say how long they took. */
  endMs: Type.Number(),
  channels: Type.Array(Type.Integer()),
  services: Type.Array(Type.Integer()),
  /** The first client that it names; may be empty. */
  client: Type.String(),
  inbound: Type.Integer(),
  outbound: Type.Integer(),
  failures: Type.Integer(),
  outcome: Type.Enum([...CONVERSATION_OUTCOMES]),
  /** Null where no request says how long it took. */
  slowestPart: Nullable(Type.Enum([...SLOWEST_PARTS])),
  slowestMs: Nullable(Type.Number()),
  /** The service of a slowest part that is one. */
  slowestService: Nullable(Type.Integer()),
  /** The first request that failed: its error, cut at 300 characters, and its family; null for none. */
  firstError: Nullable(
    Type.Object({ text: Type.String(), family: Type.String(), code: Nullable(Type.Integer()) }),
  ),
  /** Whether its newest message of the client failed, with nothing sent to the client after it. */
  isUnanswered: Type.Boolean(),
  /** Its first requests, at most MAX_TICKS: date, direction, and whether it failed. */
  ticks: Type.Array(
    Type.Object({ atMs: Type.Integer(), isInbound: Type.Boolean(), isFailed: Type.Boolean() }),
  ),
});
export type Conversation = Static<typeof Conversation>;

export const CONVERSATION_SORTS = [
  'start',
  'length',
  'outcome',
  'channel',
  'service',
  'client',
  'messages',
  'failures',
  'slowest',
] as const;

/** What the list is sorted by; conversations that are equal in it follow each other by their start. */
export const ConversationOrder = Type.Object({
  column: Type.Enum([...CONVERSATION_SORTS]),
  descending: Type.Boolean(),
});
export type ConversationOrder = Static<typeof ConversationOrder>;

const OutcomeCount = Type.Object({ outcome: Type.Enum([...CONVERSATION_OUTCOMES]), count: Type.Integer() });
const NumberCount = Type.Object({ value: Nullable(Type.Integer()), count: Type.Integer() });

/** Values of conversations with how many have each, those of the most first. */
export const ConversationFacets = Type.Object({
  channels: Type.Array(NumberCount),
  /** A conversation may have several. */
  services: Type.Array(NumberCount),
  /** Families of first errors; empty for failures without a text. */
  errors: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() })),
  slowest: Type.Array(Type.Object({ value: Type.Enum([...SLOWEST_PARTS]), count: Type.Integer() })),
});
export type ConversationFacets = Static<typeof ConversationFacets>;

/** A list of conversations that is open. */
export const OpenedConversations = Type.Object({
  viewId: Type.String(),
  rowCount: Type.Integer(),
  /** Conversations of the period, whatever the filter. */
  totalCount: Type.Integer(),
  /** Of those that match the filter, whatever outcomes are chosen; in the order of CONVERSATION_OUTCOMES. */
  outcomes: Type.Array(OutcomeCount),
  facets: ConversationFacets,
  /** The newest moment that is known of both directions; null for none. */
  knownUntilMs: Nullable(Type.Integer()),
});
export type OpenedConversations = Static<typeof OpenedConversations>;

/** Whom it hurt: clients of conversations by outcome, each client once in each. */
export const ConversationClients = Type.Array(OutcomeCount);

/**
 * What the time of conversations was spent on, each moment once; of those that hold the first counts. It is what the
 * screen of a session says of one:
 *
 * 1. `service`: a request ran that began while a message was worked on, and that message still was.
 * 2. `unknown`: a message was worked on, and outbound records of that moment are not cached.
 * 3. `inside`: a message was worked on.
 * 4. `before`: a message was on its way to the connector.
 * 5. `outside`: an outbound request ran beside all that.
 * 6. `waiting`: nothing ran between the first and the last moment.
 *
 * A moment belongs to the channel and the service of the message or request that it was spent on, of several at once to
 * the one that ends last; one of waiting to what came next. It is counted at the date of the record with whose begin or
 * end it began. No request counts as longer than a day.
 */
export const TIME_PARTS = ['before', 'inside', 'service', 'unknown', 'outside', 'waiting'] as const;
export type TimePart = (typeof TIME_PARTS)[number];

/** The parts whose length tells whether something became slow. */
export const RISING_PARTS = ['before', 'inside', 'service', 'outside'] as const satisfies readonly TimePart[];

const figures = {
  /** Inbound records. */
  messages: Type.Integer(),
  /** Outbound ones. */
  requests: Type.Integer(),
  /** Milliseconds of each part, in the order of TIME_PARTS. */
  parts: Type.Array(Type.Number()),
};

/** The time of a channel or a service; null of records without one. */
export const PlaceTimes = Type.Object({ value: Nullable(Type.Integer()), ...figures });
export type PlaceTimes = Static<typeof PlaceTimes>;

/** The time that began between two moments. */
export const StepTimes = Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer(), ...figures });
export type StepTimes = Static<typeof StepTimes>;

/** A place whose time for each message, or for each request, rose above what it was in the period before. */
export const TimeRise = Type.Object({
  field: Type.Enum(['channel', 'service']),
  value: Nullable(Type.Integer()),
  part: Type.Enum([...RISING_PARTS]),
  fromMs: Type.Integer(),
  /** When it was over; null where it goes on at the end of the period. */
  toMs: Nullable(Type.Integer()),
  /** Of each message or request, on average: before, and while it lasted. */
  usualMs: Type.Number(),
  risenMs: Type.Number(),
  /** Messages or requests while it lasted. */
  count: Type.Integer(),
});
export type TimeRise = Static<typeof TimeRise>;

/** Where the time of conversations went, as far as they are cached whole, in a period. */
export const ConversationTimes = Type.Object({
  /** Conversations that are counted. */
  conversations: Type.Integer(),
  ...figures,
  /** Of those that may have a part that isn't cached: they are in no other figure. */
  cut: Type.Object({ conversations: Type.Integer(), ms: Type.Number() }),
  /** Those with the most time first, waiting left aside; MAX_TIMED_PLACES at most. */
  channels: Type.Array(PlaceTimes),
  services: Type.Array(PlaceTimes),
  /** Hours of the period, or days of a long one, as the clock of the zone has them. */
  steps: Type.Array(StepTimes),
  /** What became slow, the first first; empty for nothing. */
  rises: Type.Array(TimeRise),
  /** All of it by time, channel and service, for `exports/start-result`. */
  resultId: Type.String(),
  rowCount: Type.Integer(),
});
export type ConversationTimes = Static<typeof ConversationTimes>;

export const MAX_TIMED_PLACES = 100;

/** The longest session id that can be asked for. */
export const MAX_SESSION_ID_CHARACTERS = 200;
/** Requests of one session that are read at most; the oldest ones. */
export const MAX_SESSION_REQUESTS = 10_000;

/** One request of a session. Texts are cut at 300 characters. */
export const SessionRequest = Type.Object({
  direction: Type.Enum(DIRECTIONS),
  snapshotId: Type.Integer(),
  seq: Type.Integer(),
  dateMs: Type.Integer(),
  responseTimeMs: Nullable(Type.Number()),
  /** Null for outbound requests. */
  botLatencyMs: Nullable(Type.Number()),
  responseCode: Nullable(Type.Integer()),
  outcome: Outcome,
  /** Null for inbound requests. */
  actionId: Nullable(Type.String()),
  channel: Nullable(Type.Integer()),
  service: Nullable(Type.Integer()),
  client: Type.String(),
  error: Type.String(),
  /** The text in its payload, or else its beginning; only where a window asks, and its record is still cached. */
  payloadPreview: Type.Optional(Type.String()),
});
export type SessionRequest = Static<typeof SessionRequest>;

const DirectionCount = Type.Object({ requests: Type.Integer(), failures: Type.Integer() });

/** Everything cached of a session, each request once. */
export const Session = Type.Object({
  /** The requests that have a date, oldest first. */
  requests: Type.Array(SessionRequest),
  /** All that are cached, and those that failed. */
  inbound: DirectionCount,
  outbound: DirectionCount,
  /** Requests without a readable date: they have no place in time. */
  undatedCount: Type.Integer(),
  /** The first and the last date; null where no request has one. */
  firstMs: Nullable(Type.Integer()),
  lastMs: Nullable(Type.Integer()),
  /** When the last request ended, of those whose end is known: dates and response times; null where none is. */
  endMs: Nullable(Type.Number()),
  /** Requests with a date and without a response time: when they ended isn't known. */
  untimedCount: Type.Integer(),
});
export type Session = Static<typeof Session>;
