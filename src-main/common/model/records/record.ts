import { type Static, type TSchema, Type } from 'typebox';
import { CONTENT_VALUES, NARROW_VALUES } from '../../reporting/field-names.ts';
import { Outcome } from '../../reporting/outcome.ts';
import { Distribution, TimedField } from '../analysis/grouping.ts';
import { Nullable } from '../nullable.ts';
import { LANGUAGES } from '../settings/language.ts';
import { type BodyField, PathText } from './body-path.ts';
import { listFieldsWith, RECORD_FIELDS, TIMED_FIELDS, type ValueCounts } from './record-fields.ts';

/** The marks that a person can put on a record; each has a shape of its own. */
export const MARKS = ['star', 'flag', 'check', 'question'] as const;
export const MAX_RECORD_NOTE_CHARACTERS = 2000;
/** Marked records of a report of a connection. */
export const MAX_MARKED_RECORDS = 2000;

const Mark = Nullable(Type.Enum([...MARKS]));
const Note = Type.String({ maxLength: MAX_RECORD_NOTE_CHARACTERS });

/**
 * What a person noted on a record. It belongs to whatever record is the same in every field, so it stays when the
 * period is fetched again, and is on no record that changed.
 */
export const RecordMark = Type.Object({ mark: Mark, note: Note });
export type RecordMark = Static<typeof RecordMark>;

/** What is left out is not changed. */
export const RecordMarkChange = Type.Object({ mark: Type.Optional(Mark), note: Type.Optional(Note) });
export type RecordMarkChange = Static<typeof RecordMarkChange>;

export const CodeClass = Type.Union([
  Type.Literal('2xx'),
  Type.Literal('3xx'),
  Type.Literal('4xx'),
  Type.Literal('5xx'),
  Type.Literal('none'),
]);
export type CodeClass = Static<typeof CodeClass>;
export const CODE_CLASSES: readonly CodeClass[] = ['2xx', '3xx', '4xx', '5xx', 'none'];

/** Class of a response code; 1xx counts as 2xx, anything outside 100 to 599 and null as `none`. */
export function toCodeClass(responseCode: number | null): CodeClass {
  if (responseCode === null || responseCode < 100 || responseCode > 599) return 'none';
  if (responseCode < 300) return '2xx';
  if (responseCode < 400) return '3xx';
  return responseCode < 500 ? '4xx' : '5xx';
}

/**
 * How a request is shown: by its outcome first, by its code where that is one of HTTP. One that was expected, or of which
 * nothing is known, is in no class.
 */
export function toShownClass(outcome: Outcome | undefined, responseCode: number | null): CodeClass {
  const codeClass = toCodeClass(responseCode);
  if (outcome === undefined) return codeClass;
  if (outcome === 'failed') return codeClass === '4xx' ? '4xx' : '5xx';
  if (outcome === 'ok') return codeClass === '3xx' ? '3xx' : '2xx';
  return 'none';
}

/** Longest preview of a payload in a row, in characters. */
export const PREVIEW_CHARACTERS = 120;

/**
 * One row of a detail table: the fields of whichever report it is of, those that its report lacks null, long
 * texts left out. Times in milliseconds.
 */
export const RecordRow = Type.Object({
  snapshotId: Type.Integer(),
  /** Place in the snapshot, from 0, in the order received. */
  seq: Type.Integer(),
  ...NARROW_VALUES,
  /** The instant, or null when the text could not be read as a date (decision 3). */
  dateMs: Nullable(Type.Integer()),
  /** The text in the payload, or else its beginning: 120 characters at most. */
  payloadPreview: Type.String(),
  /** What became of the request; left out where nobody asked for it. */
  outcome: Type.Optional(Outcome),
  /** What a person noted on the record; absent for most. */
  mark: Type.Optional(RecordMark),
  /** Values at the paths that were asked for, cut at 1,000 characters; those of a list one after the other. */
  values: Type.Optional(Type.Record(Type.String(), Type.String())),
});
export type RecordRow = Static<typeof RecordRow>;

/** One record with its long texts, which are cut at 1,000,000 characters unless all of them is asked for. */
export const RecordDetail = Type.Object({
  ...RecordRow.properties,
  ...CONTENT_VALUES,
  /** Length of the whole payload in characters. */
  payloadLength: Type.Integer(),
  /** Lengths of the whole texts that were cut; absent for most. */
  cutLengths: Type.Optional(
    Type.Object({ payload: Type.Optional(Type.Integer()), response: Type.Optional(Type.Integer()) }),
  ),
  /**
   * Fields that the specification does not know, and numbers that could not be read: the JSON of each as received, by
   * the service's name.
   */
  extra: Type.Record(Type.String(), Type.String()),
});
export type RecordDetail = Static<typeof RecordDetail>;

/**
 * What rows can be sorted by: `received`, any field that a row shows, dates by their instant, or a path in bodies or in a
 * table of one's own, numbers by their value.
 */
const RecordSortColumn = Type.Union([
  Type.Enum(['received', ...listFieldsWith('sorted')]),
  Type.Unsafe<BodyField>(PathText),
]);
const SortKey = Type.Object({
  column: RecordSortColumn,
  descending: Type.Boolean(),
  /** Texts are in the order of this language's dictionaries; where it isn't said, of English ones. */
  language: Type.Optional(Type.Enum([...LANGUAGES])),
});
/** The columns to sort by, the leading one first: each decides where all before it tie. */
export const RecordOrder = Type.Array(SortKey, { minItems: 1, maxItems: 3 });
export type RecordOrder = Static<typeof RecordOrder>;

/** Distinct values with their number of records, for the filter chips: of each field that is counted, and of classes of codes. */
export type Facets = ValueCounts & { codeClasses: { value: CodeClass; count: number }[] };
const Counts = (value: TSchema): TSchema => Type.Array(Type.Object({ value, count: Type.Integer() }));
export const Facets = Type.Unsafe<Facets>(
  Type.Object({
    codeClasses: Counts(CodeClass),
    ...Object.fromEntries(
      listFieldsWith('counted').map((name) => [
        RECORD_FIELDS[name].counted,
        Counts(name === 'outcome' ? Outcome : Type.Union([Type.Integer(), Type.String()])),
      ]),
    ),
  }),
);

/** Records per span of time and class. */
export const TimeBucket = Type.Object({
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
  /** Counts in the order of CODE_CLASSES, where nothing else is said; see `toShownClass`. */
  counts: Type.Array(Type.Integer()),
});
export type TimeBucket = Static<typeof TimeBucket>;

/** Ids of a snapshot's records begin at its number times this: safe integers up to snapshot 2^21. */
export const RECORD_ID_SPAN = 2 ** 32;

/** The id of the record that is `seq`, counted from 0, of its snapshot; the number of records for the first id after them. */
export function toRecordId(snapshotId: number, seq: number): number {
  return snapshotId * RECORD_ID_SPAN + seq;
}

/** The snapshot that an id is of, and the record's place in it. */
export function fromRecordId(recordId: number): { readonly snapshotId: number; readonly seq: number } {
  const seq = recordId % RECORD_ID_SPAN;
  return { snapshotId: (recordId - seq) / RECORD_ID_SPAN, seq };
}

/** Fields whose values are listed, beside those whose times are distributed. */
export const LISTED_FIELDS = listFieldsWith('listed').filter((name) => !isTimed(name));
export type ListedField = (typeof LISTED_FIELDS)[number];

function isTimed(name: string): name is TimedField {
  return TIMED_FIELDS.some((timed) => timed === name);
}

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
