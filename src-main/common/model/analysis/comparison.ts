import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';
import { GroupValue } from './grouping.ts';

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
