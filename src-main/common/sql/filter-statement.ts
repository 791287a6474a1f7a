import { foldCase } from '../fold-case.ts';
import { toOwnSqlName } from '../model/connections/own-table.ts';
import {
  type BodyField,
  type BodyPath,
  type BodyRoot,
  isBodyField,
  OWN_ROOT,
  parseBodyPath,
} from '../model/records/body-path.ts';
import {
  type FieldCondition,
  type FilterField,
  type FilterPart,
  type RecordFilter,
  SEARCHED_FIELDS,
} from '../model/records/record-filter.ts';
import type { CodeClass } from '../model/records/record.ts';
import { isGroup, namesField, saysAnything } from '../query/filter-tree.ts';
import { findOpenBound } from '../query/query-fields.ts';
import { toWildcardRegex } from '../query/text-tests.ts';
import { type Direction, type ReportField, REPORTS } from '../reporting/reports.ts';
import { toOffsetMs } from '../time/civil-time.ts';
import { DAY_MS } from '../time/durations.ts';
import type { TimeSpan } from '../time/time-span.ts';
import {
  ERROR_FAMILY_COLUMN,
  OTHER_FIELDS_COLUMN,
  OUTCOME_COLUMN_NAME,
  SQL_TABLES,
  type SqlTableColumn,
  UTC_COLUMN,
} from './sql-tables.ts';

/** The clock that times are written in, and the period over which it must be unambiguous. */
export interface StatementClock extends TimeSpan {
  readonly zone: string;
}

/** Records with a code of each class, over a table that has `response_code`. */
export const CODE_CLASS_SQL: Readonly<Record<CodeClass, string>> = {
  '2xx': 'response_code BETWEEN 100 AND 299',
  '3xx': 'response_code BETWEEN 300 AND 399',
  '4xx': 'response_code BETWEEN 400 AND 499',
  '5xx': 'response_code BETWEEN 500 AND 599',
  none: '(response_code IS NULL OR response_code NOT BETWEEN 100 AND 599)',
};
/** What a person notes on records is in no table of SQL. */
const FIELDS_WITHOUT_COLUMN: readonly FilterField[] = ['mark', 'note'];

/** True when a filter says more than SQL can: what it says of marks and notes is left out of a statement. */
export function isPartlySaid(filter: RecordFilter): boolean {
  return filter.conditions.some((part) => namesField(part, ...FIELDS_WITHOUT_COLUMN));
}

/** Conditions of SQL, one for each part of a filter, that hold for the same records. */
export function toConditionsSql(filter: RecordFilter, direction: Direction, clock: StatementClock): string[] {
  return filter.conditions.flatMap((part) => {
    // Of alternatives none can be left out without changing what the others say.
    if (namesField(part, ...FIELDS_WITHOUT_COLUMN)) return [];
    const parts = isGroup(part)
      ? toAnySql(part.any, direction, clock)
      : listAlternatives(part, direction, clock);
    return parts === null ? [] : toPartSql(part, parts);
  });
}

function toAnySql(any: readonly RecordFilter[], direction: Direction, clock: StatementClock): string[] {
  return any.map((all) => {
    const conditions = toConditionsSql(all, direction, clock);
    if (conditions.length === 0) return 'true';
    return conditions.length === 1 ? conditions.join('') : `(${conditions.join(' AND ')})`;
  });
}

function toPartSql({ exclude }: FilterPart, alternatives: readonly string[]): string {
  const [first = 'false', ...more] = alternatives;
  const sql = more.length === 0 ? first : `(${alternatives.join(' OR ')})`;
  // A comparison with null is neither true nor false: what is excluded must be known to hold.
  return exclude === true ? `NOT coalesce(${sql}, false)` : sql;
}

/**
 * Conditions on a text for the patterns of a filter's condition. Both kinds run as regular expressions of RE2, in time
 * that grows with the text and the pattern and no faster; a wildcard finds the whole of folded texts, or anywhere a part.
 */
export function toPatternsSql(
  { field, wildcard, regex }: FieldCondition,
  text: string,
  write: (pattern: string) => string = quoteText,
): string[] {
  const parts: string[] = [];
  if (wildcard !== undefined) {
    const pattern = toWildcardRegex(wildcard, field === 'anywhere');
    // Without a value there is nothing that a star could stand for.
    parts.push(`(${text} <> '' AND regexp_matches(fold_case(${text}), ${write(pattern)}))`);
  }
  if (regex !== undefined) parts.push(`(${text} <> '' AND regexp_matches(${text}, ${write(regex)}, 'is'))`);
  return parts;
}

