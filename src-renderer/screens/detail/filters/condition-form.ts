import type { FilterField, FilterPart } from '../../../../src-main/common/model/records/record-filter.ts';
import { parseQuery, type QueryError } from '../../../../src-main/common/query/parse-query.ts';
import type { FindNamed, QueryClock } from '../../../../src-main/common/query/query-values.ts';
import { toQueryField, type QueryKind } from '../../../../src-main/common/query/query-fields.ts';

/** How a condition is typed: a part of a text, exact values, or a range. */
export type FormMode = 'contains' | 'is' | 'between';

const MODES: Readonly<Record<QueryKind, readonly FormMode[]>> = {
  text: ['contains', 'is'],
  code: ['is', 'between'],
  whole: ['is', 'between'],
  number: ['between', 'is'],
  date: ['between'],
  any: ['is', 'contains', 'between'],
};

/** What has been typed; `to` counts for ranges only, and `exclude` is true for what is to be left out. */
interface FormDraft {
  readonly mode: FormMode;
  readonly from: string;
  readonly to: string;
  readonly exclude: boolean;
}

/** Returns the ways in which a condition on a field can be typed, the usual one first. */
export function listModes(field: FilterField): readonly FormMode[] {
  const known = toQueryField(field);
  return known === null ? ['contains'] : MODES[known.kind];
}

/** Reads a draft as the query line would, so that both take and refuse the same; or what is wrong. */
export function readCondition(
  field: FilterField,
  { mode, from, to, exclude }: FormDraft,
  clock: QueryClock,
  findNamed?: FindNamed,
): FilterPart | QueryError {
  const known = toQueryField(field);
  const minus = exclude ? '-' : '';
  const { filter, error } = parseQuery(`${minus}${toTerm()}`, clock, findNamed);
  const [condition] = filter.conditions;
  if (error !== null) return error;
  return condition ?? { fault: 'value-missing', text: '', from: 0, to: 0, offers: [] };

  function toTerm(): string {
    if (known === null) return quote(from);
    if (mode === 'contains') {
      return from === '' ? `${known.keyword}:` : `${known.keyword}:~${quote(from)}`;
    }
    if (known.kind === 'text') return `${known.keyword}:${known.match === 'part' ? '=' : ''}${quote(from)}`;
    if (mode === 'is') return `${known.keyword}:${from.split(',').map(quoteEnd).join(',')}`;
    if (from.trim() === '' && to.trim() === '') return `${known.keyword}:`;
    return `${known.keyword}:${[from, to].map(quoteEnd).join('..')}`;
  }
}

function quoteEnd(end: string): string {
  return end.trim() === '' ? '' : quote(end.trim());
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
