import { foldCase, hasCase } from '../fold-case.ts';
import { isSensibleInstant } from '../model/period.ts';
import {
  type FieldCondition,
  type FilterField,
  MAX_TEXT_CHARACTERS,
  MAX_VALUE_CHARACTERS,
} from '../model/records/record-filter.ts';
import { CODE_CLASSES, type CodeClass } from '../model/records/record.ts';
import { OUTCOMES } from '../reporting/outcome.ts';
import { type CivilTime, fromCivilTime, isRealCivilTime, toCivilTime } from '../time/civil-time.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../time/durations.ts';
import {
  findQueryField,
  type QueryField,
  type QueryOperator,
  type QuerySpan,
  type QueryToken,
  toNextNumber,
} from './query-fields.ts';
import type { RegexFault } from './text-tests.ts';

/** Why a query can't be understood; the window has words for each. */
type QueryFault =
  | 'unknown-field'
  | 'value-missing'
  | 'quote-unclosed'
  | 'bracket-unclosed'
  | 'bracket-unopened'
  | 'operand-missing'
  | 'not-a-number'
  | 'not-a-date'
  | 'not-an-outcome'
  | 'date-out-of-range'
  | 'range-reversed'
  | 'several-ranges'
  | 'range-of-text'
  | 'pattern-of-number'
  | 'too-long'
  | 'too-many'
  | 'too-deep'
  | 'query-too-long'
  | 'name-unknown'
  | 'name-ambiguous'
  | RegexFault;

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

/** Which value can't be read, and why. */
export interface ValueFault extends QuerySpan {
  readonly fault: QueryFault;
  readonly text: string;
}

/** What the values of a field are read with. */
interface Reading {
  readonly clock: QueryClock;
  readonly findNamed: FindNamed;
}

/** True for a value that can only be a range of numbers. */
export function isRange({ text, isQuoted, operator, isRegex }: QueryToken): boolean {
  return !isQuoted && !isRegex && operator === '' && /^(?:[<>]=?\s*[-+.\d]|-?[\d.]+\.\.|\.\.-?\d)/.test(text);
}

/** True for a field whose values are texts, or are compared as such. */
export function isTextual({ kind }: QueryField): boolean {
  return kind === 'text' || kind === 'any';
}

/** Values of a field by how they are read: those in bodies may be ranges beside texts. */
export function splitKinds(
  field: QueryField,
  values: readonly QueryToken[],
): { readonly isText: boolean; readonly values: readonly QueryToken[] }[] {
  const isNumber = (value: QueryToken): boolean =>
    !isTextual(field) || (field.kind === 'any' && isRange(value));
  return [
    { isText: true, values: values.filter((value) => !isNumber(value)) },
    { isText: false, values: values.filter(isNumber) },
  ].filter((listed) => listed.values.length > 0);
}

interface Read {
  readonly conditions: readonly FieldCondition[];
}

/** Reads the values of a field of texts: exact ones, any letter case, parts; or says which can't be. */
export function readTexts(
  known: QueryField,
  values: readonly QueryToken[],
  { findNamed }: Reading,
): Read | ValueFault {
  const { field, match } = known;
  const range = values.find(
    ({ isQuoted, operator, text }) => !isQuoted && operator === '' && /^[<>]/.test(text),
  );
  if (range !== undefined) return toError('range-of-text', range.text, range);
  const unknown = values.find(({ text }) => !OUTCOMES.some((outcome) => outcome === foldCase(text)));
  if (field === 'outcome' && unknown !== undefined) return toError('not-an-outcome', unknown.text, unknown);
  const found: string[] = [];
  const exact: string[] = [];
  const anyCase: string[] = [];
  for (const value of values) {
    const { text, operator, isQuoted } = value;
    const named = operator === '' ? findNamed(field, text) : [];
    if (named.length > 1) return toError('name-ambiguous', text, value);
    const isPart =
      text !== '' &&
      named.length === 0 &&
      (operator === '~' || (operator === '' && (match === 'part' || (match === 'name' && !isQuoted))));
    if (text.length > (isPart ? MAX_TEXT_CHARACTERS : MAX_VALUE_CHARACTERS))
      return toError('too-long', '', value);
    // Marks and outcomes are words of the query's own.
    const isOwn = field === 'mark' || field === 'outcome';
    if (isPart) found.push(text);
    else if (isOwn) exact.push(foldCase(text));
    else if (operator === '=' || named.length > 0 || !hasCase(text)) exact.push(named[0] ?? text);
    else anyCase.push(text);
  }
  const list = {
    field,
    ...(exact.length > 0 ? { values: exact } : {}),
    ...(anyCase.length > 0 ? { anyCase } : {}),
  };
  const texts = found.map((text): FieldCondition => ({ field, text }));
  return { conditions: exact.length + anyCase.length > 0 ? [list, ...texts] : texts };
}

