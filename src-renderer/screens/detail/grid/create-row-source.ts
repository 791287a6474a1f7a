import type { IDatasource, IGetRowsParams } from 'ag-grid-community';
import type { RecordOrder, RecordRow } from '../../../../src-main/common/model/records/record.ts';
import type { OpenView } from '../../../stores/records/records.ts';
import { toOrder } from './grid-columns.ts';

interface RowSourceParts {
  /** Returns the open view. */
  readView(): OpenView | null;
  readRows(viewId: string, start: number, end: number): Promise<readonly RecordRow[] | null>;
  readonly fallbackOrder: RecordOrder;
  /** Called with rows before the grid receives them. */
  beforeRows(rows: readonly RecordRow[], viewId: string): void;
  /** Called after the grid has received rows. */
  onRows(): void;
}

/**
 * Creates the grid's source of rows, which it reads in windows. A window never mixes rows of two views: a request that
 * a newer view or order has overtaken fails, and the grid repeats it once the new view is open.
 */
export function createRowSource(parts: RowSourceParts): IDatasource {
  async function load(params: IGetRowsParams): Promise<void> {
    const view = parts.readView();
    const wanted = toOrder(params.sortModel, parts.fallbackOrder);
    const isSameOrder = view !== null && JSON.stringify(view.order) === JSON.stringify(wanted);
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
    parts.beforeRows(rows, view.viewId);
    params.successCallback([...rows], view.rowCount);
    parts.onRows();
  }
  return { getRows: (params) => void load(params) };
}
