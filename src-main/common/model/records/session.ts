import { Type, type Static } from 'typebox';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { Outcome } from '../../reporting/outcome.ts';
import { Nullable } from '../nullable.ts';

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