/** Reads the values of a field of numbers or dates: single ones, classes of codes, one range; or says which can't be. */
export function readNumbers(
  known: QueryField,
  values: readonly QueryToken[],
  { clock, findNamed }: Reading,
): Read | ValueFault {
  const { field, kind } = known;
  const condition: { values: (number | null)[]; classes: CodeClass[] } & Range = { values: [], classes: [] };
  for (const value of values) {
    const text = value.text.trim();
    const codeClass = CODE_CLASSES.find((name) => name === text.toLowerCase());
    if (kind === 'code' && codeClass !== undefined) condition.classes.push(codeClass);
    else if (text === '' || text.toLowerCase() === 'none') condition.values.push(null);
    else {
      const named = findNamed(field, text);
      if (named.length > 1) return toError('name-ambiguous', text, value);
      const range = named[0] === undefined ? readRange(known, text, clock) : Number(named[0]);
      if (typeof range === 'string') {
        const fault = hasAbsurdDate(known, text, clock) ? 'date-out-of-range' : range;
        return toError(nameFault(known, text, fault), text, value);
      }
      if (typeof range === 'number') condition.values.push(range);
      else {
        const fault = joinRange(condition, range);
        if (fault !== null) return toError(fault, text, value);
      }
    }
  }
  const { values: exact, classes, ...range } = condition;
  const read = {
    field,
    ...(exact.length > 0 ? { values: exact } : {}),
    ...(classes.length > 0 ? { classes } : {}),
    ...range,
  };
  return { conditions: [read] };
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
  return Number.isFinite(value) && (isFractional(field) || Number.isSafeInteger(value)) ? value : null;
}

/** The nearest value above or below: ranges of a filter include their ends. */
function toNext(value: number, field: QueryField, step: 1 | -1): number {
  return isFractional(field) ? toNextNumber(value, step) : value + step;
}

function isFractional({ kind }: QueryField): boolean {
  return kind === 'number' || kind === 'any';
}

/** A word in the place of a channel's or service's number is taken for its name. */
function nameFault({ kind }: QueryField, text: string, fault: QueryFault): QueryFault {
  return kind === 'whole' && fault === 'not-a-number' && !/^[<>]|\.\.|^[-+.]?\d/.test(text)
    ? 'name-unknown'
    : fault;
}

function toError(fault: QueryFault, text: string, { from, to }: QuerySpan): ValueFault {
  return { fault, text, from, to };
}

const MOMENT = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(Z)?)?$/;

/**
 * Creates the clock that a query's dates are read and written in. Dates look like `2026-11-20`, `2026-11-20T10:15` or
 * `2026-11-20 10:15:30.250`; a `Z` at the end means UTC in every clock.
 */
