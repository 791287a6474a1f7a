import type { RecordDetail, RecordRow } from '../../src-main/common/model/records/record.ts';
import type { FilterField } from '../../src-main/common/model/records/record-filter.ts';
import { listFields, type Direction } from '../../src-main/common/reporting/reports.ts';
import { findTerm, type SearchTerm } from './search-terms.ts';

/** Fields whose texts a row of the table lacks, or holds a preview of: the text of a message, or a beginning. */
const LONG_FIELDS: readonly FilterField[] = ['payload', 'response'];

function hasTerm(text: unknown, term: SearchTerm): boolean {
  return typeof text === 'string' && findTerm(text, term).length > 0;
}

/** Returns the fields of a whole record in which any of the terms stands. */
export function findRecordFields(record: RecordDetail, terms: readonly SearchTerm[]): readonly FilterField[] {
  const found = terms.flatMap((term) => {
    const known = term.fields.filter((field) => hasTerm(record[field as keyof RecordDetail], term));
    // Nowhere else, it stands in the rest of the text that is here only in part.
    const cut = term.fields.filter((field) => field in (record.cutLengths ?? {}));
    return known.length > 0 || cut.length !== 1 ? known : cut;
  });
  return [...new Set(found)];
}

/**
 * Returns the fields in which a row was found although none of its columns in view shows why: those that hold the first
 * such term, or, where the row doesn't hold the texts, those that may. Empty where the columns show each term.
 */
export function findHiddenFields(
  row: RecordRow,
  terms: readonly SearchTerm[],
  shown: ReadonlySet<string>,
  direction: Direction,
): readonly FilterField[] {
  const present = new Set<string>(listFields(`${direction}-detail`).map(([name]) => name));
  for (const term of terms) {
    const known = term.fields.filter((field) =>
      hasTerm(field === 'payload' ? row.payloadPreview : row[field as keyof RecordRow], term),
    );
    if (known.some((field) => shown.has(field))) continue;
    if (known.length > 0) return known;
    const possible = LONG_FIELDS.filter((field) => term.fields.includes(field) && present.has(field));
    if (possible.length > 0) return possible;
  }
  return [];
}
