import type { SqlCell, SqlColumn } from '../../../../src-main/common/model/records/sql.ts';

/** Points that can be told apart on a screen. */
export const MAX_CHART_POINTS = 1000;
const MAX_SERIES = 6;

export interface ResultChart {
  readonly kind: 'line' | 'bar';
  readonly labels: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  /** Columns of numbers beyond those that are drawn. */
  readonly leftOut: number;
}

/** Why a result can't be drawn. */
type ChartFault = 'empty' | 'one-column' | 'no-numbers' | 'too-many';

/** What of a result can be drawn: its columns of numbers over its first column; else why nothing can. */
export function toResultChart(
  columns: readonly SqlColumn[],
  rows: readonly (readonly SqlCell[])[],
  rowCount: number,
): ResultChart | ChartFault {
  const [first] = columns;
  if (rowCount === 0) return 'empty';
  if (first === undefined || columns.length === 1) return 'one-column';
  const numbers = columns.flatMap((column, place) =>
    place > 0 && column.kind === 'number' ? [{ name: column.name, place }] : [],
  );
  if (numbers.length === 0) return 'no-numbers';
  if (rowCount > MAX_CHART_POINTS) return 'too-many';
  const series = numbers.slice(0, MAX_SERIES).map(({ name, place }) => ({
    name,
    values: rows.map((row) => toNumber(row[place] ?? null)),
  }));
  return {
    kind: first.kind === 'time' ? 'line' : 'bar',
    labels: rows.map(([label = null]) => (label === null ? '–' : String(label))),
    series,
    leftOut: numbers.length - series.length,
  };
}

function toNumber(cell: SqlCell): number | null {
  if (cell === null || cell === '') return null;
  const number = Number(cell);
  return Number.isFinite(number) ? number : null;
}
