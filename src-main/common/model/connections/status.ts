import { Type, type Static } from 'typebox';
import { TrafficGroup } from '../../reporting/wire-documents.ts';
import { Nullable } from '../nullable.ts';

/**
 * How the platform or the connector is. What the service reported is kept apart from what could not be reached or
 * was not checked (decision 28); `unknown`: the service refused the request, or reported neither up nor down.
 */
export const HealthState = Type.Union([
  Type.Literal('up'),
  Type.Literal('down'),
  Type.Literal('unknown'),
  Type.Literal('unreachable'),
  Type.Literal('not-checked'),
]);
export type HealthState = Static<typeof HealthState>;

/** What of a status is none of its fields, or could not be read. */
export const StatusExtra = Type.Object({
  /** The JSON of each as received, by the names on the way to it, such as `Connector.Reason`. */
  fields: Type.Record(Type.String(), Type.String()),
  /** How many more there were than are kept. */
  leftOut: Type.Integer(),
});
export type StatusExtra = Static<typeof StatusExtra>;

/** One poll of the tenant status. */
export const StatusSample = Type.Object({
  connectionId: Type.String(),
  checkedAtMs: Type.Integer(),
  roundTripMs: Nullable(Type.Integer()),
  platform: HealthState,
  connector: HealthState,
  internalResponseTimeMs: Nullable(Type.Number()),
  sessions: Nullable(Type.Integer()),
  traffic: Type.Array(TrafficGroup),
  /** Traffic information that is plain text, or holds more than groups: as it came, at most 10,000 characters. */
  trafficText: Type.String(),
  /** Left out where the service said nothing else. */
  extra: Type.Optional(StatusExtra),
  /** Error code of a request that failed. */
  failure: Nullable(Type.String()),
});
export type StatusSample = Static<typeof StatusSample>;

/** One tick of the history strip. */
export const StatusTick = Type.Object({
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
  /** `partly`: both up and down were seen. */
  platform: Type.Union([HealthState, Type.Literal('partly')]),
  connector: Type.Union([HealthState, Type.Literal('partly')]),
  /** Average of the samples in the tick. */
  internalResponseTimeMs: Nullable(Type.Number()),
});
export type StatusTick = Static<typeof StatusTick>;

/** How long the service said `up`, of the time that its answers speak for. */
export const Uptime = Type.Object({
  /** 0 to 1. */
  share: Type.Number(),
  /** Time that is known: an answer speaks for two minutes at most, or until the next check. */
  seenMs: Type.Integer(),
  /** The first answer of the span. */
  sinceMs: Type.Integer(),
});
export type Uptime = Static<typeof Uptime>;

/** For how long a state has lasted, as far as it was seen. */
export const StateSpan = Type.Object({
  /** The first sample of the state, after which no other one was seen. */
  sinceMs: Type.Integer(),
  /** Time since then that is known, as for `Uptime`. */
  seenMs: Type.Integer(),
});
export type StateSpan = Static<typeof StateSpan>;

/** A time in which samples said the same. */
export const OutageSpan = Type.Object({
  /** The first sample that said so. */
  sinceMs: Type.Integer(),
  /** The sample that no longer did, or until when the last one speaks where none came soon. */
  untilMs: Type.Integer(),
  /** The newest sample says so; of what the service reports, the newest that it responded to. */
  isOngoing: Type.Boolean(),
});
export type OutageSpan = Static<typeof OutageSpan>;

/** A time in which the service reported a part as down. */
export const DownSpan = Type.Object({
  part: Type.Union([Type.Literal('platform'), Type.Literal('connector')]),
  ...OutageSpan.properties,
});
export type DownSpan = Static<typeof DownSpan>;

/** What was measured of a connection's status over a span that ends now. */
export const StatusFigures = Type.Object({
  spanMs: Type.Integer(),
  /** Null as long as no answer has said `up` or `down` for a time. */
  platform: Nullable(Uptime),
  connector: Nullable(Uptime),
  medianResponseTimeMs: Nullable(Type.Number()),
  /** Time for which answers with an internal response time speak. */
  responseSeenMs: Type.Integer(),
});
export type StatusFigures = Static<typeof StatusFigures>;

/** The status of a connection with its recent past. */
export const StatusHistory = Type.Object({
  /** The newest sample, also a failed one. */
  latest: Nullable(StatusSample),
  /** The newest sample that holds a report of the service. */
  lastAnswered: Nullable(StatusSample),
  ticks: Type.Array(StatusTick),
  /** The present state of each, as far back as samples go. */
  platformState: Nullable(StateSpan),
  connectorState: Nullable(StateSpan),
  /** Oldest first. */
  downSpans: Type.Array(DownSpan),
  /** Times in which the service could not be reached, oldest first. */
  unreachableSpans: Type.Array(OutageSpan),
  /** Null as long as no answer has said `up` or `down` for a time. */
  platformUptime: Nullable(Uptime),
  connectorUptime: Nullable(Uptime),
  medianResponseTimeMs: Nullable(Type.Number()),
  maxResponseTimeMs: Nullable(Type.Number()),
});
export type StatusHistory = Static<typeof StatusHistory>;