/** The column of a field in SQL; null where the direction does not have it. */
export function findSqlColumn(field: FilterField, direction: Direction): SqlTableColumn | null {
  const fields: Readonly<Record<string, ReportField>> = REPORTS[`${direction}-detail`].fields;
  const made = { errorFamily: ERROR_FAMILY_COLUMN, outcome: OUTCOME_COLUMN_NAME, dateMs: 'date' } as const;
  const own = field in made ? made[field as keyof typeof made] : fields[field]?.column;
  const table = SQL_TABLES.find((candidate) => candidate.name === direction);
  return table?.columns.find((column) => column.name === own) ?? null;
}

/** A text as SQL writes it. */
export function quoteText(text: string): string {
  // A text in SQL can't hold the character that ends it for the parser.
  return text
    .split('\0')
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join(' || chr(0) || ');
}

/** Null where the condition says nothing. */
function listAlternatives(
  condition: FieldCondition,
  direction: Direction,
  clock: StatementClock,
): string[] | null {
  const { field, values = [], anyCase = [], classes = [], min, max, text } = condition;
  if (!saysAnything(condition)) return null;
  if (field === 'anywhere') {
    const columns = SEARCHED_FIELDS.flatMap((searched) => findSqlColumn(searched, direction)?.name ?? []);
    const found = text === undefined ? [] : columns.map((name) => toContainsSql(name, text));
    return [...found, ...columns.flatMap((name) => toPatternsSql(condition, name))];
  }
  if (isBodyField(field)) {
    const path = parseBodyPath(field);
    const values = path === null ? null : findPathValues(path, direction);
    return values === null ? [] : toBodyPartsSql(condition, values, quoteText);
  }
  const column = findSqlColumn(field, direction);
  if (column === null) return [];
  const { name, type } = column;
  const parts = toValuesSql(values, column);
  if (anyCase.length > 0) {
    const folded = anyCase.map((value) => quoteText(foldCase(value)));
    parts.push(type === 'text' ? toOneOfSql(`fold_case(${name})`, folded) : 'false');
  }
  if (field === 'responseCode') parts.push(...classes.map((code) => CODE_CLASS_SQL[code]));
  if (type === 'timestamp') parts.push(...toSpanSql(min, max, clock));
  else if (type !== 'text' && (min !== undefined || max !== undefined)) {
    const bounds = [
      ...(min === undefined ? [] : [toBoundSql(name, min, 'min')]),
      ...(max === undefined ? [] : [toBoundSql(name, max, 'max')]),
    ];
    parts.push(bounds.length === 1 ? bounds.join('') : `(${bounds.join(' AND ')})`);
  }
  if (text !== undefined && type === 'text') parts.push(toContainsSql(name, text));
  parts.push(...toPatternsSql(condition, type === 'text' ? name : `${name}::VARCHAR`));
  return parts;
}

/** What a record has at a path as a text, the values of a list one after the other; null where the direction has no such body. */
export function toPathText(field: BodyField, direction: Direction): string | null {
  const path = parseBodyPath(field);
  const values = path === null ? null : findPathValues(path, direction);
  if (values === null) return null;
  return values.isList ? `array_to_string(${values.sql}, ', ')` : values.sql;
}

/** Null where the direction has no such body. */
function findPathValues({ root, steps }: BodyPath, direction: Direction): BodyValues | null {
  if (root === OWN_ROOT) return { sql: toOwnSqlName(steps[0] ?? '', steps[1] ?? ''), isList: false };
  return hasColumn(BODY_COLUMNS[root], direction) ? toBodyValues({ root, steps }, quoteText) : null;
}

function hasColumn(name: string, direction: Direction): boolean {
  const table = SQL_TABLES.find((candidate) => candidate.name === direction);
  return table?.columns.some((column) => column.name === name) === true;
}

/**
 * Alternatives of a condition on the values at a path: any element of a list may meet them. A number is found however it
 * is written.
 */
