import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { foldCase } from '../../../../src-main/common/fold-case.ts';
import type { Facets } from '../../../../src-main/common/model/records/record.ts';
import {
  listFieldsWith,
  RECORD_FIELDS,
  type ValueCounts,
} from '../../../../src-main/common/model/records/record-fields.ts';
import { DIRECTIONS, type Direction } from '../../../../src-main/common/reporting/reports.ts';
import { findSqlColumn } from '../../../../src-main/common/sql/filter-statement.ts';
import { SQL_TABLES, type SqlTable } from '../../../../src-main/common/sql/sql-tables.ts';
import { formatCount, formatPercent } from '../../../format/formats.ts';

const MAX_OPTIONS = 8;

/** Columns whose values are counted, with the name of their counts. */
const COUNTED: ReadonlyMap<string, keyof ValueCounts> = new Map(
  DIRECTIONS.flatMap((direction) =>
    listFieldsWith('counted').map((field) => [
      findSqlColumn(field, direction)?.name ?? '',
      RECORD_FIELDS[field].counted,
    ]),
  ),
);

/** A value that a column has in the period, with its records. */
interface ColumnValue {
  readonly value: string | number;
  readonly count: number;
}

/** What is known of the values of columns. */
export interface ColumnValues {
  /** What is counted of a direction's records; null where that can't be said. */
  read(direction: Direction): Promise<Facets | null>;
  /** The name that a person gave a value; empty where it has none. */
  toName(column: string, value: string | number): string;
  /** What stands above the values of a column. */
  toHeading(column: string): string;
}

interface ValueCompletion extends Completion {
  readonly count: number;
  readonly share: number;
}

/** A value is what a column is compared with. */
const PLACE =
  /(?:\b(\w+)\.)?\b(\w+)\s*(?:=|<>|!=|\bin\s*\((?:[^()]*,)?)\s*('(?:[^']|'')*|-?\d*|[\p{L}][\p{L}\p{N} ]*)$/iu;

interface ValuePlace {
  readonly column: string;
  /** The table or alias that the column is said to be of. */
  readonly owner: string | null;
  readonly typed: string;
}

/** The place of a value at the end of a text; null where none is asked for. */
function findValuePlace(before: string): ValuePlace | null {
  const [whole, owner, name = '', typed = ''] = PLACE.exec(before) ?? [];
  if (whole === undefined || isWithinText(before.slice(0, -whole.length))) return null;
  const column = name.toLowerCase();
  return COUNTED.has(column) ? { column, owner: owner ?? null, typed } : null;
}

