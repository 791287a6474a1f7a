import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';
import { MAX_PATH_CHARACTERS, type BodyField } from '../records/body-path.ts';
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