export function toBodyPartsSql(
  condition: FieldCondition,
  { sql, isList }: BodyValues,
  write: (text: string) => string,
): string[] {
  const { values = [], anyCase = [], min, max, text } = condition;
  const own = isList ? 'own' : sql;
  const parts: string[] = [];
  const exact = values.flatMap((value) => (value === null || value === '' ? [] : [String(value)]));
  if (exact.length > 0) parts.push(toOneOfSql(own, exact.map(write)));
  const numbers = exact.flatMap((value) => toBodyNumber(value) ?? []).filter(isExactNumber);
  if (numbers.length > 0) parts.push(toOneOfSql(`body_number(${own})`, numbers.map(toDoubleSql)));
  if (anyCase.length > 0)
    parts.push(
      toOneOfSql(
        `fold_case(${own})`,
        anyCase.map((value) => write(foldCase(value))),
      ),
    );
  if (min !== undefined || max !== undefined) {
    const bounds = [
      ...(min === undefined ? [] : [`body_number(${own}) >= ${toDoubleSql(min)}`]),
      ...(max === undefined ? [] : [`body_number(${own}) <= ${toDoubleSql(max)}`]),
    ];
    parts.push(bounds.length === 1 ? bounds.join('') : `(${bounds.join(' AND ')})`);
  }
  if (text !== undefined) parts.push(`contains(fold_case(${own}), ${write(foldCase(text))})`);
  parts.push(...toPatternsSql(condition, own, write));
  const isBlank = exact.length < values.length;
  if (!isList) return [...parts, ...(isBlank ? [`coalesce(${sql}, '') = ''`] : [])];
  return [
    ...(parts.length === 0 ? [] : [`len(list_filter(${sql}, lambda own: ${parts.join(' OR ')})) > 0`]),
    ...(isBlank ? [`coalesce(len(list_filter(${sql}, lambda own: own <> '')), 0) = 0`] : []),
  ];
}

