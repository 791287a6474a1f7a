import { Type, type Static } from 'typebox';
import { GROUP_FIELDS, GroupValue, type GroupField } from '../analysis/grouping.ts';
import { Nullable } from '../nullable.ts';
import { MAX_PATH_CHARACTERS, type BodyField } from './body-path.ts';
import { CodeClass, TimeBucket } from './record.ts';

/** Fields whose values can have series of their own. What became of the requests is divided by class. */
export type SplitField = Exclude<GroupField, 'outcome'>;
export const SPLIT_FIELDS: readonly SplitField[] = GROUP_FIELDS.filter((field) => field !== 'outcome');

/** What the records of each bucket are divided by: their class, or the values of a field or of a path with one value. */
export type HistogramSplit = 'class' | SplitField | BodyField;
/** Fields, and last any path. */
export const SPLIT_OPTIONS = [
  ...(['class', ...SPLIT_FIELDS] as const).map((field) => Type.Literal(field)),
  Type.String({
    pattern: String.raw`^(?:(?:payload|response|other)[.\[]|own\.)`,
    maxLength: MAX_PATH_CHARACTERS,
  }),
];
export const HistogramSplit = Type.Unsafe<HistogramSplit>(Type.Union(SPLIT_OPTIONS));

/** Values with a series of their own; the rest share one. */
export const MAX_HISTOGRAM_VALUES = 10;

/** Records that are counted together: of a code class, of one value (null: of none), or of all other values. */
export const HistogramSeries = Type.Union([
  Type.Object({ kind: Type.Literal('class'), codeClass: CodeClass }),
  Type.Object({ kind: Type.Literal('value'), value: GroupValue }),
  Type.Object({ kind: Type.Literal('others'), valueCount: Type.Integer() }),
]);
export type HistogramSeries = Static<typeof HistogramSeries>;

export const HistogramBucket = Type.Object({
  /** Its counts are in the order of the series. */
  ...TimeBucket.properties,
  /** Of the response times, or those asked for; null where no record has one, and where it was not asked for. */
  medianResponseMs: Nullable(Type.Number()),
});
export type HistogramBucket = Static<typeof HistogramBucket>;

/**
 * Records over time. The series of a split by class are all classes; others begin with the most frequent value, and end
 * with all other values and with none.
 */
export const Histogram = Type.Object({
  split: HistogramSplit,
  series: Type.Array(HistogramSeries),
  buckets: Type.Array(HistogramBucket),
});
export type Histogram = Static<typeof Histogram>;
