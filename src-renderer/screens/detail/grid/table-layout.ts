import type { ColumnState } from 'ag-grid-community';
import { isBodyField } from '../../../../src-main/common/model/records/body-path.ts';
import type { TableColumn } from '../../../../src-main/common/model/records/saved-view.ts';

/**
 * Returns the columns as they were saved, those of paths among them. Another one that the table no longer has is left out;
 * one that it did not have then comes last.
 */
export function mergeLayout(
  saved: readonly TableColumn[] | undefined,
  defaults: readonly TableColumn[],
): readonly TableColumn[] {
  const known = new Set(defaults.map(({ id }) => id));
  const merged = new Map(
    saved?.filter(({ id }) => known.has(id) || isBodyField(id)).map((column) => [column.id, column]),
  );
  for (const column of defaults) if (!merged.has(column.id)) merged.set(column.id, column);
  return [...merged.values()];
}

/**
 * Returns a layout with room for names in columns that still are as wide as the application sets them up without: they
 * were saved before there were names.
 */
export function widenNamed(
  layout: readonly TableColumn[],
  { from, to }: { readonly from: readonly TableColumn[]; readonly to: readonly TableColumn[] },
): readonly TableColumn[] {
  const narrow = new Map(from.map(({ id, widthPx }) => [id, widthPx]));
  const wide = new Map(to.map(({ id, widthPx }) => [id, widthPx]));
  return layout.map((column) => {
    const widthPx = wide.get(column.id);
    return widthPx !== undefined && column.widthPx === narrow.get(column.id)
      ? { ...column, widthPx }
      : column;
  });
}

/** Returns a layout as the grid's own state of columns. */
export function toColumnState(layout: readonly TableColumn[]) {
  return layout.map(({ id, widthPx, pinned, hidden }) => ({
    colId: id,
    width: widthPx,
    pinned,
    hide: hidden,
  }));
}

/** Returns the layout of the grid's columns, in the order in which they are shown. */
export function fromColumnState(state: readonly ColumnState[]): readonly TableColumn[] {
  return state.map(({ colId, width, pinned, hide }) => ({
    id: colId,
    widthPx: Math.round(width ?? 0),
    pinned: pinned === 'left' || pinned === 'right' ? pinned : null,
    hidden: hide === true,
  }));
}

/** True when two layouts are the same. */
export function isSameLayout(a: readonly TableColumn[], b: readonly TableColumn[]): boolean {
  return JSON.stringify(toColumnState(a)) === JSON.stringify(toColumnState(b));
}
