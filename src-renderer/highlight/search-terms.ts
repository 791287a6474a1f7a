import { findFolded, foldCase } from '../../src-main/common/fold-case.ts';
import {
  SEARCHED_FIELDS,
  type FilterField,
  type RecordFilter,
} from '../../src-main/common/model/records/record-filter.ts';
import { listFinding } from '../../src-main/common/query/filter-tree.ts';
import { matchesWildcard } from '../../src-main/common/query/wildcards.ts';
import { toQueryField } from '../../src-main/common/query/query-fields.ts';

/** A text that a filter looks for, and the fields that it may be found in. */
export interface SearchTerm {
  readonly fields: readonly FilterField[];
  readonly text: string;
  /**
   * Where it has to be the whole value: in its own letter case, in any, or as a pattern with stars. Undefined for a part, in
   * any letter case.
   */
  readonly whole?: 'exact' | 'any-case' | 'wildcard';
}

/**
 * Returns the texts that the records of a filter may have; what it excludes they don't have. Where a regular expression
 * found something only the engine knows.
 */
export function listSearchTerms(filter: RecordFilter): readonly SearchTerm[] {
  return listFinding(filter).flatMap(({ field, text, wildcard, values = [], anyCase = [] }): SearchTerm[] => {
    const fields = field === 'anywhere' ? SEARCHED_FIELDS : [field];
    // A family's own text stands in no record.
    if (field === 'errorFamily') return [];
    const part = text === undefined ? [] : [{ fields, text }];
    if (toQueryField(field)?.kind !== 'text') return part;
    const exact = values.filter((value) => value !== null && value !== '');
    return [
      ...part,
      ...exact.map((value) => ({ fields, text: String(value), whole: 'exact' as const })),
      ...anyCase.map((value) => ({ fields, text: value, whole: 'any-case' as const })),
      ...(wildcard === undefined ? [] : [{ fields, text: wildcard, whole: 'wildcard' as const }]),
    ];
  });
}

/** Returns where a term stands in a text, each time from and to; case is ignored as by the search itself. */
export function findTerm(text: string, { text: wanted, whole }: SearchTerm): [from: number, to: number][] {
  if (whole === undefined) return findFolded(text, wanted, MAX_PLACES);
  if (whole === 'wildcard') return matchesWildcard(text, wanted) ? [[0, text.length]] : [];
  const isSame = whole === 'exact' ? text === wanted : foldCase(text) === foldCase(wanted);
  return isSame ? [[0, text.length]] : [];
}

/** Finds in one text beyond which nobody looks. */
const MAX_PLACES = 1000;
