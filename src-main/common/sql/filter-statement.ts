import { foldCase } from '../fold-case.ts';
import type { CodeClass } from '../model/records/record.ts';
import {
  SEARCHED_FIELDS,
  type FieldCondition,
  type FilterField,
  type RecordFilter,
} from '../model/records/record-filter.ts';
import { findOpenBound } from '../query/number-bounds.ts';
import { REPORTS, type Direction, type ReportField } from '../reporting/reports.ts';
import {
  ERROR_FAMILY_COLUMN,
  OUTCOME_COLUMN_NAME,
  SQL_TABLES,
  UTC_COLUMN,
  type SqlTableColumn,
} from './sql-tables.ts';
import { listClockOffsets, toClockText } from './zone-clock.ts';
import type { TimeSpan } from '../time/time-span.ts';

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

/** True when a filter says more than SQL can: conditions on marks and notes are left out of a statement. */
export function isPartlySaid(filter: RecordFilter): boolean {
  return filter.conditions.some(({ field }) => FIELDS_WITHOUT_COLUMN.includes(field));
}

/** Conditions of SQL, one for each condition of a filter, that hold for the same records. */
export function toConditionsSql(filter: RecordFilter, direction: Direction, clock: StatementClock): string[] {
  return filter.conditions.flatMap((condition) => {
    if (FIELDS_WITHOUT_COLUMN.includes(condition.field)) return [];
    const parts = listAlternatives(condition, direction, clock);
    if (parts === null) return [];
    const [first = 'false', ...more] = parts;
    const sql = more.length === 0 ? first : `(${parts.join(' OR ')})`;
    // A comparison with null is neither true nor false: what is excluded must be known to hold.
    return condition.exclude === true ? `NOT coalesce(${sql}, false)` : sql;
  });
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
  if (field === 'anywhere') return text === undefined ? null : [toSearchSql(text, direction)];
  const listed = values.length + anyCase.length + classes.length;
  if (listed === 0 && min === undefined && max === undefined && text === undefined) return null;
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
  return parts;
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

function toSearchSql(text: string, direction: Direction): string {
  const columns = SEARCHED_FIELDS.flatMap((field) => findSqlColumn(field, direction)?.name ?? []);
  return `(${columns.map((column) => toContainsSql(column, text)).join(' OR ')})`;
}
