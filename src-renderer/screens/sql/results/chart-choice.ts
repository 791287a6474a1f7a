import type { SqlCell, SqlColumn } from '../../../../src-main/common/model/records/sql.ts';

/** What of a result a chart draws; columns by their place. */
export interface ChartChoice {
  readonly over: number;
  /** A series for each value of this column; null for a series for each column of numbers. */
  readonly split: number | null;
  /** The only column of numbers that is drawn; null for all of them. */
  readonly measure: number | null;
}

/** Numbers in columns of these names say which, not how many: none is drawn as a height. */
const NAMING = new Set(['channel', 'service', 'response_code', 'action_id', 'division']);

const isNaming = ({ name, kind }: SqlColumn): boolean => kind !== 'number' || NAMING.has(name.toLowerCase());

/** Years, times in numbers and the like, in whatever a column is called. */
const NOT_COUNTED = /(?:^|[^a-z])(?:id|code|year\w*|isoyear|epoch\w*|hash|julian)(?:[^a-z]|$)/i;

/** True for a column of numbers that say how many or how much; a code or a year is read without separators. */
export function isAmount(column: SqlColumn): boolean {
  return !isNaming(column) && !NOT_COUNTED.test(column.name);
}

/** Returns the columns that can be drawn as heights, and those by which a chart can be split. */
export function listChartColumns(
  columns: readonly SqlColumn[],
  over: number,
): { readonly measures: readonly number[]; readonly parts: readonly number[] } {
  const places = [...columns.keys()].filter((place) => place !== over);
  const find = (fits: (column: SqlColumn) => boolean): number[] =>
    places.filter((place) => {
      const column = columns[place];
      return column !== undefined && fits(column);
    });
  const measures = find((column) => !isNaming(column));
  // Where nothing else is there to draw, such a number is what was asked for.
  return measures.length > 0
    ? { measures, parts: find(isNaming) }
    : {
        measures: find(({ kind }) => kind === 'number'),
        parts: find(({ kind }) => kind !== 'number'),
      };
}

/**
 * Returns how a result is drawn at first: over its first column of times, else over its first one. Where values of that
 * come more than once, by the first column that tells their rows apart.
 */
export function suggestChoice(
  columns: readonly SqlColumn[],
  rows: readonly (readonly SqlCell[])[],
): ChartChoice {
  const over = Math.max(
    0,
    columns.findIndex(({ kind }) => kind === 'time'),
  );
  const { measures, parts } = listChartColumns(columns, over);
  if (isUnique(rows, [over])) return { over, split: null, measure: null };
  const split = parts.find((part) => isUnique(rows, [over, part])) ?? null;
  return { over, split, measure: split === null ? null : (measures[0] ?? null) };
}

/** True when no two rows have the same values in these columns. */
export function isUnique(rows: readonly (readonly SqlCell[])[], places: readonly number[]): boolean {
  return new Set(rows.map((row) => JSON.stringify(places.map((place) => row[place])))).size === rows.length;
}
