import { useI18n } from 'vue-i18n';
import { foldCase } from '../../../../src-main/common/fold-case.ts';
import {
  type BodyField,
  type FoundPath,
  isBodyField,
  isListPath,
  MAX_CELL_CHARACTERS,
} from '../../../../src-main/common/model/records/body-path.ts';
import {
  type FieldCondition,
  FILTER_FIELDS,
  type FilterField,
  type FilterPart,
  type RecordField,
  type RecordFilter,
} from '../../../../src-main/common/model/records/record-filter.ts';
import {
  type FieldsWith,
  listFieldsWith,
  type QueryKind,
  RECORD_FIELDS,
} from '../../../../src-main/common/model/records/record-fields.ts';
import {
  CODE_CLASSES,
  type Facets,
  MARKS,
  type RecordRow,
} from '../../../../src-main/common/model/records/record.ts';
import { listPlain } from '../../../../src-main/common/query/filter-tree.ts';
import {
  type ParsedQuery,
  parseQuery,
  type QueryError,
} from '../../../../src-main/common/query/parse-query.ts';
import {
  findQueryField,
  listQueryFields,
  QUERY_FIELDS,
  type QueryField,
  quoteText,
  toQueryField,
} from '../../../../src-main/common/query/query-fields.ts';
import type { FindNamed, QueryClock } from '../../../../src-main/common/query/query-values.ts';
import { writeValue } from '../../../../src-main/common/query/write-query.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { formatRecordMoment } from '../../../../src-main/common/time/civil-time.ts';
import { MINUTE_MS } from '../../../../src-main/common/time/durations.ts';
import { type Choice, findChoice, NO_FILTER } from '../../../filters/filter.ts';
import type { Names } from '../../../names/use-names.ts';

const MAX_OPTIONS = 8;

/** What could stand in the characters [from, to) of a query. */
interface Completion {
  readonly from: number;
  readonly to: number;
  readonly options: readonly CompletionOption[];
}

export interface CompletionOption {
  readonly text: string;
  /** Null for the name of a field, and where records are not counted. */
  readonly count: number | null;
  /** The name of a field is followed by its values, an operator by another condition. */
  readonly kind: 'field' | 'operator' | 'value';
  /** The number of a name, or the name of a number. */
  readonly note?: string;
}

/** What the fields of a direction can hold. */
interface KnownValues {
  readonly direction: Direction;
  readonly facets: Facets | null;
  readonly names?: Pick<Names, 'find' | 'isShared'>;
  /** Paths in bodies, as far as they are known, and columns of own tables. */
  readonly paths?: readonly Pick<FoundPath, 'path'>[];
}

