import { type Static, Type } from 'typebox';
import { Nullable } from '../nullable.ts';
import { type BodyField, MAX_PATH_CHARACTERS } from '../records/body-path.ts';
import { SummaryGroup } from '../records/histogram.ts';
import { GroupField, GroupValue } from './grouping.ts';

/** What two periods are compared by. */
export const COMPARED_MEASURES = ['error-share', 'volume', 'response'] as const;
export type ComparedMeasure = (typeof COMPARED_MEASURES)[number];
/** Which quantile of the response times is compared. */
export const COMPARED_QUANTILES = ['median', 'p95'] as const;
export type ComparedQuantile = (typeof COMPARED_QUANTILES)[number];

/** How sure a difference is, taking into account how many are compared and that a session's requests belong together. */
const DIFFERENCE_CERTAINTIES = [
  /** Chance shows fewer than one in a thousand such differences among those that are called so. */
  'certain',
  /** Fewer than one in twenty; the interval doesn't hold zero. */
  'likely',
  /** Its interval holds zero: there may be no difference. */
  'open',
  /** The side with fewer requests has too few for an interval. */
  'too-few',
  'only-before',
  'only-after',
] as const;
export type DifferenceCertainty = (typeof DIFFERENCE_CERTAINTIES)[number];

const Figure = Nullable(Type.Number());

/** Records of a group in one of the two periods. */
export const ComparedSide = Type.Object({
  count: Type.Integer(),
  /** Those that failed, by the rules of the connection. */
  failures: Type.Integer(),
  /** Sessions and clients that the failed ones hit. */
  failedSessions: Type.Integer(),
  failedClients: Type.Integer(),
  /** With a response time; the times are of these, null where there are none. */
  timed: Type.Integer(),
  averageMs: Figure,
  /** Known of all records together; of a group only where response times are compared. */
  medianMs: Figure,
  p95Ms: Figure,
});
export type ComparedSide = Static<typeof ComparedSide>;

/**
 * Records with the same values in both periods. A share is from 0 to 1; a volume of the earlier period is brought to the
 * length of the later one.
 */
export const ComparedGroup = Type.Object({
  /** Empty for all records, one value for a group, two for a part of one. */
  key: Type.Array(GroupValue),
  before: ComparedSide,
  after: ComparedSide,
  /** Of the measure, after minus before; null where either side has none. */
  difference: Figure,
  /** Its interval: of all that are compared together, at most one in twenty misses what it says. */
  interval: Nullable(Type.Object({ low: Type.Number(), high: Type.Number() })),
  certainty: Type.Enum([...DIFFERENCE_CERTAINTIES]),
  /**
   * The part that the group has in the change of all: of the share, of the volume, or of the average response time. The
   * parts of all groups add up to it.
   */
  contribution: Figure,
  /** Its own figure changed, and its part of all requests did: they add up to `contribution`. Null for a volume. */
  rate: Figure,
  mix: Figure,
});
export type ComparedGroup = Static<typeof ComparedGroup>;

/** Two periods, compared group by group. */
export const Comparison = Type.Object({
  total: ComparedGroup,
  /** Groups of the first field, those that contribute most first. */
  groups: Type.Array(ComparedGroup),
  /** Their parts by the second field, in the same order; none without one. */
  parts: Type.Array(ComparedGroup),
  /** Groups and parts beyond the most that are listed. */
  unlistedCount: Type.Integer(),
});
export type Comparison = Static<typeof Comparison>;

/** Fewer records than that, inside or outside of the selection, tell nothing. */
export const MIN_EXPLAINED = 20;

/**
 * How sure it is that two groups of records differ, if sessions come independently of each other: of all differences that
 * are called `certain`, chance would show at most one in a thousand, of those that are at least `probable` one in twenty;
 * else `chance`.
 */
export const Certainty = Type.Enum(['certain', 'probable', 'chance']);
export type Certainty = Static<typeof Certainty>;

/**
 * What of a body is compared: the type of what is at a path, the length of a text in characters, or how many elements an
 * array has. A length is the power of two that it is at least, and below twice that.
 */
export const BodyMeasure = Type.Enum(['type', 'length', 'elements']);
export type BodyMeasure = Static<typeof BodyMeasure>;
/** A path in a body, or a whole body. */
export type BodyTermField = BodyField | 'payload' | 'response';
const BodyTermField = Type.Unsafe<BodyTermField>(
  Type.String({
    pattern: String.raw`^(?:(?:payload|response|other)(?:$|[.\[])|own\.)`,
    maxLength: MAX_PATH_CHARACTERS,
  }),
);

/** A field and its value, null for none; of a body with `measure` what it is of the value. */
const Term = Type.Object({
  field: Type.Union([GroupField, BodyTermField]),
  value: GroupValue,
  measure: Type.Optional(BodyMeasure),
});
export type ExplainedTerm = Static<typeof Term>;
const Interval = Type.Object({ low: Type.Number(), high: Type.Number() });

/** A value of a field, or two that occur together, in the selection and in the rest. */
export const ExplainedValue = Type.Object({
  terms: Type.Array(Term),
  /** Records of the selection, and of the rest, that have it. */
  inside: Type.Integer(),
  outside: Type.Integer(),
  /** Sessions and clients of the records inside. */
  sessionCount: Type.Integer(),
  clientCount: Type.Integer(),
  /** Of the difference of shares, inside minus outside: wide enough for all that was looked at. */
  difference: Interval,
  certainty: Certainty,
  /** Of what was found in bodies: records of either side that were read, which the counts are of. */
  among: Type.Optional(Type.Object({ inside: Type.Integer(), outside: Type.Integer() })),
});
export type ExplainedValue = Static<typeof ExplainedValue>;

const Times = Type.Object({ count: Type.Integer(), medianMs: Figure, p95Ms: Figure });

/** Times inside and outside of the selection; the certainty is that the medians differ, null with too few times. */
export const ExplainedTimes = Type.Object({
  inside: Times,
  outside: Times,
  certainty: Nullable(Certainty),
});
export type ExplainedTimes = Static<typeof ExplainedTimes>;

/** What sets a selection apart from the rest. */
export const Explanation = Type.Object({
  /** Records of the selection, and of the rest. */
  insideCount: Type.Integer(),
  outsideCount: Type.Integer(),
  /** Sessions and clients that the records of the selection are of. */
  sessionCount: Type.Integer(),
  clientCount: Type.Integer(),
  /** The surest first; then what is more frequent, the largest difference first. None with too few records. */
  values: Type.Array(ExplainedValue),
  /** Values, and pairs of them, that were looked at; the certainty of each takes it into account. */
  lookedAt: Type.Integer(),
  /** Records of either side whose bodies were read; null where none were to be. */
  bodiesRead: Nullable(Type.Object({ inside: Type.Integer(), outside: Type.Integer() })),
  response: ExplainedTimes,
  botLatency: ExplainedTimes,
});
export type Explanation = Static<typeof Explanation>;

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
