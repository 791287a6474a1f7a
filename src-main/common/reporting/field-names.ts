import {
  type TInteger,
  type TNull,
  type TNumber,
  type TSchema,
  type TString,
  type TUnion,
  Type,
} from 'typebox';
import {
  DETAIL_KINDS,
  type DetailKind,
  type FieldName,
  type FieldType,
  listFields,
  mapKinds,
  REPORT_KINDS,
  type ReportField,
  type ReportFields,
  type ReportKind,
  STATUS_FIELDS,
  SUMMARY_KINDS,
  type WireField,
} from './reports.ts';

/** Wire names of a record's fields: as specified first, then corrected spellings (decision 23). */
export type FieldNames<Field extends string> = Readonly<Record<Field, readonly [string, ...string[]]>>;

/** Where the fields of one shape of object are; made once for each shape, not for each record. */
interface ResolvedFields<Field extends string> {
  readonly keyOf: Readonly<Record<Field, string | undefined>>;
  /** Keys that no field claims. */
  readonly unknownKeys: readonly string[];
  /** Some key is not spelled as specified. */
  readonly isCorrected: boolean;
  readonly foundCount: number;
}

function toFieldNames<Field extends string>(
  fields: readonly (readonly [Field, WireField])[],
): FieldNames<Field> {
  const named = fields.map(([name, { wireName, otherNames = [] }]) => [name, [wireName, ...otherNames]]);
  return Object.fromEntries(named) as FieldNames<Field>;
}

/** Wire names of each report's own fields. */
export const FIELD_NAMES = mapKinds(REPORT_KINDS, (kind) => toFieldNames(listFields(kind))) as {
  readonly [Kind in ReportKind]: FieldNames<FieldName<Kind>>;
};
/** Wire names of the fields that detail records may have, of whichever report they are. */
export const DETAIL_FIELD_NAMES = toFieldNames(DETAIL_KINDS.flatMap(listFields));
/** The same for summaries: both may share an identifier, and so a page (decision 11). */
export const SUMMARY_FIELD_NAMES = toFieldNames(SUMMARY_KINDS.flatMap(listFields));

/** Wire names of the tenant status. */
export const STATUS_FIELD_NAMES = toFieldNames(
  Object.entries(STATUS_FIELDS) as [keyof typeof STATUS_FIELDS, WireField][],
);

/** Specification, section "Report response envelope". */
export const ENVELOPE_FIELDS = {
  isValid: ['isValid'],
  executionTime: ['executionTime'],
  idReport: ['idReport'],
  nameVisualization: ['nameVisualization'],
  totalDocument: ['totalDocument', 'totalDocuments'],
  pageCount: ['pageCount'],
  lastDocument: ['lastDocument'],
} as const;

/** Letter case and separators are no difference between names. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Finds every field among the keys of an object; the exact spelling wins over any other. */
export function resolveFields<Field extends string>(
  keys: readonly string[],
  names: FieldNames<Field>,
): ResolvedFields<Field> {
  const fields = Object.keys(names) as Field[];
  const claimed = new Set<string>();
  const found = new Map<Field, string>();
  const claim = (field: Field, key: string | undefined): void => {
    if (key === undefined) return;
    found.set(field, key);
    claimed.add(key);
  };
  for (const field of fields)
    claim(
      field,
      keys.find((key) => key === names[field][0]),
    );
  const exactCount = found.size;
  for (const field of fields) {
    if (found.has(field)) continue;
    const folded = names[field].map(fold);
    claim(
      field,
      keys.find((key) => !claimed.has(key) && folded.includes(fold(key))),
    );
  }
  return {
    keyOf: Object.fromEntries(fields.map((field) => [field, found.get(field)])) as Record<
      Field,
      string | undefined
    >,
    unknownKeys: keys.filter((key) => !claimed.has(key)),
    isCorrected: found.size > exactCount,
    foundCount: found.size,
  };
}

/**
 * Schemas of the values of fields inside the application. Numbers are null where none could be read, and a
 * field that only some of the reports have is null in the others. Milliseconds may have a fraction, even
 * where the specification calls them whole.
 */
