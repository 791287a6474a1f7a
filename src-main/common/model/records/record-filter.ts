import { Type, type Static } from 'typebox';
import { CodeClass } from './record.ts';

/** Fields that a filter can name, in the order in which they are offered. */
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
export type FilterField = (typeof FILTER_FIELDS)[number];

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
/** Longest search text, in characters. */
export const MAX_TEXT_CHARACTERS = 500;

/** One condition on one field: any of what is given must hold; with `exclude` none may. */
export const FieldCondition = Type.Object({
  field: Type.Enum([...FILTER_FIELDS]),
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
});
export type FieldCondition = Static<typeof FieldCondition>;

/** Restrictions on records; all of them must hold. */
export const RecordFilter = Type.Object({
  conditions: Type.Array(FieldCondition, { maxItems: MAX_CONDITIONS }),
});
export type RecordFilter = Static<typeof RecordFilter>;

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
