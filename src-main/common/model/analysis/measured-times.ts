import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';
import { Latency } from './grouping.ts';

const Figure = Nullable(Type.Number());
const measures = {
  count: Type.Integer(),
  /** Those that failed, by the rules of the connection. */
  failures: Type.Integer(),
  /** Of the response times; continuous, as in a Latency. Null where no record has one. */
  medianMs: Figure,
};

/** Edges of a series. */
export const MAX_EDGES = 5001;

/** Records of [fromMs, toMs). */
export const SeriesBucket = Type.Object({
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
  ...measures,
  p95Ms: Figure,
});
export type SeriesBucket = Static<typeof SeriesBucket>;

/** The hours of a week, 168: those of Monday first, as a zone's clock shows them. Records without a date are in none. */
export const HeatMap = Type.Object({ cells: Type.Array(Type.Object(measures)) });
export type HeatMap = Static<typeof HeatMap>;

/** Times that can be distributed. */
export const TimedField = Type.Enum(['responseTimeMs', 'botLatencyMs']);
export type TimedField = Static<typeof TimedField>;

/** How many records took how long, in buckets that grow with the time. */
export const Distribution = Type.Object({
  /** From the first with a record to the last; [fromMs, toMs), the first of all from 0 and the last without an end. */
  buckets: Type.Array(Type.Object({ fromMs: Type.Number(), toMs: Figure, count: Type.Integer() })),
  times: Latency,
  /** Records without the figure; they are in no bucket. */
  missingCount: Type.Integer(),
});
export type Distribution = Static<typeof Distribution>;
