import { type Static, type TSchema, Type } from 'typebox';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { DetailKindSchema } from '../cache/snapshot.ts';
import { Nullable } from '../nullable.ts';
import { type BodyField, MAX_PATH_CHARACTERS } from './body-path.ts';
import { CodeClass } from './record.ts';
import { listFieldsWith, RECORD_FIELD_NAMES } from './record-fields.ts';

/** Fields of every record that a filter can name: `anywhere` stands for any of SEARCHED_FIELDS. */
export const FILTER_FIELDS = ['anywhere', ...RECORD_FIELD_NAMES] as const;
export type RecordField = (typeof FILTER_FIELDS)[number];
/** A field, or a path in a body. */
export type FilterField = RecordField | BodyField;
const FilterField = Type.Unsafe<FilterField>(
  Type.Union([
    Type.Enum([...FILTER_FIELDS]),
    Type.String({
      pattern: String.raw`^(?:(?:payload|response|other)[.\[]|own\.)`,
      maxLength: MAX_PATH_CHARACTERS,
    }),
  ]),
);

/** Fields that a search anywhere looks in; the long ones last. */
export const SEARCHED_FIELDS = listFieldsWith('searched');

/** Most conditions in a filter. */
export const MAX_CONDITIONS = 50;
/** Most exact values in a condition. */
export const MAX_VALUES = 500;
/** Longest exact value, in characters. */
export const MAX_VALUE_CHARACTERS = 10_000;
/** Longest search text or pattern, in characters. */
export const MAX_TEXT_CHARACTERS = 500;
/** Most brackets within brackets of a filter. */
export const MAX_FILTER_DEPTH = 8;

/** One condition on one field: any of what is given must hold; with `exclude` none may. */
export const FieldCondition = Type.Object({
  field: FilterField,
  exclude: Type.Optional(Type.Boolean()),
  /** Exact values; null and '' mean "no value". */
  values: Type.Optional(
    Type.Array(Type.Union([Type.String({ maxLength: MAX_VALUE_CHARACTERS }), Type.Number(), Type.Null()]), {
      maxItems: MAX_VALUES,
    }),
  ),
  /** Whole values of a text, in any letter case. */
  anyCase: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_VALUE_CHARACTERS }), { maxItems: MAX_VALUES }),
  ),
  /** Classes of the response code. */
  classes: Type.Optional(Type.Array(CodeClass)),
  /** Smallest value, included. */
  min: Type.Optional(Type.Number()),
  /** Largest value, included; of a date the instant that is not included any more. */
  max: Type.Optional(Type.Number()),
  /** Text that the field contains, in any letter case. */
  text: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TEXT_CHARACTERS })),
  /**
   * The whole value in any letter case, where `*` stands for any characters and a backslash makes it, or itself, one that
   * is meant. Anywhere, a part of a text.
   */
  wildcard: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TEXT_CHARACTERS })),
  /** A regular expression of RE2 that finds a part of the text, in any letter case; a dot finds line ends too. */
  regex: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TEXT_CHARACTERS })),
});
export type FieldCondition = Static<typeof FieldCondition>;

/** Alternatives: all conditions of at least one of them must hold; with `exclude` those of none may. */
export interface FilterGroup {
  any: RecordFilter[];
  exclude?: boolean;
}
/** What a filter joins. */
export type FilterPart = FieldCondition | FilterGroup;

/** Restrictions on records, as a tree: all of its parts must hold. */
export interface RecordFilter {
  conditions: FilterPart[];
}

function describeFilter(depth: number, minItems: number): TSchema {
  const describe = (part: TSchema): TSchema =>
    Type.Object({ conditions: Type.Array(part, { minItems, maxItems: MAX_CONDITIONS }) });
  if (depth === 0) return describe(FieldCondition);
  const group = Type.Object({
    any: Type.Array(describeFilter(depth - 1, 1), { minItems: 1, maxItems: MAX_CONDITIONS }),
    exclude: Type.Optional(Type.Boolean()),
  });
  return describe(Type.Union([FieldCondition, group]));
}
export const RecordFilter = Type.Unsafe<RecordFilter>(describeFilter(MAX_FILTER_DEPTH, 0));

/** The conditions that leave exactly the records of a shown class. */
export function toClassConditions(codeClass: CodeClass): FieldCondition[] {
  const ok: FieldCondition = { field: 'outcome', values: ['ok'] };
  const failed: FieldCondition = { field: 'outcome', values: ['failed'] };
  const conditions: Readonly<Record<CodeClass, FieldCondition[]>> = {
    '2xx': [ok, { field: 'responseCode', classes: ['3xx'], exclude: true }],
    '3xx': [ok, { field: 'responseCode', classes: ['3xx'] }],
    '4xx': [failed, { field: 'responseCode', classes: ['4xx'] }],
    '5xx': [failed, { field: 'responseCode', classes: ['4xx'], exclude: true }],
    none: [{ field: 'outcome', values: ['expected', 'unknown'] }],
  };
  return conditions[codeClass];
}

