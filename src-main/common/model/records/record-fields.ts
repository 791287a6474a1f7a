import { Type, type Static } from 'typebox';
import { Distribution, TimedField } from '../analysis/grouping.ts';
import { Nullable } from '../nullable.ts';

/** Fields whose values are listed, beside those whose times are distributed. */
export const LISTED_FIELDS = [
  'outcome',
  'responseCode',
  'errorFamily',
  'channel',
  'origin',
  'service',
  'client',
  'actionId',
] as const;
export type ListedField = (typeof LISTED_FIELDS)[number];

/** Values listed of each field. */
export const MAX_LISTED = 5;

/** What can be counted beside the records of each value. */
export const AFFECTED = ['sessions', 'clients'] as const;
export type Affected = (typeof AFFECTED)[number];

const Listed = Type.Union([Type.String(), Type.Number()]);

/** What the records of a question have in a field. */
export const FieldValues = Type.Object({
  field: Type.Enum([...LISTED_FIELDS]),
  /** Different values, the empty one not counted. */
  distinctCount: Type.Integer(),
  /** The most frequent values, at most MAX_LISTED. */
  values: Type.Array(
    Type.Object({
      value: Listed,
      count: Type.Integer(),
      /** Sessions or clients of these records, where that was asked for. */
      affected: Type.Optional(Type.Integer()),
    }),
  ),
  /** Records without a value. */
  blankCount: Type.Integer(),
  blankAffected: Type.Optional(Type.Integer()),
  /**
   * Values that the filter leaves out by name, those of the most records first, at most MAX_LISTED: with the records that
   * each would add. Null is no value.
   */
  excluded: Type.Array(Type.Object({ value: Nullable(Listed), count: Type.Integer() })),
});
export type FieldValues = Static<typeof FieldValues>;

/** What the records of a question have in their fields. */
export const RecordFields = Type.Object({
  recordCount: Type.Integer(),
  /** Sessions or clients of all of them, where that was asked for. */
  affected: Type.Optional(Type.Integer()),
  /** Of each field that the records have. */
  values: Type.Array(FieldValues),
  times: Type.Array(Type.Object({ field: TimedField, distribution: Distribution })),
});
export type RecordFields = Static<typeof RecordFields>;
