import type { IDatasource, IGetRowsParams, GridApi } from 'ag-grid-community';
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

/** Rows that are read at once, of the 500 that may be. */
const WINDOW = 480;
/** Rows by which a record may have moved up and down. */
const REACH_UP = 240;
const REACH_DOWN = 4_800;

/** A view in which a record is looked for. */
export interface PlacedView {
  readonly viewId: string;
  readonly rowCount: number;
}
export type ReadRows = (viewId: string, start: number, end: number) => Promise<readonly RecordRow[] | null>;

/** Where a record is in a view, that was at `from` before; null where it isn't near, and once `isWanted` is false. */
export async function findNear(
  view: PlacedView,
  from: number,
  { isIt, isWanted, readRows }: { isIt(row: RecordRow): boolean; isWanted(): boolean; readRows: ReadRows },
): Promise<number | null> {
  const endAt = Math.min(view.rowCount, from + REACH_DOWN);
  for (let start = Math.max(0, from - REACH_UP); start < endAt && isWanted(); start += WINDOW) {
    const rows = await readRows(view.viewId, start, Math.min(endAt, start + WINDOW));
    if (rows === null) return null;
    const found = rows.findIndex(isIt);
    if (found >= 0) return start + found;
  }
  return null;
}

/** Selects rows by their number, also those that have not been loaded yet. */
interface RowStepper {
  /** Moves the selection by rows, and scrolls to it; stays at either end of the view. */
  step(by: -1 | 1): void;
  /** Selects a row, beside others if so wanted; one that is not loaded is selected as soon as it is. */
  select(index: number, isAdded?: boolean): void;
  /** Takes a click on a row whose record is not there yet from the table, which would only warn of it; it is pressed once it is loaded. */
  clickUnloaded(event: MouseEvent): void;
  /** Rows have arrived. */
  onRows(): void;
  /** Another view begins: what was wanted of the last one no longer is. */
  forget(): void;
}

interface WantedRow {
  readonly index: number;
  readonly isAdded: boolean;
  readonly isPressed: boolean;
}

/** Creates what selects the rows of a grid. */
export function createRowStepper(parts: {
  readApi(): Pick<GridApi<RecordRow>, 'getDisplayedRowAtIndex' | 'ensureIndexVisible'> | null;
  readRowCount(): number;
  /** The place from which to step; null to begin at the top. */
  readPlace(): number | null;
  /** A row that was clicked before its record was there has it now. */
  onPress(): void;
}): RowStepper {
  /** The row to select once it is loaded. */
  let wanted: WantedRow | null = null;

  function selectRow(row: WantedRow): void {
    const node = parts.readApi()?.getDisplayedRowAtIndex(row.index);
    if (node?.data === undefined) {
      wanted = row;
      return;
    }
    wanted = null;
    node.setSelected(true, !row.isAdded);
    if (row.isPressed) parts.onPress();
  }

  const select = (index: number, isAdded = false): void => selectRow({ index, isAdded, isPressed: false });

  return {
    select,
    step(by) {
      const grid = parts.readApi();
      const index = (wanted?.index ?? parts.readPlace() ?? -1) + by;
      if (grid === null || index < 0 || index >= parts.readRowCount()) return;
      grid.ensureIndexVisible(index);
      select(index);
    },
    clickUnloaded(event) {
      // A header's row has no number.
      const row = event.target instanceof Element ? event.target.closest('[role=row][row-index]') : null;
      if (row === null) return;
      const index = Number(row.getAttribute('row-index'));
      const node = parts.readApi()?.getDisplayedRowAtIndex(index);
      if (!node || node.data !== undefined) return;
      event.stopPropagation();
      selectRow({ index, isAdded: false, isPressed: true });
    },
    onRows() {
      if (wanted !== null) selectRow(wanted);
    },
    forget() {
      wanted = null;
    },
  };
}
