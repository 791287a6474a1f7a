import type { Directive } from 'vue';

/** A column as data. Its cells show a text, or the slot `cell-<id>`. */
export interface TableColumn<Row> {
  readonly id: string;
  readonly label: string;
  /** Only a screen reader needs the label. */
  readonly hidesLabel?: boolean;
  readonly isRight?: boolean;
  /** Its cells name their rows. */
  readonly isHead?: boolean;
  readonly width?: string;
  /** Of its head and its cells. */
  readonly class?: string;
  readonly tip?: string | undefined;
  readonly text?: (row: Row) => string;
  readonly cell?: (row: Row) => { class?: unknown; title?: string | undefined };
  /** Over how many rows a cell reaches; 0 for a row that a cell above reaches into. */
  readonly span?: (row: Row) => number;
  /** Over how many columns a cell reaches; 0 for a column that a cell before reaches into. */
  readonly across?: (row: Row) => number;
  /** The order after the first click on the head; columns without one aren't sorted. */
  readonly sort?: 'ascending' | 'descending';
  /** Without it the owner sorts the rows. */
  readonly compare?: (a: Row, b: Row) => number;
}

export interface TableSort {
  readonly column: string;
  readonly isDescending: boolean;
}

/** Returns the rows in the order that a head was pressed for; in their own where none was, or where it can't be compared. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  sort: TableSort | null,
): readonly Row[] {
  const compare = columns.find(({ id }) => id === sort?.column)?.compare;
  if (compare === undefined) return rows;
  const sign = sort?.isDescending === true ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(a, b));
}

/** What stands above the heads of some columns; without a label these have nothing in common. */
export interface ColumnGroup {
  readonly columns: number;
  readonly label?: string;
  /** A second line. */
  readonly note?: string;
}

const ROWS_PER_PAGE_KEY = 10;

export interface RowSelection {
  readonly ids: ReadonlySet<number>;
  /** Where a range begins. */
  readonly anchorId: number | null;
  /** The row that keys act on. */
  readonly activeId: number | null;
}

export const EMPTY_SELECTION: RowSelection = { ids: new Set(), anchorId: null, activeId: null };

export type SelectionMode = 'replace' | 'toggle' | 'range';

/** Selects a row as lists commonly do: alone, added or removed, or with all rows between it and the anchor. */
export function selectRow(
  selection: RowSelection,
  order: readonly number[],
  id: number,
  mode: SelectionMode,
): RowSelection {
  if (mode === 'toggle') {
    const ids = new Set(selection.ids);
    if (!ids.delete(id)) ids.add(id);
    return { ids, anchorId: id, activeId: id };
  }
  const anchorAt = selection.anchorId === null ? -1 : order.indexOf(selection.anchorId);
  if (mode === 'range' && anchorAt >= 0) {
    const at = order.indexOf(id);
    const ids = new Set(order.slice(Math.min(anchorAt, at), Math.max(anchorAt, at) + 1));
    return { ids, anchorId: selection.anchorId, activeId: id };
  }
  return { ids: new Set([id]), anchorId: id, activeId: id };
}

/** Moves the active row by a number of rows and selects it, or the range up to it. */
export function moveSelection(
  selection: RowSelection,
  order: readonly number[],
  by: number,
  mode: 'replace' | 'range',
): RowSelection {
  const at = selection.activeId === null ? -1 : order.indexOf(selection.activeId);
  const target = at < 0 ? 0 : Math.min(order.length - 1, Math.max(0, at + by));
  const id = order[target];
  return id === undefined ? selection : selectRow(selection, order, id, mode);
}

/** Returns by how many rows a key moves; null for keys that don't move. */
export function toSteps(key: string, rowCount: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return 1;
    case 'ArrowUp':
      return -1;
    case 'PageDown':
      return ROWS_PER_PAGE_KEY;
    case 'PageUp':
      return -ROWS_PER_PAGE_KEY;
    case 'Home':
      return -rowCount;
    case 'End':
      return rowCount;
    default:
      return null;
  }
}

/** Drops rows that no longer exist. */
export function keepExisting(selection: RowSelection, order: readonly number[]): RowSelection {
  const existing = new Set(order);
  const keep = (id: number | null): number | null => (id !== null && existing.has(id) ? id : null);
  return {
    ids: new Set([...selection.ids].filter((id) => existing.has(id))),
    anchorId: keep(selection.anchorId),
    activeId: keep(selection.activeId),
  };
}

/** Names the grid within an element for screen readers, which the grid has no option for. */
export const vGridName: Directive<HTMLElement, string> = (element, { value }) => {
  element.querySelector('[role=grid], [role=treegrid]')?.setAttribute('aria-label', value);
};
