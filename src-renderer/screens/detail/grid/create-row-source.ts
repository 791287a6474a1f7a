import type { IDatasource, IGetRowsParams } from 'ag-grid-community';
import type { RecordOrder, RecordRow } from '../../../../src-main/common/model/record.ts';
import type { OpenView } from '../../../stores/records.ts';
import { toOrder } from './grid-columns.ts';

interface RowSourceParts {
  /** The view that is open now. */
  readView(): OpenView | null;
  readRows(viewId: string, start: number, end: number): Promise<readonly RecordRow[] | null>;
  readonly fallbackOrder: RecordOrder;
  /** Called once the grid has taken rows. */
  onRows(): void;
}

/**
 * Rows for the grid, window by window. A window asked of one view is never answered with rows of another: a
 * request that a newer view or order has overtaken fails, and the grid asks again once the new view is open.
 */
export function createRowSource(parts: RowSourceParts): IDatasource {
  async function load(params: IGetRowsParams): Promise<void> {
    const view = parts.readView();
    const wanted = toOrder(params.sortModel[0], parts.fallbackOrder);
    const isSameOrder =
      view !== null && view.order.column === wanted.column && view.order.descending === wanted.descending;
    if (!isSameOrder) {
      params.failCallback();
      return;
    }
    const end = Math.min(params.endRow, view.rowCount);
    const rows = end <= params.startRow ? [] : await parts.readRows(view.viewId, params.startRow, end);
    if (rows === null) {
      params.failCallback();
      return;
    }
    params.successCallback([...rows], view.rowCount);
    parts.onRows();
  }
  return { getRows: (params) => void load(params) };
}
