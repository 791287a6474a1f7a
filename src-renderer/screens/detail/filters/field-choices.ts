import { CODE_CLASSES, type Facets } from '../../../../src-main/common/model/records/record.ts';
import { MARKS } from '../../../../src-main/common/model/records/record-mark.ts';
import type {
  FieldCondition,
  FilterField,
  RecordFilter,
} from '../../../../src-main/common/model/records/record-filter.ts';
import { listPlain } from '../../../../src-main/common/query/filter-tree.ts';
import { findChoice, type Choice } from '../../../filters/edit-filter.ts';

/** A value of a field that can be chosen, with its records among those that the other fields let through. */
export interface CountedChoice {
  readonly choice: Choice;
  /** Null where records are not counted by the field. */
  readonly count: number | null;
  /** Of all records that are counted for the field, 0 to 1. */
  readonly share: number;
  readonly state: 'included' | 'excluded' | null;
}

/** Fields whose values are counted, with the name of their counts. */
const COUNTED = {
  outcome: 'outcomes',
  responseCode: 'responseCodes',
  channel: 'channels',
  service: 'services',
  origin: 'origins',
  errorFamily: 'errorFamilies',
} as const satisfies Partial<Record<FilterField, keyof Facets>>;

/** True for a field whose values are counted, so that there is a list of them. */
export function isCounted(field: FilterField): boolean {
  return field in COUNTED;
}

/** Returns the classes of codes with their counts; none for another field. */
export function listClasses(
  field: FilterField,
  facets: Facets | null,
  filter: RecordFilter,
): CountedChoice[] {
  if (field !== 'responseCode') return [];
  const counts = new Map(facets?.codeClasses.map(({ value, count }) => [value, count]));
  const choices = CODE_CLASSES.map((codeClass) => ({
    choice: { field, codeClass },
    count: counts.get(codeClass) ?? 0,
  }));
  return withShares(choices, filter);
}

/**
 * Returns the values of a field, the most frequent first, and those that the filter names although no record has them;
 * of marks, which are not counted, all that there are.
 */
export function listValues(field: FilterField, facets: Facets | null, filter: RecordFilter): CountedChoice[] {
  if (field === 'mark') {
    const choices = MARKS.map((value) => ({ choice: { field, value }, count: null }));
    return withShares(choices, filter);
  }
  const counted = field in COUNTED ? (facets?.[COUNTED[field as keyof typeof COUNTED]] ?? []) : [];
  const named = listPlain(filter).flatMap((condition) =>
    condition.field === field ? (condition.values ?? []) : [],
  );
  const missing = [...new Set(named)].filter((value) => !counted.some((known) => known.value === value));
  const choices = [
    ...counted.map(({ value, count }) => ({ choice: { field, value }, count })),
    ...missing.map((value) => ({ choice: { field, value }, count: 0 })),
  ];
  return withShares(choices, filter);
}

/** Returns the records with the value of a condition; null where they are not counted. */
export function findCount({ field, values: [value] = [] }: FieldCondition, facets: Facets): number | null {
  if (!(field in COUNTED)) return null;
  const counted = facets[COUNTED[field as keyof typeof COUNTED]];
  return counted.find((known) => known.value === value)?.count ?? null;
}

function withShares(
  choices: readonly { readonly choice: Choice; readonly count: number | null }[],
  filter: RecordFilter,
): CountedChoice[] {
  const total = choices.reduce((sum, { count }) => sum + (count ?? 0), 0);
  return choices.map(({ choice, count }) => ({
    choice,
    count,
    share: total === 0 ? 0 : (count ?? 0) / total,
    state: findChoice(filter, choice),
  }));
}
