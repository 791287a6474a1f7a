import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

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
