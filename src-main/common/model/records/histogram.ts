import { type Static, Type } from 'typebox';
import { SUMMARY_VALUES } from '../../reporting/field-names.ts';
import { GROUP_FIELDS, type GroupField, GroupValue } from '../analysis/grouping.ts';
import { Nullable } from '../nullable.ts';
import { type BodyField, MAX_PATH_CHARACTERS } from './body-path.ts';
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

/** Times of a row, [fromMs, toMs); null where it has no end. */
export const TimesRow = Type.Object({ fromMs: Nullable(Type.Number()), toMs: Nullable(Type.Number()) });
export type TimesRow = Static<typeof TimesRow>;

/** Records of one bucket whose times lie in one row. */
const TimesCell = Type.Object({
  /** The places of the bucket and of the row. */
  bucket: Type.Integer(),
  row: Type.Integer(),
  count: Type.Integer(),
  /** Those that failed, by the rules of the connection. */
  failures: Type.Integer(),
});

/** How long records took over time. */
export const ResponseTimes = Type.Object({
  buckets: Type.Array(Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() })),
  /** From the shortest time of a record to the longest, without a hole; they grow with the time. */
  rows: Type.Array(TimesRow),
  /** Those with records. */
  cells: Type.Array(TimesCell),
  /** Records of the buckets that have no such time; they are in no cell. */
  missingCount: Type.Integer(),
});
export type ResponseTimes = Static<typeof ResponseTimes>;

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
