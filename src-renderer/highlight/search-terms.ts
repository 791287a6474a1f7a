import {
  SEARCHED_FIELDS,
  type FilterField,
  type RecordFilter,
} from '../../src-main/common/model/records/record-filter.ts';
import { toQueryField } from '../../src-main/common/query/query-fields.ts';

/** A text that a filter looks for, and the fields that it may be found in. */
export interface SearchTerm {
  readonly fields: readonly FilterField[];
  readonly text: string;
  /** True where it has to be the whole value, in its letter case. */
  readonly isWhole: boolean;
}

/** Returns the texts that the records of a filter have; what it excludes they don't have. */
export function listSearchTerms({ conditions }: RecordFilter): readonly SearchTerm[] {
  return conditions
    .filter(({ exclude }) => exclude !== true)
    .flatMap(({ field, text, values = [] }): SearchTerm[] => {
      const fields = field === 'anywhere' ? SEARCHED_FIELDS : [field];
      const part = text === undefined ? [] : [{ fields, text, isWhole: false }];
      const isText = toQueryField(field)?.kind === 'text' && field !== 'errorFamily';
      const whole = isText ? values.filter((value) => value !== null && value !== '') : [];
      return [...part, ...whole.map((value) => ({ fields, text: String(value), isWhole: true }))];
    });
}

/** Returns where a term stands in a text, each time from and to; case is ignored as by the search itself. */
export function findTerm(text: string, { text: wanted, isWhole }: SearchTerm): [from: number, to: number][] {
  if (isWhole) return text === wanted ? [[0, text.length]] : [];
  const needle = wanted.toLowerCase();
  const lowered = toLowerEach(text);
  const places: [number, number][] = [];
  for (let at = lowered.indexOf(needle); at >= 0; at = lowered.indexOf(needle, at + needle.length)) {
    places.push([at, at + needle.length]);
    if (places.length === MAX_PLACES) break;
  }
  return places;
}

/** Finds in one text beyond which nobody looks. */
const MAX_PLACES = 1000;

/** Letters are lowered one by one, so that their places stay, as the search does it. */
function toLowerEach(text: string): string {
  const lowered = text.toLowerCase();
  if (lowered.length === text.length && !text.includes('Σ')) return lowered;
  return Array.from(text, (letter) => Array.from(letter.toLowerCase())[0]).join('');
}