export function createQueryClock(zone: string): QueryClock {
  function read(text: string): number | null {
    const found = MOMENT.exec(text);
    if (found === null) return null;
    const civil = toCivil(found);
    return isRealCivilTime(civil) ? fromCivilTime(civil, found[8] === undefined ? zone : 'UTC') : null;
  }

  function readEnd(text: string): number | null {
    const [atMs, found] = [read(text), MOMENT.exec(text)];
    if (atMs === null || found === null) return null;
    if (found[4] === undefined) {
      // Where clocks change, a day has another length.
      const { year, month, day } = toCivil(found);
      const next = toCivilTime(Date.UTC(year, month - 1, day) + DAY_MS, 'UTC');
      return fromCivilTime(next, zone);
    }
    return atMs + (found[6] === undefined ? MINUTE_MS : found[7] === undefined ? SECOND_MS : 1);
  }

  function write(atMs: number): string {
    const { year, month, day, hour, minute, second, millisecond } = toCivilTime(atMs, zone);
    const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}`;
    const fraction = millisecond === 0 ? '' : `.${pad(millisecond, 3)}`;
    const text = second + millisecond === 0 ? date : `${date}:${pad(second)}${fraction}`;
    // Where the clock was set back it shows a time twice, and the later one can't be written in it.
    return read(text) === atMs ? text : new Date(atMs).toISOString();
  }

  return { read, readEnd, write };
}

/** The parts of a text that has the form of a moment; those that it leaves out are 0. */
function toCivil(found: RegExpExecArray): CivilTime {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? '0'));
  return { year, month, day, hour, minute, second, millisecond: Number((found[7] ?? '').padEnd(3, '0')) };
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}

/** What a person can put in the place of the characters [from, to) of a query. */
export interface QueryOffer extends QuerySpan {
  /** What was perhaps meant, or the same characters in quotes, to be searched as they stand. */
  readonly kind: 'meant' | 'quoted';
  readonly text: string;
}

/** What a query that is understood was perhaps meant to say. */
export interface QueryHint {
  /**
   * A word that joins conditions elsewhere is searched as a text here; or a text looks as if it named a field, as an address
   * does, or as a comparison without a colon.
   */
  readonly kind: 'operator' | 'like-field' | 'address' | 'comparison';
  readonly text: string;
  readonly offers: readonly QueryOffer[];
}

/** What joins conditions in other letter case, in other languages and in other programs. */
const MEANT: Readonly<Record<QueryOperator, readonly string[]>> = {
  OR: ['or', 'o', 'u', 'ou', 'oder', '||', '|'],
  AND: ['and', 'y', 'e', 'und', '&&', '&'],
  NOT: ['not', 'no', 'não', 'nao', 'nicht'],
};
/** Words that are rare in what is searched for. */
const PLAIN: readonly string[] = ['or', 'oder', 'ou', 'and', 'und'];

/**
 * Finds a bare word between others that was perhaps meant to join them. A short or common word is taken for one only
 * where a condition on a field stands beside it, or it is in capitals.
 */
export function findMeantOperator(
  bare: readonly (QuerySpan & { readonly text: string; readonly place: number })[],
  terms: readonly { readonly isText: boolean }[],
): QueryHint | null {
  for (const { text, place, from, to } of bare) {
    const folded = foldCase(text);
    const operator = (Object.keys(MEANT) as QueryOperator[]).find((name) => MEANT[name].includes(folded));
    if (operator === undefined) continue;
    const [before, after] = [terms[place - 1], terms[place + 1]];
    if (after === undefined || (operator !== 'NOT' && before === undefined)) continue;
    const isBeside = before?.isText === false || !after.isText;
    const isShouted = text !== text.toLowerCase() || !/\p{L}/u.test(text);
    if (!isBeside && !isShouted && !PLAIN.includes(folded)) continue;
    return { kind: 'operator', text, offers: [{ kind: 'meant', from, to, text: operator }] };
  }
  return null;
}

/** Finds a comparison as other programs write it: `code>=500`, `client=Ann`. */
export function findMeantTerm(text: string, { from, to }: QuerySpan): QueryHint | null {
  const [found, name = '', sign = '', value = ''] =
    /^([a-z][\w.-]*?)(!=|==|=|<=|>=|<|>)([^\s=<>!].*)$/i.exec(text) ?? [];
  const known = found === undefined ? null : findQueryField(name);
  if (known === null) return null;
  const minus = sign === '!=' ? '-' : '';
  const meant = `${minus}${known.keyword}:${/^[<>]/.test(sign) ? sign : ''}${value}`;
  return { kind: 'comparison', text, offers: [{ kind: 'meant', from, to, text: meant }] };
}
