import {
  MAX_CASE_TITLE,
  MAX_PART_COLUMNS,
  MAX_PART_ROWS,
  MAX_PART_VALUE,
  type PartContent,
  type PartTable,
} from '../../src-main/common/model/cases/case.ts';

type Cell = string | number | boolean | null;
type Column = PartTable['columns'][number];

const MAX_NAME = 500;
export const NO_CONTENT: PartContent = { facts: [], table: null, picture: null, statement: null };

/** A table as a part keeps it: its first rows, each value as it was shown. */
export function toPartTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  rowCount = rows.length,
): PartTable {
  const kept = columns.slice(0, MAX_PART_COLUMNS);
  return {
    columns: kept.map((column) => ({ ...column, name: column.name.slice(0, MAX_NAME) })),
    rows: rows
      .slice(0, MAX_PART_ROWS)
      .map((row) => kept.map((_column, place) => toValue(row[place] ?? null))),
    rowCount,
  };
}

/** Facts as a part keeps them; those without a value are left out. */
export function toPartFacts(facts: PartContent['facts']): PartContent['facts'] {
  return facts
    .filter(({ value }) => value !== '')
    .map((fact) => ({ ...fact, name: fact.name.slice(0, MAX_NAME), value: toValue(fact.value) }));
}

function toValue(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  return text.length <= MAX_PART_VALUE ? text : `${text.slice(0, MAX_PART_VALUE - 1)}…`;
}

/** A title that fits. */
export function toPartTitle(...words: readonly string[]): string {
  const joined = words.filter((word) => word !== '').join(', ');
  const title = joined.charAt(0).toLocaleUpperCase() + joined.slice(1);
  return title.length <= MAX_CASE_TITLE ? title : `${title.slice(0, MAX_CASE_TITLE - 1)}…`;
}
