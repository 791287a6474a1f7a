import { foldCase } from '../../../../src-main/common/fold-case.ts';
import type { Facets } from '../../../../src-main/common/model/records/record.ts';
import type { FoundPath } from '../../../../src-main/common/model/records/body-path.ts';
import {
  findQueryField,
  listQueryFields,
  type QueryField,
  QUERY_FIELDS,
} from '../../../../src-main/common/query/query-fields.ts';
import { quoteText } from '../../../../src-main/common/query/query-reader.ts';
import { writeValue } from '../../../../src-main/common/query/write-query.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import type { Names } from '../../../names/use-names.ts';
import { NO_FILTER } from '../../../filters/edit-filter.ts';
import { listClasses, listValues } from './conditions.ts';
import type { ParsedQuery, QueryError } from '../../../../src-main/common/query/parse-query.ts';
import { useI18n } from 'vue-i18n';

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
