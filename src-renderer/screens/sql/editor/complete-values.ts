import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { foldCase } from '../../../../src-main/common/fold-case.ts';
import type { Facets } from '../../../../src-main/common/model/records/record.ts';
import { DIRECTIONS, type Direction } from '../../../../src-main/common/reporting/reports.ts';
import { ERROR_FAMILY_COLUMN } from '../../../../src-main/common/sql/sql-tables.ts';
import { formatCount, formatPercent } from '../../../format/numbers.ts';
import { findTables, isWithinText } from './read-statement.ts';

const MAX_OPTIONS = 8;

/** Columns whose values are counted, with the name of their counts. */
const COUNTED = {
  response_code: 'responseCodes',
  channel: 'channels',
  service: 'services',
  origin: 'origins',
  [ERROR_FAMILY_COLUMN]: 'errorFamilies',
} as const satisfies Readonly<Record<string, keyof Facets>>;
type CountedColumn = keyof typeof COUNTED;

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
  readonly column: CountedColumn;
  /** The table or alias that the column is said to be of. */
  readonly owner: string | null;
  readonly typed: string;
}

/** The place of a value at the end of a text; null where none is asked for. */
function findValuePlace(before: string): ValuePlace | null {
  const [whole, owner, name = '', typed = ''] = PLACE.exec(before) ?? [];
  if (whole === undefined || isWithinText(before.slice(0, -whole.length))) return null;
  const column = name.toLowerCase();
  return column in COUNTED ? { column: column as CountedColumn, owner: owner ?? null, typed } : null;
}

/** The values of a column in several tables together, those of most records first. */
function listColumnValues(column: CountedColumn, facets: readonly Facets[]): ColumnValue[] {
  const counts = new Map<string | number, number>();
  for (const { value, count } of facets.flatMap<ColumnValue>((table) => table[COUNTED[column]])) {
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