/** Completes what stands before the caret: the name of a field, or one of its counted values. */
export function completeQuery(query: string, caret: number, known: KnownValues): Completion {
  const { start, isQuoted } = findTerm(query.slice(0, caret));
  const head = query.slice(start, caret);
  const [, minus = '', keyword, values = ''] = /^([-!(]*)(?:([a-z_-]+):(.*))?/is.exec(head) ?? [];
  const rest = isQuoted ? '' : (/^[^\s,)]*/.exec(query.slice(caret))?.[0] ?? '');
  const to = caret + rest.length;
  if (keyword === undefined) {
    const typed = head.slice(minus.length).toLowerCase();
    const names = listQueryFields(known.direction).map((field) => `${field.keyword}:`);
    const fields = names
      .filter((name) => name.startsWith(typed) && !isQuoted)
      .map((text) => ({ text, count: null, kind: 'field' as const }));
    const isFirst = minus !== '' || /(?:^|\()\s*$/.test(query.slice(0, start));
    const operators = ['AND', 'OR', 'NOT']
      .filter((name) => typed !== '' && !isQuoted && name.toLowerCase().startsWith(typed))
      .filter((name) => !isFirst || (name === 'NOT' && minus === ''))
      .map((name) => ({ text: `${name} `, count: null, kind: 'operator' as const }));
    const paths = (known.paths ?? [])
      .filter(({ path }) => isPathBegun(typed) && path.toLowerCase().startsWith(typed))
      .map(({ path }) => ({ text: `${path}:`, count: null, kind: 'field' as const }));
    const options = [...operators, ...fields, ...paths];
    return { from: start + minus.length, to, options: options.slice(0, MAX_OPTIONS) };
  }
  const typed = /[^,]*$/.exec(values)?.[0] ?? '';
  return {
    from: caret - typed.length,
    to,
    options: listOptions(keyword, foldCase(typed.replace(/^[=~]?"?/, '')), known),
  };
}

/** True for a text that names a body and goes on into it. */
export function isPathBegun(typed: string): boolean {
  return /(?:^|[\s(!-])(?:(?:payload|response|other)[.[]|own\.)/i.test(typed);
}

function listOptions(
  keyword: string,
  typed: string,
  { direction, facets, names }: KnownValues,
): CompletionOption[] {
  const named = findQueryField(keyword);
  if (named === null || !listQueryFields(direction).includes(named)) return [];
  const { field } = named;
  // Errors often begin alike.
  const isCompletion = (value: string): boolean =>
    field === 'errorFamily' ? value.includes(typed) : value.startsWith(typed);
  const choices = [...listClasses(field, facets, NO_FILTER), ...listValues(field, facets, NO_FILTER)];
  return choices
    .map(({ choice, count }) => {
      const value = 'codeClass' in choice ? choice.codeClass : String(choice.value ?? '');
      return { ...toNamedOption(named, value, typed, names), count };
    })
    .filter(({ matched, text, count }) => count !== 0 && text !== typed && isCompletion(foldCase(matched)))
    .slice(0, MAX_OPTIONS)
    .map(({ text, note, count }) => ({
      text,
      count,
      kind: 'value' as const,
      ...(note === undefined ? {} : { note }),
    }));
}

/** A number is offered by its name, unless the number is typed or another one has the same name. */
function toNamedOption(
  { field, match }: QueryField,
  value: string,
  typed: string,
  names: Pick<Names, 'find' | 'isShared'> | undefined,
): { matched: string; text: string; note?: string } {
  const entry = names?.find(field, value) ?? null;
  // Without quotes it would be a part of others too.
  const whole = match === 'name' ? quoteText(value) : writeValue(value);
  if (entry === null) return { matched: value, text: whole };
  const isNumber = typed !== '' && value.startsWith(typed);
  if (isNumber) return { matched: value, text: value, note: entry.name };
  return names?.isShared(entry) === true
    ? { matched: entry.name, text: value, note: entry.name }
    : { matched: entry.name, text: writeValue(entry.name), note: value };
}

/** Where the last term of a text begins, and whether the text ends within quotes. */
function findTerm(text: string): { start: number; isQuoted: boolean } {
  let start = 0;
  let isQuoted = false;
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place] ?? '';
    if (isQuoted && character === '\\') place += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /\s/.test(character)) start = place + 1;
    else if (!isQuoted && character === '(' && place === start) start = place + 1;
  }
  return { start, isQuoted };
}

/** A part of a query that is drawn alike. */
interface QuerySegment {
  readonly text: string;
  /** The name of a field, or what joins conditions. */
  readonly kind: 'field' | 'operator' | null;
  readonly isWrong: boolean;
}

/** Cuts a query where its colour changes; joined, the parts are the query. */
export function toQuerySegments(
  query: string,
  { words, error }: Pick<ParsedQuery, 'words' | 'error'>,
): QuerySegment[] {
  const wrong = error === null ? [] : [error];
  const edges = [0, query.length, ...[...words, ...wrong].flatMap(({ from, to }) => [from, to])];
  const places = [...new Set(edges)].sort((a, b) => a - b);
  return places.slice(1).map((to, index) => {
    const from = places[index] ?? 0;
    const isIn = (span: { from: number; to: number }): boolean => from >= span.from && from < span.to;
    return { text: query.slice(from, to), kind: words.find(isIn)?.kind ?? null, isWrong: wrong.some(isIn) };
  });
}

/** Says what is wrong with a query, and what is expected: of the fields, those that the records of a direction have. */
export function useFaultWords(readDirection?: () => Direction): (error: QueryError) => string {
  const { t } = useI18n();
  return ({ fault, text }) => {
    const known = readDirection === undefined ? QUERY_FIELDS : listQueryFields(readDirection());
    const fields = known.map(({ keyword }) => keyword).join(', ');
    return t(`detail.query.faults.${fault}`, { text, fields });
  };
}

/** A value of a field that can be chosen, with its records among those that the other fields let through. */
export interface CountedChoice {
  readonly choice: Choice;
  /** Null where records are not counted by the field. */
  readonly count: number | null;
  /** Of all records that are counted for the field, 0 to 1. */
  readonly share: number;
  readonly state: 'included' | 'excluded' | null;
}

/** True for a field whose values are counted, so that there is a list of them. */
export function isCounted(field: FilterField): field is FieldsWith<'counted'> {
  return listFieldsWith('counted').some((known) => known === field);
}

/** Returns the counts of a field's values. */
function readCounts(
  field: FieldsWith<'counted'>,
  facets: Facets | null,
): readonly { readonly value: string | number; readonly count: number }[] {
  return facets?.[RECORD_FIELDS[field].counted] ?? [];
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
  const counted = isCounted(field) ? readCounts(field, facets) : [];
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
  if (!isCounted(field)) return null;
  return readCounts(field, facets).find((known) => known.value === value)?.count ?? null;
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
