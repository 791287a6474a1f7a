import { Type, type Static } from 'typebox';
import { SUMMARY_VALUES } from '../../reporting/field-values.ts';
import { Nullable } from '../nullable.ts';

/**
 * One group of a summary; fields that its report lacks are null. Averages in milliseconds, weighted by
 * `count` wherever groups are joined. `sessionId` is shown, never relied upon (decision 12).
 */
export const SummaryGroup = Type.Object({
  ...SUMMARY_VALUES,
  /** Of a group that the service reported: what is no field of the report, or could not be read; see `RecordDetail`. */
  extra: Type.Optional(Type.Record(Type.String(), Type.String())),
});
export type SummaryGroup = Static<typeof SummaryGroup>;

/** A summary, either as the service reported it or computed from cached detail records. */
export const Summary = Type.Object({
  source: Type.Union([Type.Literal('reported'), Type.Literal('computed')]),
  /** The snapshot that it is of; null when it was computed over a period. */
  snapshotId: Nullable(Type.Integer()),
  groups: Type.Array(SummaryGroup),
  requestCount: Type.Integer(),
  /** How long the service says that its query took, all pages together; only of what it reported. */
  executionTimeMs: Type.Optional(Nullable(Type.Number())),
});
export type Summary = Static<typeof Summary>;
