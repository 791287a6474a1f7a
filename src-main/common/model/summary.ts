import { Type, type Static } from 'typebox';

/** One group of a summary. Averages in milliseconds, weighted by `count` wherever groups are joined. */
export const SummaryGroup = Type.Object({
  channel: Type.Union([Type.Integer(), Type.Null()]),
  service: Type.Union([Type.Integer(), Type.Null()]),
  /** Inbound only. */
  origin: Type.Union([Type.String(), Type.Null()]),
  responseCode: Type.Union([Type.Integer(), Type.Null()]),
  count: Type.Integer(),
  averageResponseTimeMs: Type.Union([Type.Number(), Type.Null()]),
  /** Inbound only. */
  averageBotLatencyMs: Type.Union([Type.Number(), Type.Null()]),
  /** Session of the newest request in the group; shown, never relied upon (decision 12). */
  sessionId: Type.String(),
});
export type SummaryGroup = Static<typeof SummaryGroup>;

/** A summary, either as the service reported it or computed from cached detail records. */
export const Summary = Type.Object({
  source: Type.Union([Type.Literal('reported'), Type.Literal('computed')]),
  snapshotId: Type.Integer(),
  groups: Type.Array(SummaryGroup),
  requestCount: Type.Integer(),
});
export type Summary = Static<typeof Summary>;