/** Everything cached of a report in [fromMs, toMs): the union of all snapshots, each moment counted once (decision 33). */
export const PeriodScope = Type.Object({
  connectionId: Type.String(),
  report: DetailKindSchema,
  fromMs: Type.Integer(),
  /** Exclusive. */
  toMs: Type.Integer(),
});
export type PeriodScope = Static<typeof PeriodScope>;

/** The records of one snapshot, those without a date included. */
const SnapshotScope = Type.Object({ snapshotId: Type.Integer() });

/** What a question about records is about. */
export const RecordScope = Type.Union([SnapshotScope, PeriodScope]);
export type RecordScope = Static<typeof RecordScope>;

/** Fields whose texts are grouped by how they read, on request; errors are grouped while they are fed. */
export const PATTERN_FIELDS = ['payload', 'response'] as const;
export type PatternField = (typeof PATTERN_FIELDS)[number];

/** The most records whose texts are read; of more, so many are spread evenly over all of them. */
export const MAX_PATTERN_RECORDS = 100_000;
/** The most patterns that are listed, and the most texts that each shows. */
export const MAX_PATTERNS = 200;
export const MAX_PATTERN_EXAMPLES = 10;
/** Characters of a text that are read and shown. */
export const MAX_PATTERN_CHARACTERS = 2_000;

/** Texts that read alike once their variable parts are folded. */
export const TextPattern = Type.Object({
  /** As that of a family of errors: words in angle brackets stand in the place of what varies. */
  pattern: Type.String(),
  count: Type.Integer(),
  /** Distinct sessions and clients that the records name. */
  sessionCount: Type.Integer(),
  clientCount: Type.Integer(),
  /** Null where no record has a date. */
  firstMs: Nullable(Type.Integer()),
  lastMs: Nullable(Type.Integer()),
  /** Distinct texts, the most frequent first, at most MAX_PATTERN_EXAMPLES; and how many there are. */
  examples: Type.Array(Type.Object({ text: Type.String(), count: Type.Integer() })),
  textCount: Type.Integer(),
  /** Records in equal spans of the period. */
  trend: Type.Array(Type.Integer()),
  /** What all these texts contain, for a filter; none where they have no words in common. */
  words: Type.Array(Type.String()),
});
export type TextPattern = Static<typeof TextPattern>;

/** The texts of a field by pattern. */
export const TextPatterns = Type.Object({
  /** At most MAX_PATTERNS, those of the most records first. */
  patterns: Type.Array(TextPattern),
  patternCount: Type.Integer(),
  /** Records, those of them with a text, and those of these that were read. */
  recordCount: Type.Integer(),
  textRecordCount: Type.Integer(),
  readCount: Type.Integer(),
});
export type TextPatterns = Static<typeof TextPatterns>;

export const MAX_SAVED_VIEWS = 100;
export const MAX_VIEW_NAME_CHARACTERS = 60;
/** Longest query of a saved view, in characters. */
export const MAX_FILTER_QUERY_CHARACTERS = 10_000;

/** A column of a detail table as the person set it up. */
export const TableColumn = Type.Object({
  /** A field of the records, or a path in their bodies or in a table of one's own. */
  id: Type.String({ maxLength: MAX_PATH_CHARACTERS }),
  widthPx: Type.Integer({ minimum: 20, maximum: 10_000 }),
  /** The side at which it stays while the others scroll. */
  pinned: Type.Union([Type.Literal('left'), Type.Literal('right'), Type.Null()]),
  hidden: Type.Boolean(),
});

/** The columns of a table, in order. */
export const MAX_TABLE_COLUMNS = 100;
export const TableColumns = Type.Array(TableColumn, { maxItems: MAX_TABLE_COLUMNS });

/** How a person looks at detail records, saved under a name; no two have one name, whatever its letter case. */
export const SavedView = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_VIEW_NAME_CHARACTERS }),
  /** Direction of the records that it was saved for. */
  direction: Type.Enum(DIRECTIONS),
  /** The filter as a query, its times in UTC; '' for none. */
  query: Type.String({ maxLength: MAX_FILTER_QUERY_CHARACTERS }),
  /** What else of the screen its address carries, such as its tab, its order and the grouping of errors. */
  shown: Type.Optional(
    Type.Record(Type.String({ maxLength: 20 }), Type.String({ maxLength: 500 }), { maxProperties: 20 }),
  ),
  /** As an address carries it: one that moves, such as the last 7 days, or one that doesn't. Without one, that of the window stays. */
  period: Type.Optional(Type.String({ maxLength: 200 })),
  /** Without them, those of the window stay; none stand for those of the application. */
  columns: Type.Optional(TableColumns),
});
export type SavedView = Static<typeof SavedView>;

export type TableColumn = Static<typeof TableColumn>;
