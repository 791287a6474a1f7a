import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';
import { CodeClass, TimeBucket } from './record.ts';

/** What the records of each bucket are divided by. */
export const HistogramSplit = Type.Union([
  Type.Literal('class'),
  Type.Literal('channel'),
  Type.Literal('service'),
]);
export type HistogramSplit = Static<typeof HistogramSplit>;

/** Values with a series of their own; the rest share one. */
export const MAX_HISTOGRAM_VALUES = 6;

/** Records that are counted together: of a code class, of one value (null: of none), or of all other values. */
export const HistogramSeries = Type.Union([
  Type.Object({ kind: Type.Literal('class'), codeClass: CodeClass }),
  Type.Object({ kind: Type.Literal('value'), value: Nullable(Type.Integer()) }),
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

/** Records over time. The series of a split by class are all classes; others begin with the most frequent value. */
export const Histogram = Type.Object({
  split: HistogramSplit,
  series: Type.Array(HistogramSeries),
  buckets: Type.Array(HistogramBucket),
});
export type Histogram = Static<typeof Histogram>;
