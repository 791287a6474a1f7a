import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

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
