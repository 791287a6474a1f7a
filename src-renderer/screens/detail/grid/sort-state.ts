import type { ColumnState, GridApi } from 'ag-grid-community';
import type { RecordOrder, RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { DEFAULT_ORDER } from '../../../stores/records/records.ts';
import { MAX_SORT_COLUMNS, toOrder } from './grid-columns.ts';

type SortGrid = Pick<GridApi<RecordRow>, 'getColumnState' | 'applyColumnState'>;

function listSorted(grid: SortGrid) {
  return grid
    .getColumnState()
    .flatMap(({ colId, sort, sortIndex }) =>
      typeof sort === 'string' ? [{ colId, sort, place: sortIndex ?? 0 }] : [],
    )
    .sort((a, b) => a.place - b.place);
}

/**
 * Returns the order that the headers of a grid show; null where they show one column too many. The last but one gives
 * way then, which changes the grid again.
 */
export function readSort(grid: SortGrid): RecordOrder | null {
  const sorted = listSorted(grid);
  const extra = sorted.splice(MAX_SORT_COLUMNS - 1, sorted.length - MAX_SORT_COLUMNS);
  if (extra.length === 0) return toOrder(sorted, DEFAULT_ORDER);
  grid.applyColumnState({ state: extra.map(({ colId }) => ({ colId, sort: null })) });
  return null;
}

/** Makes the headers of a grid show an order. */
export function showSort(grid: SortGrid, order: RecordOrder): void {
  if (JSON.stringify(toOrder(listSorted(grid), [])) === JSON.stringify(order)) return;
  const state = order.map(({ column, descending }, sortIndex): ColumnState => {
    return { colId: column, sort: descending ? 'desc' : 'asc', sortIndex };
  });
  grid.applyColumnState({ state, defaultState: { sort: null } });
}
