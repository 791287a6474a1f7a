import { hasCase } from '../fold-case.ts';
import {
  MAX_TEXT_CHARACTERS,
  type FieldCondition,
  type RecordFilter,
} from '../model/records/record-filter.ts';
import type { QueryClock } from './parse-query.ts';
import { findOpenBound } from './number-bounds.ts';
import { toQueryField, type QueryField } from './query-fields.ts';

/** Writes a filter as the query that reads as the same filter. */
export function writeQuery(filter: RecordFilter, clock: QueryClock): string {
  return filter.conditions.map((condition) => writeTerm(condition, clock)).join(' ');
}

/** Writes one condition as a term of a query. */
function writeTerm(condition: FieldCondition, clock: QueryClock): string {
  const minus = condition.exclude === true ? '-' : '';
  const { text = '' } = condition;
  if (condition.field === 'anywhere') return `${minus}${quote(text, /^[^\s"\\:-][^\s"\\:]*$/)}`;
  const field = toQueryField(condition.field);
  if (field === null) return '';
  const values = field.kind === 'text' ? writeText(condition, field) : writeNumbers(condition, field, clock);
  return `${minus}${field.keyword}:${values.join(',')}`;
}

/**
 * Returns what is put into an empty query line for a text that was pasted: one that begins as messages and addresses do is
 * searched as it stands. Null for a text that is a query.
 */
export function toPastedQuery(pasted: string): string | null {
  const [line = ''] = pasted.trim().split(/[\r\n]/, 1);
  const isText = /^[\w.$-]+:(\s|\/\/)/.test(line) || (/^[\w.$]+:$/.test(line) && line !== pasted.trim());
  return isText ? quote(line.slice(0, MAX_TEXT_CHARACTERS), /^$/) : null;
}

/** Writes a value as it stands in a term, in quotes where it needs them. */
export function writeValue(value: string): string {
  return quote(value, PLAIN_VALUE);
}

/** What begins with two strokes would be read as an address, `error://x`. */
const PLAIN_VALUE = /^(?!\/\/)[^\s"\\,<>=~][^\s"\\,]*$/;

function writeText({ values = [], anyCase = [], text }: FieldCondition, known: QueryField): string[] {
  if (text !== undefined) return [`${known.findsParts ? '' : '~'}${quote(text, PLAIN_VALUE)}`];
  const isOnly = values.length + anyCase.length === 1;
  // Without the sign a value is found in any letter case, and a lone one, where a field finds parts, as a part.
  const exact = values.map((value) => {
    const own = String(value ?? '');
    const isAnyCase = known.field !== 'mark' && known.field !== 'outcome' && hasCase(own);
    const isMarked = own !== '' && (isAnyCase || (known.findsParts && isOnly));
    return `${isMarked ? '=' : ''}${quote(own, PLAIN_VALUE)}`;
  });
  return [...exact, ...anyCase.map((value) => quote(value, PLAIN_VALUE))];
}

function writeNumbers(condition: FieldCondition, { kind }: QueryField, clock: QueryClock): string[] {
  const { values = [], classes = [], min, max } = condition;
  const write = (value: number): string =>
    kind === 'date' ? quote(clock.write(value), PLAIN_VALUE) : String(value);
  const parts = [
    ...classes,
    ...values.map((value) => (value === null ? (kind === 'code' ? '""' : 'none') : String(value))),
  ];
  const above = kind === 'number' && min !== undefined ? findOpenBound(min, 'min') : null;
  const below = kind === 'number' && max !== undefined ? findOpenBound(max, 'max') : null;
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
  return plain.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}
