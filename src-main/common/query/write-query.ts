import { hasCase } from '../fold-case.ts';
import {
  MAX_TEXT_CHARACTERS,
  type FieldCondition,
  type FilterGroup,
  type FilterPart,
  type RecordFilter,
} from '../model/records/record-filter.ts';
import type { QueryClock } from './query-values.ts';
import { isGroup } from './filter-tree.ts';
import { findOpenBound, type QueryField, quoteText, toQueryField } from './query-fields.ts';
import { splitWildcard } from './text-tests.ts';

/** Writes a filter as the query that reads as the same filter. */
export function writeQuery(filter: RecordFilter, clock: QueryClock): string {
  const [only] = filter.conditions;
  // Alternatives by themselves need no brackets.
  if (filter.conditions.length === 1 && only !== undefined && isGroup(only) && only.exclude !== true)
    return writeAny(only, clock);
  return writeAll(filter, clock);
}

function writeAll({ conditions }: RecordFilter, clock: QueryClock): string {
  return conditions.map((part) => writePart(part, clock)).join(' ');
}

function writeAny({ any }: FilterGroup, clock: QueryClock): string {
  return any.map((all) => writeAll(all, clock)).join(' OR ');
}

/** Writes one condition, or alternatives in brackets, as it stands in a query. */
export function writePart(part: FilterPart, clock: QueryClock): string {
  const minus = part.exclude === true ? '-' : '';
  return isGroup(part) ? `${minus}(${writeAny(part, clock)})` : writeTerm(part, clock);
}

/** Writes one condition as a term of a query. */
function writeTerm(condition: FieldCondition, clock: QueryClock): string {
  const minus = condition.exclude === true ? '-' : '';
  const { text, wildcard, regex } = condition;
  const field = toQueryField(condition.field);
  if (field === null) {
    if (regex !== undefined) return `${minus}${writeRegex(regex)}`;
    return `${minus}${wildcard === undefined ? quote(text ?? '', PLAIN_TEXT) : writeWildcard(wildcard, PLAIN_TEXT)}`;
  }
  if (isPresence(condition)) return `${field.keyword}:*`;
  const values = listWritten(condition, field, clock);
  const patterns = [
    ...(wildcard === undefined ? [] : [writeWildcard(wildcard, PLAIN_VALUE)]),
    ...(regex === undefined ? [] : [writeRegex(regex)]),
  ];
  return `${minus}${field.keyword}:${[...values, ...patterns].join(',')}`;
}

function listWritten(condition: FieldCondition, field: QueryField, clock: QueryClock): string[] {
  if (field.kind === 'text') return writeText(condition, field);
  if (field.kind !== 'any') return writeNumbers(condition, field, clock);
  return [...writeText(condition, field), ...writeNumbers({ ...condition, values: [] }, field, clock)];
}

/** True for a condition that says no more than that the field has a value. */
export function isPresence(condition: FieldCondition): boolean {
  const { values, exclude } = condition;
  const isBlank = values?.length === 1 && (values[0] === '' || values[0] === null);
  return exclude === true && isBlank && Object.keys(condition).length === 3;
}

function writeWildcard(pattern: string, plain: RegExp): string {
  return splitWildcard(pattern)
    .map((piece) => (piece === '' ? '' : quote(piece, plain)))
    .join('*');
}

function writeRegex(regex: string): string {
  return `/${regex.replace(/\\.|\//gs, (found) => (found === '/' ? '\\/' : found))}/`;
}

/**
 * Returns what is put into an empty query line for a text that was pasted: one that begins as messages and addresses do is
 * searched as it stands. Null for a text that is a query.
 */
export function toPastedQuery(pasted: string): string | null {
  const [line = ''] = pasted.trim().split(/[\r\n]/, 1);
  const isText = /^[\w.$-]+:(\s|\/\/)/.test(line) || (/^[\w.$]+:$/.test(line) && line !== pasted.trim());
  return isText ? quoteText(line.slice(0, MAX_TEXT_CHARACTERS)) : null;
}

/** Writes a value as it stands in a term, in quotes where it needs them. */
export function writeValue(value: string): string {
  return quote(value, PLAIN_VALUE);
}

/** What begins with a stroke could be read as a regular expression, or as an address, `error://x`. */
const PLAIN_VALUE = /^[^\s"\\,*()<>=~/][^\s"\\,*()]*$/;
const NO_RANGE = /^(?!-?[\d.]+\.\.|\.\.)[^\s"\\,*()<>=~/][^\s"\\,*()]*$/;
const PLAIN_TEXT = /^(?!(?:AND|OR|NOT)$)[^\s"\\:*()/!-][^\s"\\:*()]*$/;

function writeText({ values = [], anyCase = [], text }: FieldCondition, known: QueryField): string[] {
  const { match } = known;
  // Without a sign a value is found in any letter case, and where a field finds parts, as a part.
  const exact = values.map((value) => {
    const own = String(value ?? '');
    const isOwn = known.field === 'mark' || known.field === 'outcome';
    const isMarked = own !== '' && !isOwn && (hasCase(own) || match !== 'whole');
    // In quotes it is no range.
    const plain = known.kind === 'any' ? NO_RANGE : PLAIN_VALUE;
    return `${isMarked ? '=' : ''}${quote(own, plain)}`;
  });
  const whole = anyCase.map((value) => (match === 'whole' ? quote(value, PLAIN_VALUE) : quoteText(value)));
  if (text === undefined) return [...exact, ...whole];
  // In quotes the value of a name is all of it.
  const isBare = match === 'part' || (match === 'name' && PLAIN_VALUE.test(text));
  return [...exact, ...whole, `${isBare ? '' : '~'}${quote(text, PLAIN_VALUE)}`];
}

function writeNumbers(condition: FieldCondition, { kind }: QueryField, clock: QueryClock): string[] {
  const { values = [], classes = [], min, max } = condition;
  const write = (value: number): string =>
    kind === 'date' ? quote(clock.write(value), PLAIN_VALUE) : String(value);
  const parts = [
    ...classes,
    ...values.map((value) => (value === null ? (kind === 'code' ? '""' : 'none') : String(value))),
  ];
  const isFractional = kind === 'number' || kind === 'any';
  const above = isFractional && min !== undefined ? findOpenBound(min, 'min') : null;
  const below = isFractional && max !== undefined ? findOpenBound(max, 'max') : null;
  if (above !== null || below !== null) {
    // Each end by itself: `..` includes both.
    if (min !== undefined) parts.push(above === null ? `>=${write(min)}` : `>${write(above)}`);
    if (max !== undefined) parts.push(below === null ? `<=${write(max)}` : `<${write(below)}`);
  } else if (min !== undefined && max !== undefined) parts.push(`${write(min)}..${write(max)}`);
  else if (min !== undefined) parts.push(`>=${write(min)}`);
  else if (max !== undefined) parts.push(kind === 'date' ? `<${write(max)}` : `<=${write(max)}`);
  return parts;
}

function quote(text: string, plain: RegExp): string {
  return plain.test(text) ? text : quoteText(text);
}
