import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';
import { SummaryGroup } from '../records/summary.ts';

/** Why the two summaries of a period can't be compared. */
const OBSTACLES = [
  /** The service sent inbound groups for the outbound summary (decision 11). */
  'inbound-only',
  /** The reported summary was not read to its end. */
  'summary-incomplete',
  'nothing-cached',
  /** Spans of the period are not cached, or only in part. */
  'gaps',
  /** The cache ends before the period does. */
  'cached-until',
] as const;
export type Obstacle = (typeof OBSTACLES)[number];

/** What can make the figures of a group differ. */
const DIFFERENCE_REASONS = [
  /** Cached records dated after the summary was fetched. */
  'later-records',
  /** The records were fetched before the summary was, and before the period had settled. */
  'fetched-earlier',
  /** The summary was fetched before the period had settled. */
  'not-settled',
  /** Cached records in the first or last second of the period, which the service may count otherwise (decision 5). */
  'first-second',
  'last-second',
  /** Cached records whose date can't be read: they count for the period that they were fetched for. */
  'undated',
  /** The service reported the group in several pieces, which are joined. */
  'reported-twice',
  /** Values that could not be read as what they should be. */
  'unread-values',
  /** Entries that could not be read as records. */
  'set-aside',
  /** Cached records without the figure, which the average leaves out. */
  'untimed',
  'gaps',
] as const;
export type DifferenceReason = (typeof DIFFERENCE_REASONS)[number];

/** A figure that both sides have and that is not the same. */
const DifferingFigure = Type.Object({
  name: Type.Enum(['count', 'averageResponseTimeMs', 'averageBotLatencyMs']),
  reported: Nullable(Type.Number()),
  computed: Nullable(Type.Number()),
});

/** A group of which some figure differs. */
const DifferingGroup = Type.Object({
  channel: SummaryGroup.properties.channel,
  service: SummaryGroup.properties.service,
  origin: SummaryGroup.properties.origin,
  responseCode: SummaryGroup.properties.responseCode,
  figures: Type.Array(DifferingFigure),
  /** `count`: records, entries or pieces that it is about; null where that is not known. */
  reasons: Type.Array(
    Type.Object({
      code: Type.Enum([...DIFFERENCE_REASONS]),
      count: Nullable(Type.Integer()),
    }),
  ),
  /** The reasons make up the difference to the record; otherwise they are what may have contributed. */
  isExplained: Type.Boolean(),
});
export type DifferingGroup = Static<typeof DifferingGroup>;

/** A summary that the service reported against the one computed from the cached records of its period. */
export const Reconciliation = Type.Object({
  snapshotId: Type.Integer(),
  /** `matches` only where everything was compared and everything is equal. */
  verdict: Type.Enum(['matches', 'differs', 'not-comparable']),
  /** Null unless the two can't be compared. */
  obstacle: Nullable(Type.Enum([...OBSTACLES])),
  /** When the summary was fetched, and the newest of the records. */
  reportedAtMs: Type.Integer(),
  cachedAtMs: Nullable(Type.Integer()),
  groupCount: Type.Integer(),
  /** Those with the largest difference of counts first, at most 500. */
  differences: Type.Array(DifferingGroup),
  differenceCount: Type.Integer(),
  /** Spans that are not cached, or only in part; the first 20. */
  gaps: Type.Array(Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() })),
  missingMs: Type.Integer(),
  /** Averages that differ by no more are equal: the service rounds them. In milliseconds. */
  tolerances: Type.Object({ averageResponseTimeMs: Type.Number(), averageBotLatencyMs: Type.Number() }),
});
export type Reconciliation = Static<typeof Reconciliation>;
