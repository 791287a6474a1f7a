import { Type, type Static } from 'typebox';
import { TrafficGroup } from '../reporting/wire-schemas.ts';

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

/** One poll of the tenant status. */
export const StatusSample = Type.Object({
  connectionId: Type.String(),
  checkedAtMs: Type.Integer(),
  roundTripMs: Type.Union([Type.Integer(), Type.Null()]),
  platform: HealthState,
  connector: HealthState,
  internalResponseTimeMs: Type.Union([Type.Number(), Type.Null()]),
  sessions: Type.Union([Type.Integer(), Type.Null()]),
  traffic: Type.Array(TrafficGroup),
  /** Traffic information that is plain text. */
  trafficText: Type.String(),
  /** Error code of a request that failed. */
  failure: Type.Union([Type.String(), Type.Null()]),
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
  internalResponseTimeMs: Type.Union([Type.Number(), Type.Null()]),
});
export type StatusTick = Static<typeof StatusTick>;

/** The status of a connection with its recent past. */
export const StatusHistory = Type.Object({
  /** The newest sample, also a failed one. */
  latest: Type.Union([StatusSample, Type.Null()]),
  /** The newest sample that holds a report of the service. */
  lastAnswered: Type.Union([StatusSample, Type.Null()]),
  ticks: Type.Array(StatusTick),
  /** When the present state of each began, as far back as samples go. */
  platformSinceMs: Type.Union([Type.Integer(), Type.Null()]),
  connectorSinceMs: Type.Union([Type.Integer(), Type.Null()]),
  /** Share of `up` among the samples that are up or down, 0 to 1; null without such samples. */
  platformUptime: Type.Union([Type.Number(), Type.Null()]),
  connectorUptime: Type.Union([Type.Number(), Type.Null()]),
  medianResponseTimeMs: Type.Union([Type.Number(), Type.Null()]),
  maxResponseTimeMs: Type.Union([Type.Number(), Type.Null()]),
});
export type StatusHistory = Static<typeof StatusHistory>;