/** Beyond these, numbers that differ are equal as such. */
function isExactNumber(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function toDoubleSql(value: number): string {
  const text = String(value);
  return text.includes('e') ? text : `${text}e0`;
}

function toValuesSql(
  values: NonNullable<FieldCondition['values']>,
  { name, type }: SqlTableColumn,
): string[] {
  const parts: string[] = [];
  const exact = values.filter((value) => value !== null && value !== '');
  const written = exact.flatMap((value) => toValueSql(value ?? '', type) ?? []);
  if (exact.length > 0) {
    parts.push(written.length === 0 ? 'false' : toOneOfSql(name, written));
  }
  if (exact.length < values.length) {
    parts.push(type === 'text' ? `(${name} IS NULL OR ${name} = '')` : `${name} IS NULL`);
  }
  return parts;
}

function toOneOfSql(sql: string, written: readonly string[]): string {
  return written.length === 1 ? `${sql} = ${written.join('')}` : `${sql} IN (${written.join(', ')})`;
}

/** Null for a value that no record can have. */
function toValueSql(value: string | number, type: SqlTableColumn['type']): string | null {
  if (type === 'text') return quoteText(String(value));
  const number = Number(value);
  if (type === 'double') return Number.isFinite(number) ? toNumberSql(number) : null;
  return type === 'integer' && Number.isSafeInteger(number) ? String(number) : null;
}

/** A number; with an exponent where it is not whole, so that SQL takes it for what it is and not for a decimal. */
function toNumberSql(value: number): string {
  const text = String(value);
  return Number.isInteger(value) || text.includes('e') ? text : `${text}e0`;
}

function toBoundSql(name: string, bound: number, side: 'min' | 'max'): string {
  const open = findOpenBound(bound, side);
  const sign = side === 'min' ? '>' : '<';
  return open === null ? `${name} ${sign}= ${toNumberSql(bound)}` : `${name} ${sign} ${toNumberSql(open)}`;
}

function toSpanSql(min: number | undefined, max: number | undefined, clock: StatementClock): string[] {
  if (min === undefined && max === undefined) return [];
  const isPlain = listClockOffsets(clock.fromMs, clock.toMs, clock.zone).length === 1;
  const name = isPlain ? 'date' : UTC_COLUMN;
  const toTime = (atMs: number): string => `TIMESTAMP '${toClockText(atMs, isPlain ? clock.zone : 'UTC')}'`;
  const bounds = [
    ...(min === undefined ? [] : [`${name} >= ${toTime(Math.ceil(min))}`]),
    ...(max === undefined ? [] : [`${name} < ${toTime(Math.ceil(max))}`]),
  ];
  return [bounds.length === 1 ? bounds.join('') : `(${bounds.join(' AND ')})`];
}

function toContainsSql(column: string, text: string): string {
  return `contains(fold_case(${column}), ${quoteText(foldCase(text))})`;
}

/**
 * Statements that make what paths are read with. A body that isn't JSON has no paths; null is no value; an object or an
 * array is its text.
 */
export const BODY_MACROS: readonly string[] = [
  'CREATE MACRO body_json(body) AS CASE WHEN json_valid(body) THEN body END',
  'CREATE MACRO body_text(body, pointer) AS json_extract_string(body_json(body), pointer)',
  // A number that is written as a text counts as one: services send either.
  String.raw`CREATE MACRO body_number(text) AS CASE
     WHEN regexp_full_match(text, '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?')
       AND isfinite(TRY_CAST(text AS DOUBLE)) THEN TRY_CAST(text AS DOUBLE) END`,
];

/** The same as `body_number` of a text that is known. */
export function toBodyNumber(text: string): number | null {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?$/i.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** The column that a body is in. */
export const BODY_COLUMNS = { payload: 'payload', response: 'response', other: OTHER_FIELDS_COLUMN } as const;

/** The values at a path as SQL has them. */
export interface BodyValues {
  /** A text, or, with `isList`, a list of texts, none of them null; null where there is no body. */
  readonly sql: string;
  readonly isList: boolean;
}

/** Writes the expression of the values at a path: every place that reads bodies reads them by this one. */
export function toBodyValues(
  { root, steps }: BodyPath & { readonly root: BodyRoot },
  write: (text: string) => string,
): BodyValues {
  const column = BODY_COLUMNS[root];
  const parts: string[][] = [[]];
  for (const step of steps) {
    if (step === null) parts.push([]);
    else parts.at(-1)?.push(step);
  }
  const [first = [], ...inner] = parts;
  if (inner.length === 0) return { sql: `body_text(${column}, ${write(toPointer(first))})`, isList: false };
  // Each part but the last ends with an array.
  const toElements = (json: string, keys: readonly string[]): string => {
    const own = keys.length === 0 ? json : `json_extract(${json}, ${write(toPointer(keys))})`;
    return `coalesce(json_extract(${own}, '$[*]'), [])`;
  };
  let list = toElements(`body_json(${column})`, first);
  for (const keys of inner.slice(0, -1))
    list = `flatten(list_transform(${list}, lambda part: ${toElements('part', keys)}))`;
  const last = inner.at(-1) ?? [];
  const pointer = last.length === 0 ? `'$'` : write(toPointer(last));
  const texts = `list_transform(${list}, lambda part: json_extract_string(part, ${pointer}))`;
  return { sql: `list_filter(${texts}, lambda part: part IS NOT NULL)`, isList: true };
}

/** Keys as a JSON pointer (RFC 6901). */
function toPointer(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** How far a zone's clock is ahead of UTC from an instant on. */
export interface ClockOffset {
  readonly fromMs: number;
  readonly offsetMs: number;
}

/**
 * What a zone's clock is ahead of UTC over [fromMs, toMs), the first entry also before it. Zones change their clocks at
 * most once in a day.
 */
export function listClockOffsets(fromMs: number, toMs: number, zone: string): ClockOffset[] {
  const offsets: ClockOffset[] = [{ fromMs, offsetMs: toOffsetMs(fromMs, zone) }];
  if (zone === 'UTC') return offsets;
  for (let atMs = fromMs; atMs < toMs; atMs += DAY_MS) {
    const before = offsets.at(-1)?.offsetMs ?? 0;
    const nextMs = Math.min(atMs + DAY_MS, toMs);
    const after = toOffsetMs(nextMs, zone);
    if (after !== before) offsets.push({ fromMs: findChange(atMs, nextMs, zone), offsetMs: after });
  }
  return offsets;
}

/** The first instant in (lowMs, highMs] at which the offset is that of highMs. */
function findChange(lowMs: number, highMs: number, zone: string): number {
  const after = toOffsetMs(highMs, zone);
  let low = lowMs;
  let high = highMs;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (toOffsetMs(middle, zone) === after) high = middle;
    else low = middle;
  }
  return high;
}

/** An instant as a zone's clock shows it, in the form that SQL takes: `2026-11-19 07:30:00`, with thousandths if any. */
export function toClockText(epochMs: number, zone: string): string {
  return new Date(epochMs + toOffsetMs(epochMs, zone))
    .toISOString()
    .replace('T', ' ')
    .replace(/(\.000)?Z$/, '');
}
