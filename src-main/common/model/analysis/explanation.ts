import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';
import { GroupField, GroupValue } from './grouping.ts';

/** Fewer records than that, inside or outside of the selection, tell nothing. */
export const MIN_EXPLAINED = 20;

/**
 * How sure it is that two groups of records differ, if sessions come independently of each other: of all differences that
 * are called `certain`, chance would show at most one in a thousand, of those that are at least `probable` one in twenty;
 * else `chance`.
 */
export const Certainty = Type.Enum(['certain', 'probable', 'chance']);
export type Certainty = Static<typeof Certainty>;

const Term = Type.Object({ field: GroupField, value: GroupValue });
const Interval = Type.Object({ low: Type.Number(), high: Type.Number() });
const Figure = Nullable(Type.Number());

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
  response: ExplainedTimes,
  botLatency: ExplainedTimes,
});
export type Explanation = Static<typeof Explanation>;