type ValueSchemas<Kind extends ReportKind> = {
  -readonly [Name in FieldName<Kind>]: Name extends keyof ReportFields<Kind>
    ? OwnSchema<ReportFields<Kind>[Name]>
    : Nullable<BaseSchema<FieldOf<Kind, Name>>>;
};
type FieldOf<Kind extends ReportKind, Name> = Kind extends ReportKind
  ? Name extends keyof ReportFields<Kind>
    ? ReportFields<Kind>[Name]
    : never
  : never;
type OwnSchema<Field> =
  BaseSchema<Field> extends infer Base extends TSchema
    ? Field extends { readonly type: 'integer' | 'number' }
      ? Nullable<Base>
      : Base
    : never;
type BaseSchema<Field> = Field extends { readonly unit: 'ms' } | { readonly type: 'number' }
  ? TNumber
  : Field extends { readonly type: 'integer' | 'count' }
    ? TInteger
    : TString;
type Nullable<Base extends TSchema> = TUnion<[Base, TNull]>;

const BASE_SCHEMAS: Readonly<Record<FieldType, TSchema>> = {
  text: Type.String(),
  content: Type.String(),
  digits: Type.String(),
  date: Type.String(),
  state: Type.String(),
  count: Type.Integer(),
  integer: Type.Integer(),
  number: Type.Number(),
};

function toValueSchemas<Kind extends ReportKind>(kinds: readonly Kind[]): ValueSchemas<Kind> {
  const lists = kinds.map((kind): readonly (readonly [string, ReportField])[] => listFields(kind));
  const schemas = lists.flat().map(([name, { type, unit }]) => {
    const base = unit === 'ms' ? Type.Number() : BASE_SCHEMAS[type];
    const isShared = lists.every((fields) => fields.some(([other]) => other === name));
    const isNullable = !isShared || type === 'integer' || type === 'number';
    return [name, isNullable ? Type.Union([base, Type.Null()]) : base];
  });
  return Object.fromEntries(schemas) as ValueSchemas<Kind>;
}

/** Values of the fields that a group of any summary may have. */
export const SUMMARY_VALUES = toValueSchemas(SUMMARY_KINDS);

const DETAIL_VALUES = toValueSchemas(DETAIL_KINDS);

/** Fields of detail records whose text may be of any length. */
export type ContentName = {
  [Name in FieldName<DetailKind>]: FieldOf<DetailKind, Name> extends { readonly type: 'content' }
    ? Name
    : never;
}[FieldName<DetailKind>];
/** All other fields of detail records: a table's row shows them. */
export type NarrowName = Exclude<FieldName<DetailKind>, ContentName>;

const names = Object.keys(DETAIL_VALUES) as (ContentName | NarrowName)[];
const contents = new Set<string>(
  DETAIL_KINDS.flatMap((kind) => listFields(kind)).flatMap(([name, { type }]) =>
    type === 'content' ? name : [],
  ),
);
export const CONTENT_NAMES = names.filter(isContentName);
export const NARROW_NAMES = names.filter((name) => !isContentName(name)) as readonly NarrowName[];

/** True for the name of a field whose text may be of any length. */
export function isContentName(name: ContentName | NarrowName): name is ContentName {
  return contents.has(name);
}

/** Values of the fields that a detail record of any report may have. */
export const CONTENT_VALUES = pick(CONTENT_NAMES);
export const NARROW_VALUES = pick(NARROW_NAMES);

function pick<Name extends FieldName<DetailKind>>(picked: readonly Name[]): Pick<typeof DETAIL_VALUES, Name> {
  const schemas = picked.map((name) => [name, DETAIL_VALUES[name]]);
  return Object.fromEntries(schemas) as Pick<typeof DETAIL_VALUES, Name>;
}

/** Characters of a record's long texts. */
export function countContent(record: Readonly<Record<ContentName, string | null>>): number {
  let characters = 0;
  for (const name of CONTENT_NAMES) characters += record[name]?.length ?? 0;
  return characters;
}
