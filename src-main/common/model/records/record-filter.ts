import { Type, type Static, type TSchema } from 'typebox';
import { MAX_PATH_CHARACTERS, type BodyField } from './body-path.ts';
import { CodeClass } from './record.ts';

/** Fields of every record that a filter can name, in the order in which they are offered. */
export const FILTER_FIELDS = [
  /** Any of SEARCHED_FIELDS. */
  'anywhere',
  'dateMs',
  /** What became of the request, by the rules of its connection. */
  'outcome',
  'responseCode',
  'channel',
  'service',
  'origin',
  'client',
  'responseTimeMs',
  'botLatencyMs',
  'actionId',
  'error',
  /** What the error folds to: numbers, identifiers, quoted values and addresses in it don't count. */
  'errorFamily',
  'payload',
  'response',
  'sessionId',
  /** A person's own mark and note. */
  'mark',
  'note',
] as const;
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
export const SEARCHED_FIELDS: readonly FilterField[] = [
  'client',
  'error',
  'sessionId',
  'origin',
  'actionId',
  'payload',
  'response',
];

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
