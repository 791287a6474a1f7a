import { foldCase, hasCase } from '../fold-case.ts';
import { CODE_CLASSES, type CodeClass } from '../model/records/record.ts';
import {
  MAX_CONDITIONS,
  MAX_TEXT_CHARACTERS,
  MAX_VALUES,
  MAX_VALUE_CHARACTERS,
  type FieldCondition,
  type FilterField,
  type RecordFilter,
} from '../model/records/record-filter.ts';
import { OUTCOMES } from '../reporting/outcome.ts';
import { isSensibleInstant } from '../model/period.ts';
import { toNextNumber } from './number-bounds.ts';
import { findQueryField, type QueryField } from './query-fields.ts';
import { splitQuery, type QueryTerm } from './split-query.ts';

/** Why a query can't be understood; the window has words for each. */
export type QueryFault =
  | 'unknown-field'
  | 'value-missing'
  | 'quote-unclosed'
  | 'not-a-number'
  | 'not-a-date'
  | 'not-an-outcome'
  | 'date-out-of-range'
  | 'range-reversed'
  | 'several-ranges'
  | 'range-of-text'
  | 'too-long'
  | 'too-many'
  | 'name-unknown'
  | 'name-ambiguous';

/** A fault and the characters [from, to) of the query that it is about. */
export interface QueryError {
  readonly fault: QueryFault;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** A condition and the characters of the query that stand for it. */
export interface ParsedTerm {
  readonly condition: FieldCondition;
  readonly from: number;
  readonly to: number;
}

export interface ParsedQuery {
  readonly filter: RecordFilter;
  readonly terms: readonly ParsedTerm[];
  /** The first fault; null for a query that is understood whole. */
  readonly error: QueryError | null;
  /** True when a text is searched that looks as if it named a field. */
  readonly isLikeField: boolean;
}

/** Reads and writes instants in the clock that is shown. */
export interface QueryClock {
  /** Null for a text that is no date and time, such as `2026-11-20 10:15`. */
  read(text: string): number | null;
  /** Where what such a text names ends: the day, the minute, the second or the millisecond. */
  readEnd(text: string): number | null;
  write(atMs: number): string;
}

/** Returns the values of a field that a person's own name stands for. */
export type FindNamed = (field: FilterField, name: string) => readonly string[];

interface Range {
  min?: number;
  max?: number;
}

/**
 * Reads a query such as `service:7,9 code:>=500 -channel:3 "timed out"`. Terms are joined by "and", values of a term by
 * "or"; a minus excludes. Terms that can't be understood are left out, and the first fault says which.
 */
export function parseQuery(query: string, clock: QueryClock, findNamed: FindNamed = () => []): ParsedQuery {
  const { terms: split, unclosed } = splitQuery(query);
  const terms: ParsedTerm[] = [];
  let error: QueryError | null = null;
  for (const term of split) {
    const read = readTerm(term, clock, findNamed);
    if ('fault' in read) error ??= read;
    else if (terms.length === MAX_CONDITIONS) error ??= toError('too-many', '', term);
    else terms.push({ condition: read, from: term.from, to: term.to });
  }
  if (unclosed !== null) error ??= { fault: 'quote-unclosed', text: query.slice(unclosed.from), ...unclosed };
  return {
    filter: { conditions: terms.map(({ condition }) => condition) },
    terms,
    error,
    isLikeField: split.some((term) => term.isLikeField === true),
  };
}

function readTerm(term: QueryTerm, clock: QueryClock, findNamed: FindNamed): FieldCondition | QueryError {
  const excluded = term.isExcluded ? { exclude: true } : {};
  if (term.keyword === null) {
    const [token] = term.values;
    if (token === undefined || token.text === '') return toError('value-missing', '', term);
    if (token.text.length > MAX_TEXT_CHARACTERS) return toError('too-long', '', term);
    return { field: 'anywhere', text: token.text, ...excluded };
  }
  const field = findQueryField(term.keyword);
  if (field === null) {
    const from = term.from + (term.isExcluded ? 1 : 0);
    return { fault: 'unknown-field', text: term.keyword, from, to: from + term.keyword.length };
  }
  const empty = term.values.find(({ text, isQuoted }) => text === '' && !isQuoted);
  if (empty !== undefined) return toError('value-missing', term.keyword, { from: term.from, to: empty.to });
  if (term.values.length > MAX_VALUES) return toError('too-many', term.keyword, term);
  const condition =
    field.kind === 'text' ? readText(field, term, findNamed) : readNumbers(field, term, clock, findNamed);
  return 'fault' in condition ? condition : { ...condition, ...excluded };
}

function readText(
  field: QueryField,
  { values }: QueryTerm,
  findNamed: FindNamed,
): FieldCondition | QueryError {
  const range = values.find(
    ({ isQuoted, operator, text }) => !isQuoted && operator === '' && /^[<>]/.test(text),
  );
  if (range !== undefined) return toError('range-of-text', range.text, range);
  const unknown = values.find(({ text }) => !OUTCOMES.some((outcome) => outcome === foldCase(text)));
  if (field.field === 'outcome' && unknown !== undefined)
    return toError('not-an-outcome', unknown.text, unknown);
  const ambiguous = values.find(
    ({ text, operator }) => operator === '' && findNamed(field.field, text).length > 1,
  );
  if (ambiguous !== undefined) return toError('name-ambiguous', ambiguous.text, ambiguous);
  const read = values.map(({ text, operator }) => {
    // Marks and outcomes are words of the query's own.
    if (field.field === 'mark' || field.field === 'outcome') return { text: foldCase(text), isExact: true };
    const named = operator === '' ? findNamed(field.field, text)[0] : undefined;
    return { text: named ?? text, isExact: operator === '=' || named !== undefined || !hasCase(text) };
  });
  const text = read[0]?.text ?? '';
  const operator = values[0]?.operator ?? '';
  const findsParts = operator === '~' || (operator === '' && field.findsParts);
  const isPart = findsParts && text !== '' && read.length === 1;
  const limit = isPart ? MAX_TEXT_CHARACTERS : MAX_VALUE_CHARACTERS;
  const long = values.find((value) => value.text.length > limit);
  if (long !== undefined) return toError('too-long', '', long);
  if (isPart) return { field: field.field, text };
  const exact = read.filter(({ isExact }) => isExact).map((value) => value.text);
  const anyCase = read.filter(({ isExact }) => !isExact).map((value) => value.text);
  return {
    field: field.field,
    ...(exact.length > 0 ? { values: exact } : {}),
    ...(anyCase.length > 0 ? { anyCase } : {}),
  };
}

function readNumbers(
  field: QueryField,
  term: QueryTerm,
  clock: QueryClock,
  findNamed: FindNamed,
): FieldCondition | QueryError {
  const condition: { values: (number | null)[]; classes: CodeClass[] } & Range = { values: [], classes: [] };
  for (const value of term.values) {
    const text = value.text.trim();
    const codeClass = CODE_CLASSES.find((name) => name === text.toLowerCase());
    if (field.kind === 'code' && codeClass !== undefined) condition.classes.push(codeClass);
    else if (text === '' || text.toLowerCase() === 'none') condition.values.push(null);
    else {
      const named = findNamed(field.field, text);
      if (named.length > 1) return toError('name-ambiguous', text, value);
      const range = named[0] === undefined ? readRange(field, text, clock) : Number(named[0]);
      if (typeof range === 'string') {
        const fault = hasAbsurdDate(field, text, clock) ? 'date-out-of-range' : range;
        return toError(nameFault(field, text, fault), text, value);
      }
      if (typeof range === 'number') condition.values.push(range);
      else {
        const fault = joinRange(condition, range);
        if (fault !== null) return toError(fault, text, value);
      }
    }
  }
  const { values, classes, ...range } = condition;
  return {
    field: field.field,
    ...(values.length > 0 ? { values } : {}),
    ...(classes.length > 0 ? { classes } : {}),
    ...range,
  };
}

/** Adds a range to a condition, which has one at most: `>=250,<1000` is one of two halves. Returns what is wrong. */
function joinRange(condition: Range, { min, max }: Range): QueryFault | null {
  if (min !== undefined && condition.min !== undefined) return 'several-ranges';
  if (max !== undefined && condition.max !== undefined) return 'several-ranges';
  if (min !== undefined) condition.min = min;
  if (max !== undefined) condition.max = max;
  const { min: least = -Infinity, max: most = Infinity } = condition;
  return least > most ? 'range-reversed' : null;
}

/** A range, a single value, or what is wrong. */
function readRange(field: QueryField, text: string, clock: QueryClock): Range | number | QueryFault {
  const isDate = field.kind === 'date';
  const fault = isDate ? 'not-a-date' : 'not-a-number';
  const read = (part: string): number | null => readValue(field, part.trim(), clock);
  const readEnd = (part: string): number => clock.readEnd(part.trim()) ?? NaN;
  const [, low, high] = /^(.*?)\.\.(.*)$/.exec(text) ?? [];
  if (low !== undefined && high !== undefined) {
    const min = low === '' ? undefined : read(low);
    const value = high === '' ? undefined : read(high);
    if (min === null || value === null || (min === undefined && value === undefined)) return fault;
    // A day without a time is all of it, as at any other place; with one, it ends there.
    const max = value !== undefined && isDate && isDay(high) ? readEnd(high) : value;
    if (min !== undefined && max !== undefined && min > max) return 'range-reversed';
    return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  }
  const [, operator, rest = ''] = /^(<=|>=|<|>)(.*)$/.exec(text) ?? [];
  const value = read(operator === undefined ? text : rest);
  if (value === null) return fault;
  // A date names all of its day, its minute or its second.
  if (operator === undefined) return isDate ? { min: value, max: readEnd(text) } : value;
  if (operator === '>=') return { min: value };
  if (operator === '<=') return { max: isDate ? readEnd(rest) : value };
  // Nothing is beyond the largest number.
  const next = isDate ? value : toNext(value, field, operator === '<' ? -1 : 1);
  if (!Number.isFinite(next)) return fault;
  return operator === '<' ? { max: next } : { min: isDate ? readEnd(rest) : next };
}

/** True for a text with a date that no period may have. */
function hasAbsurdDate({ kind }: QueryField, text: string, clock: QueryClock): boolean {
  if (kind !== 'date') return false;
  return text.split(/\.\.|[<>]=?/).some((part) => {
    const atMs = clock.read(part.trim());
    return atMs !== null && !isSensibleInstant(atMs);
  });
}

function isDay(text: string): boolean {
  return !text.includes(':');
}

function readValue(field: QueryField, text: string, clock: QueryClock): number | null {
  if (field.kind === 'date') {
    const atMs = clock.read(text);
    return atMs !== null && isSensibleInstant(atMs) ? atMs : null;
  }
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) && (field.kind === 'number' || Number.isSafeInteger(value)) ? value : null;
}

/** The nearest value above or below: ranges of a filter include their ends. */
function toNext(value: number, { kind }: QueryField, step: 1 | -1): number {
  return kind === 'number' ? toNextNumber(value, step) : value + step;
}

/** A word in the place of a channel's or service's number is taken for its name. */
function nameFault({ kind }: QueryField, text: string, fault: QueryFault): QueryFault {
  return kind === 'whole' && fault === 'not-a-number' && !/^[<>]|\.\.|^[-+.]?\d/.test(text)
    ? 'name-unknown'
    : fault;
}

function toError(fault: QueryFault, text: string, { from, to }: { from: number; to: number }): QueryError {
  return { fault, text, from, to };
}
