import { AppError } from '../../../common/contract/errors.ts';
import { foldCase } from '../../../common/fold-case.ts';
import {
  SEARCHED_FIELDS,
  type FieldCondition,
  type FilterField,
  type FilterPart,
  type RecordFilter,
} from '../../../common/model/records/record-filter.ts';
import {
  isBodyField,
  OWN_ROOT,
  parseBodyPath,
  writeBodyPath,
} from '../../../common/model/records/body-path.ts';
import { checkRegex } from '../../../common/query/text-tests.ts';
import {
  isGroup,
  isTooLarge,
  listLeaves,
  saysAnything,
  withoutField,
} from '../../../common/query/filter-tree.ts';
import { OUTCOMES } from '../../../common/reporting/outcome.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import {
  BODY_COLUMNS,
  type BodyValues,
  CODE_CLASS_SQL,
  quoteText,
  toBodyPartsSql,
  toBodyValues,
  toPatternsSql,
} from '../../../common/sql/filter-statement.ts';
import { ENGINE_COLUMNS, findColumn, OUTCOME_COLUMN, type EngineColumn } from './engine-tables.ts';

/** A condition on marks or notes, once it is known which records meet it. */
export interface MarkedCondition extends FieldCondition {
  /** Ids of records; with `isExcept` all others meet the condition. */
  readonly marked: { readonly ids: readonly number[]; readonly isExcept: boolean };
}

/** Values bound to a statement, by their place. */
export type BoundValue = string | number | bigint;

/** A condition over a direction's columns, with `$n` in the place of values. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly BoundValue[];
}

/** What every record meets. */
export const NO_CONDITION: SqlCondition = { sql: 'true', values: [] };

/**
 * Digits and the signs after them, of which none but itself folds to it. Texts are looked through for the first of them:
 * digits are rare.
 */
