import type { GridApi } from 'ag-grid-community';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';

/** Selects rows by their number, also those that have not been loaded yet. */
export interface RowStepper {
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
