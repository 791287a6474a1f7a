import {
  DETAIL_KINDS,
  listFields,
  mapKinds,
  REPORT_KINDS,
  STATUS_FIELDS,
  SUMMARY_KINDS,
  type FieldName,
  type ReportKind,
  type WireField,
} from './reports.ts';

/** Wire names of a record's fields: as specified first, then corrected spellings (decision 23). */
export type FieldNames<Field extends string> = Readonly<Record<Field, readonly [string, ...string[]]>>;

/** Where the fields of one shape of object are; made once for each shape, not for each record. */
export interface ResolvedFields<Field extends string> {
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
