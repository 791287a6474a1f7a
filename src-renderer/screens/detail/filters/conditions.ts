import {
  CODE_CLASSES,
  type Facets,
  MARKS,
  type RecordRow,
} from '../../../../src-main/common/model/records/record.ts';
import {
  type FieldCondition,
  type FilterField,
  type RecordFilter,
  type FilterPart,
  FILTER_FIELDS,
  type RecordField,
} from '../../../../src-main/common/model/records/record-filter.ts';
import { listPlain } from '../../../../src-main/common/query/filter-tree.ts';
import { findChoice, type Choice } from '../../../filters/edit-filter.ts';
import { parseQuery, type QueryError } from '../../../../src-main/common/query/parse-query.ts';
import type { FindNamed, QueryClock } from '../../../../src-main/common/query/query-values.ts';
import { toQueryField, type QueryKind } from '../../../../src-main/common/query/query-fields.ts';
import {
  type BodyField,
  isBodyField,
  isListPath,
  MAX_CELL_CHARACTERS,
} from '../../../../src-main/common/model/records/body-path.ts';
import { MINUTE_MS } from '../../../../src-main/common/time/durations.ts';
import { formatRecordMoment } from '../../../../src-main/common/time/civil-time.ts';

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

const AROUND_MS = 5 * MINUTE_MS;

/** A cell of the table, as its row holds it. */
export interface Cell {
  readonly field: RecordField | BodyField;
  readonly row: RecordRow;
}

/** Returns the field that a column of the table shows; null for a column that no filter can name. */
function findField(columnId: string): RecordField | BodyField | null {
  if (isBodyField(columnId)) return columnId;
  return FILTER_FIELDS.find((field) => field === columnId) ?? null;
}

/** Returns the cell that an element of the table stands for; `readRow` returns null where no row is loaded. */
export function findTableCell(element: Element, readRow: (index: number) => RecordRow | null): Cell | null {
  const index = element.closest('[row-index]')?.getAttribute('row-index') ?? null;
  const field = findField(element.getAttribute('col-id') ?? '');
  const row = index === null ? null : readRow(Number(index));
  return field === null || row === null ? null : { field, row };
}

/** What the inspector names otherwise than a filter. */
const SHOWN_AS: Readonly<Record<string, RecordField>> = { dateText: 'dateMs' };

/** Returns the value of a record that an element of the inspector shows; null for a long text. */
export function findShownValue(element: Element, record: RecordRow | null): Cell | null {
  const name = element.getAttribute('data-field') ?? '';
  const field = SHOWN_AS[name] ?? findField(name);
  if (record === null || field === null || field === 'payload' || field === 'response') return null;
  return { field, row: record };
}

/** Returns the condition that holds for all records with the value of a cell; null where no such one is known. */
export function toCellCondition({ field, row }: Cell): FieldCondition | null {
  if (isBodyField(field)) return toPathCondition(field, row);
  switch (field) {
    case 'anywhere':
    case 'dateMs':
    case 'errorFamily':
    case 'mark':
    case 'note':
    case 'response':
    case 'payload':
      // Of long texts the row holds a preview at most.
      return null;
    default:
      return { field, values: [row[field] ?? null] };
  }
}

/** Values of a list stand one after the other in a cell, and a long one is cut: neither is a value of the record. */
function toPathCondition(field: BodyField, { values }: RecordRow): FieldCondition | null {
  const value = values?.[field] ?? null;
  const isWhole = value === null || Array.from(value).length < MAX_CELL_CHARACTERS;
  return isWhole && !isListPath(field) ? { field, values: [value] } : null;
}

/** Returns the five minutes before and after a record; null where it has no date. */
export function toTimeAround({ dateMs }: RecordRow): FieldCondition | null {
  return dateMs === null ? null : { field: 'dateMs', min: dateMs - AROUND_MS, max: dateMs + AROUND_MS };
}

/** Returns the value of a cell as text, dates in a zone. */
export function toCellText({ field, row }: Cell, zone: string): string {
  if (field === 'dateMs') return row.dateMs === null ? row.dateText : formatRecordMoment(row.dateMs, zone);
  if (field === 'payload') return row.payloadPreview;
  if (isBodyField(field)) return row.values?.[field] ?? '';
  switch (field) {
    case 'anywhere':
    case 'errorFamily':
    case 'mark':
    case 'note':
    case 'response':
      return '';
    default:
      return String(row[field] ?? '');
  }
}