const DIGITS = /[0-9]{2}[ -:<-@[-_{-~]*/g;

/**
 * A filter as SQL; 'true' where it restricts nothing. A condition on a field that the direction does not have
 * matches no record, and excludes none. `without` leaves out what the filter says of one field alone; `values` holds what
 * other conditions of the same statement have bound before.
 */
export function toFilterSql(
  filter: RecordFilter,
  direction: Direction,
  without?: FilterField,
  values: BoundValue[] = [],
): SqlCondition {
  if (isTooLarge(filter)) throw new AppError('app.invalid-input', 'The filter has too many conditions.');
  for (const { regex } of listLeaves(filter)) {
    const wrong = regex === undefined ? null : checkRegex(regex);
    if (wrong !== null) throw new AppError('app.invalid-input', 'A pattern is not run.', { ...wrong });
  }
  const bind = (value: BoundValue): string => `$${values.push(value)}`;
  const asked = without === undefined ? filter : withoutField(filter, without);
  return { sql: toAllSql(asked, direction, bind), values };
}

type Bind = (value: BoundValue) => string;

function toAllSql({ conditions }: RecordFilter, direction: Direction, bind: Bind): string {
  const parts = conditions.flatMap((part) => toPartSql(part, direction, bind) ?? []);
  return parts.length === 0 ? 'true' : parts.join(' AND ');
}

/** Null where the part says nothing. */
function toPartSql(part: FilterPart, direction: Direction, bind: Bind): string | null {
  if (!isGroup(part)) return toConditionSql(part, direction, bind);
  const any = part.any.map((all) => `(${toAllSql(all, direction, bind)})`);
  const sql = `(${any.join(' OR ')})`;
  return part.exclude === true ? `NOT coalesce(${sql}, false)` : sql;
}

function toSearchSql(search: string, direction: Direction, bind: Bind): string {
  const columns = SEARCHED_FIELDS.flatMap((field) => findColumn(field, direction)?.name ?? []);
  return `(${columns.map((column) => toContainsSql(column, search, bind)).join(' OR ')})`;
}

/** Digits are looked for first as they stand: folding a long text takes longer than searching it. */
function toContainsSql(column: string, search: string, bind: Bind): string {
  const text = foldCase(search);
  const [digits = ''] = (text.match(DIGITS) ?? []).sort((a, b) => b.length - a.length);
  const first = digits === '' ? [] : [`contains(${column}, ${bind(digits)})`];
  const whole = digits === text ? [] : [`contains(fold_case(${column}), ${bind(text)})`];
  return `(${[...first, ...whole].join(' AND ')})`;
}

function toConditionSql(condition: FieldCondition, direction: Direction, bind: Bind): string | null {
  const parts = listAlternatives(condition, direction, bind);
  if (parts === null) return null;
  const sql = parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`;
  // A comparison with null is neither true nor false: what is excluded must be known to hold.
  return condition.exclude === true ? `NOT coalesce(${sql}, false)` : sql;
}

/** Null where the condition says nothing. */
function listAlternatives(condition: FieldCondition, direction: Direction, bind: Bind): string[] | null {
  const { field, values = [], anyCase = [], classes = [], min, max, text } = condition;
  if ('marked' in condition) return [toMarkedSql(condition as MarkedCondition)];
  if (!saysAnything(condition)) return null;
  if (field === 'anywhere') {
    const columns = SEARCHED_FIELDS.flatMap((searched) => findColumn(searched, direction)?.name ?? []);
    const found = text === undefined ? [] : [toSearchSql(text, direction, bind)];
    return [...found, ...columns.flatMap((name) => toPatternsSql(condition, name, bind))];
  }
  if (isBodyField(field)) {
    const found = toPathValues(field, direction, condition);
    return found === null ? [] : toBodyPartsSql(condition, found, bind);
  }
  const column = findColumn(field, direction);
  if (column === null) return [];
  if (column === OUTCOME_COLUMN) return [toOutcomesSql([...values, ...anyCase])];
  const { name } = column;
  const isText = column.type === 'VARCHAR';
  const parts: string[] = [];
  const exact = values.filter((value) => value !== null && value !== '');
  if (exact.length > 0) {
    const bound = exact.flatMap((value) => toExact(value, column) ?? []).map(bind);
    parts.push(bound.length === 0 ? 'false' : `${name} IN (${bound.join(', ')})`);
  }
  if (exact.length < values.length)
    parts.push(isText ? `(${name} IS NULL OR ${name} = '')` : `${name} IS NULL`);
  if (anyCase.length > 0 && isText) {
    const folded = anyCase.map((value) => bind(foldCase(value)));
    parts.push(`fold_case(${name}) IN (${folded.join(', ')})`);
  } else if (anyCase.length > 0) parts.push('false');
  if (field === 'responseCode') parts.push(...classes.map((name) => CODE_CLASS_SQL[name]));
  if ((min !== undefined || max !== undefined) && !isText) {
    const isBelow = field === 'dateMs' ? '<' : '<=';
    const bounds = [
      ...(min === undefined ? [] : [`${name} >= ${bind(toBound(min, column))}`]),
      ...(max === undefined ? [] : [`${name} ${isBelow} ${bind(toBound(max, column))}`]),
    ];
    parts.push(`(${bounds.join(' AND ')})`);
  }
  if (text !== undefined && isText) parts.push(toContainsSql(name, text, bind));
  parts.push(...toPatternsSql(condition, isText ? name : `${name}::VARCHAR`, bind));
  return parts;
}

/** A condition on a path whose values the engine keeps, while it does, or has in a table of a person's own. */
export interface KeptCondition extends FieldCondition {
  readonly kept: KeptPath;
}

/** The values at a path as an expression that reads no body: mostly a column of their own. */
export interface KeptPath {
  /** Null while it isn't filled, and once another path has its place. */
  readonly column: string | null;
}

/**
 * The values at a path, from the column that keeps them if there is one; null where the direction has no such body. Throws
 * AppError `app.invalid-input` for what is no path, and `own-tables.unknown` for a column of no table that is known.
 */
export function toPathValues(
  field: string,
  direction: Direction,
  condition: Partial<KeptCondition> = {},
): BodyValues | null {
  const path = parseBodyPath(field);
  if (path === null || writeBodyPath(path) !== field)
    throw new AppError('app.invalid-input', 'This is no path in a body.', { field });
  const { root, steps } = path;
  const kept = condition.kept?.column ?? null;
  if (root === OWN_ROOT) {
    if (kept !== null) return { sql: kept, isList: false };
    throw new AppError('own-tables.unknown', `The connection has no own table with the field ${field}.`, {
      field,
    });
  }
  const column = BODY_COLUMNS[root];
  if (!ENGINE_COLUMNS[direction].some(({ name }) => name === column)) return null;
  if (kept === null) return toBodyValues({ root, steps }, quoteText);
  return steps.includes(null)
    ? { sql: `from_json(${kept}, '["VARCHAR"]')`, isList: true }
    : { sql: kept, isList: false };
}

/** What a column keeps of the values of a path through a list: their texts as JSON, since columns of lists aren't updated in place. */
export function toKeptList(values: string): string {
  return `to_json(${values})::VARCHAR`;
}

/** Outcomes stand in the statement itself, as what they are: compared with a text, each record's would become one. */
function toOutcomesSql(values: readonly (string | number | null)[]): string {
  const named = OUTCOMES.filter((outcome) => values.some((value) => String(value).toLowerCase() === outcome));
  if (named.length === 0) return 'false';
  return `outcome IN (${named.map((outcome) => `'${outcome}'::outcome`).join(', ')})`;
}

/** Ids are numbers of the application, never input: they stand in the statement itself. */
function toMarkedSql({ marked: { ids, isExcept } }: MarkedCondition): string {
  if (ids.length === 0) return String(isExcept);
  return `record_id ${isExcept ? 'NOT IN' : 'IN'} (${ids.join(', ')})`;
}

/** Null for a value that no record can have. */
function toExact(value: string | number | null, { type }: EngineColumn): BoundValue | null {
  if (value === null) return null;
  if (type === 'VARCHAR') return String(value);
  const number = Number(value);
  if (type === 'BIGINT') return Number.isSafeInteger(number) ? BigInt(number) : null;
  return Number.isFinite(number) ? number : null;
}

/** A whole number where it can be one, so that it is compared with whole numbers as such. */
function toBound(value: number, { type }: EngineColumn): BoundValue {
  return type === 'BIGINT' && Number.isSafeInteger(value) ? BigInt(value) : value;
}