/** The values of a column in several tables together, those of most records first. */
function listColumnValues(column: string, facets: readonly Facets[]): ColumnValue[] {
  const counts = new Map<string | number, number>();
  const name = COUNTED.get(column);
  for (const { value, count } of facets.flatMap<ColumnValue>((table) => (name ? table[name] : []))) {
    counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}

/** The directions whose records a column before the cursor belongs to; both where the statement doesn't say. */
function listDirections(text: string, owner: string | null): readonly Direction[] {
  const tables = findTables(text);
  const owned = owner === null ? undefined : tables.get(owner.toLowerCase());
  const named = owned === undefined ? [...tables.values()] : [owned];
  const directions = DIRECTIONS.filter((direction) => named.some(({ name }) => name === direction));
  return directions.length === 0 ? DIRECTIONS : directions;
}

/** Offers the values of the column that one before the cursor is compared with; null where there is none to offer. */
export function completeValue(
  context: CompletionContext,
  values: ColumnValues,
): Promise<CompletionResult | null> | null {
  const { state, pos } = context;
  const place = findValuePlace(state.sliceDoc(0, pos));
  return place === null ? null : offerValues(context, place, values);
}

async function offerValues(
  { state, pos }: CompletionContext,
  { column, owner, typed }: ValuePlace,
  values: ColumnValues,
): Promise<CompletionResult | null> {
  const directions = listDirections(state.doc.toString(), owner);
  const facets = await Promise.all(directions.map((direction) => values.read(direction)));
  const all = listColumnValues(
    column,
    facets.filter((one) => one !== null),
  );
  const total = all.reduce((sum, { count }) => sum + count, 0);
  const wanted = foldCase(typed.replace(/^'/, ''));
  // With a whole value before it, Enter is the end of a line.
  if (all.some(({ value }) => foldCase(String(value)) === wanted)) return null;
  const options = all
    .map(({ value, count }) => ({ value, count, name: values.toName(column, value) }))
    .filter(({ value, name }) => [String(value), name].some((text) => foldCase(text).startsWith(wanted)))
    .slice(0, MAX_OPTIONS)
    .map(({ value, count, name }): ValueCompletion => ({
      label: typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`,
      section: values.toHeading(column),
      ...(name === '' ? {} : { detail: name }),
      count,
      share: count / total,
    }));
  if (options.length === 0) return null;
  const isClosed = typed.startsWith("'") && state.sliceDoc(pos, pos + 1) === "'";
  return { from: pos - typed.length, to: isClosed ? pos + 1 : pos, options, filter: false };
}

/** How many records have an offered value, as a bar and in words; nothing for what else is offered. */
export function renderValueCount(completion: Completion): HTMLElement | null {
  if (!('count' in completion)) return null;
  const { count, share } = completion as ValueCompletion;
  const whole = document.createElement('span');
  whole.className = 'cm-value-count';
  const track = document.createElement('span');
  track.className = 'cm-value-track';
  const bar = document.createElement('span');
  bar.style.width = `${Math.round(share * 100)}%`;
  track.append(bar);
  const words = document.createElement('span');
  words.textContent = `${formatCount(count)} · ${formatPercent(share, 0)}`;
  whole.append(track, words);
  return whole;
}

const WORDS =
  'SELECT FROM WHERE GROUP BY ORDER BY HAVING LIMIT DISTINCT COUNT AS ON USING JOIN LEFT INNER FULL ASOF WITH ' +
  'UNION ALL INTERSECT EXCEPT CASE WHEN THEN ELSE END AND OR NOT NULL IS IN LIKE ILIKE BETWEEN EXISTS DESC ASC ' +
  'NULLS FIRST LAST OVER PARTITION QUALIFY FILTER INTERVAL TIMESTAMP CAST DESCRIBE SUMMARIZE EXPLAIN VALUES PIVOT';
const FUNCTIONS = [
  'count(*)',
  'avg(',
  'sum(',
  'min(',
  'max(',
  'median(',
  'quantile_cont(',
  'approx_count_distinct(',
  'count_if(',
  'date_trunc(',
  'time_bucket(',
  'date_diff(',
  'strftime(',
  'coalesce(',
  'contains(',
  'lower(',
  'length(',
  'round(',
  'regexp_extract(',
  'regexp_matches(',
  'json_extract_string(',
  'string_agg(',
  'arg_max(',
  'lag(',
  'row_number()',
];
const TABLE_PLACE = /\b(from|join|table|describe|summarize)\s+\w*$/i;
/**
 * What can be inserted before the cursor: columns of the tables that the statement names come first, and words of it and
 * of other statements last.
 */
export function completeSql(
  context: CompletionContext,
  others: readonly string[] = [],
): CompletionResult | null {
  const text = context.state.doc.toString();
  const word = context.matchBefore(/\w*/);
  const from = word?.from ?? context.pos;
  const before = text.slice(0, context.pos);
  const owner = /(\w+)\.\w*$/.exec(before)?.[1];
  if (owner !== undefined) {
    const table = findTables(text).get(owner.toLowerCase());
    return table === undefined ? null : { from, options: toColumns([table]), validFor: /^\w*$/ };
  }
  if (!context.explicit && from === context.pos) return null;
  // Within a text or a comment nothing is completed.
  if (isWithinText(before)) return null;
  const tables = SQL_TABLES.map((table): Completion => {
    return { label: table.name, type: 'table', boost: TABLE_PLACE.test(before) ? 99 : 1 };
  });
  const named = [...new Set(findTables(text).values())];
  const options: Completion[] = [
    ...tables,
    ...toColumns(named.length === 0 ? SQL_TABLES : named),
    ...FUNCTIONS.map((label): Completion => ({ label, type: 'function' })),
    ...[...new Set(WORDS.split(' '))].map((label): Completion => ({ label, type: 'keyword', boost: -2 })),
  ];
  const rest = [text.slice(0, from), text.slice(context.pos), ...others].join('\n');
  return { from, options: [...options, ...toOwnWords(rest, options)], validFor: /^\w*$/ };
}

/** Names that a person gave to columns and results in statements. */
function toOwnWords(statements: string, known: readonly Completion[]): Completion[] {
  const plain = statements.replace(/--[^\n]*|'(?:[^']|'')*'/g, ' ');
  const offered = new Set(known.map(({ label }) => (/^\w+/.exec(label)?.[0] ?? label).toLowerCase()));
  const words = new Set(plain.match(/\b[a-z_]\w{2,}\b/gi));
  return [...words]
    .filter((word) => !offered.has(word.toLowerCase()))
    .map((label) => ({ label, type: 'text', boost: -3 }));
}

function toColumns(tables: readonly SqlTable[]): Completion[] {
  const columns = new Map(
    tables.flatMap((table) => table.columns.map((column) => [column.name, column.type])),
  );
  return [...columns].map(([label, detail]) => ({ label, detail, type: 'property', boost: 2 }));
}

/** A table with its alias, if a word that is none of SQL's follows. */
const REFERENCE =
  /(?:\b(?:from|join)\s|,)\s*(\w+)\b(?:\s+(?:as\s+)?(?!(?:where|group|order|join|left|inner|full|cross|asof|semi|anti|on|using|limit|having|qualify|union|select)\b)(\w+))?/gi;

/** The tables that a statement names, by their names and aliases in small letters. */
export function findTables(text: string): Map<string, SqlTable> {
  const found = new Map<string, SqlTable>();
  for (const [, name = '', alias] of text.matchAll(REFERENCE)) {
    const table = SQL_TABLES.find((candidate) => candidate.name === name.toLowerCase());
    if (table === undefined) continue;
    found.set(table.name, table);
    if (alias !== undefined) found.set(alias.toLowerCase(), table);
  }
  return found;
}

/** True where a text ends within a literal or a comment. */
function isWithinText(before: string): boolean {
  const rest = before.replace(/--[^\n]*\n/g, '').replace(/'[^']*'/g, '');
  return rest.includes("'") || /--[^\n]*$/.test(rest);
}
