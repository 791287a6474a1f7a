import type { GridApi } from 'ag-grid-community';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';

/** Selects rows by their number, also those that have not been loaded yet. */
export interface RowStepper {
  /** Moves the selection by rows, and scrolls to it; stays at either end of the view. */
  step(by: -1 | 1): void;
  /** Selects a row, beside others if so wanted; one that is not loaded is selected as soon as it is. */
  select(index: number, isAdded?: boolean): void;
  /** Rows have arrived. */
  onRows(): void;
  /** Another view begins: what was wanted of the last one no longer is. */
  forget(): void;
}

/** Creates what selects the rows of a grid. */
export function createRowStepper(parts: {
  readApi(): Pick<
    GridApi<RecordRow>,
    'getDisplayedRowAtIndex' | 'getSelectedNodes' | 'ensureIndexVisible'
  > | null;
  readRowCount(): number;
}): RowStepper {
  /** The row to select once it is loaded. */
  let wanted: { readonly index: number; readonly isAdded: boolean } | null = null;

  function select(index: number, isAdded = false): void {
    const node = parts.readApi()?.getDisplayedRowAtIndex(index);
    if (node?.data === undefined) {
      wanted = { index, isAdded };
      return;
    }
    wanted = null;
    node.setSelected(true, !isAdded);
  }

  return {
    select,
    step(by) {
      const grid = parts.readApi();
      const index = (wanted?.index ?? grid?.getSelectedNodes()[0]?.rowIndex ?? -1) + by;
      if (grid === null || index < 0 || index >= parts.readRowCount()) return;
      grid.ensureIndexVisible(index);
      select(index);
    },
    onRows() {
      if (wanted !== null) select(wanted.index, wanted.isAdded);
    },
    forget() {
      wanted = null;
    },
  };
}
