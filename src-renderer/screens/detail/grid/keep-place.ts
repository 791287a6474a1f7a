import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { isSameRecord } from '../../../format/row-key.ts';
import { findNear, type PlacedView, type ReadRows } from './find-near.ts';

interface PlaceParts {
  /** The first row in view of so many in the table; null where there is nothing to keep. */
  findFirst(rowCount: number): number | null;
  moveBy(rows: number): void;
  /** The row that is shown at a place; null while it is not loaded. */
  readRow(index: number): RecordRow | null;
  readRows: ReadRows;
}

/**
 * Keeps the records in view where they are while others arrive before them. At the top, new ones come into view, unless a
 * selected one is there.
 */
export function createPlaceKeeper({ findFirst, moveBy, readRow, readRows }: PlaceParts) {
  let wanted: { readonly first: RecordRow; readonly from: number; readonly to: number } | null = null;
  let ticket = 0;

  function settle(): void {
    if (wanted === null) return;
    const { first, from, to } = wanted;
    const shown = readRow(to);
    if (shown === null || !isSameRecord(shown, first)) return;
    wanted = null;
    if (to !== from) moveBy(to - from);
  }

  return {
    /**
     * Has to be called before the rows of the view take the place of those that are shown, of which the table has
     * `shownCount`.
     */
    async keep(view: PlacedView, shownCount: number): Promise<void> {
      const mine = ++ticket;
      const from = wanted?.from ?? findFirst(shownCount);
      const first = wanted?.first ?? (from === null ? null : readRow(from));
      wanted = null;
      if (from === null || first === null) return;
      const to = await findNear(view, from, {
        isIt: (row) => isSameRecord(row, first),
        isWanted: () => mine === ticket,
        readRows,
      });
      if (mine !== ticket || to === null) return;
      wanted = { first, from, to };
      settle();
    },
    /** Has to be called whenever rows have arrived: in the same frame, so that nothing is seen to jump. */
    onRows: settle,
    forget(): void {
      ticket += 1;
      wanted = null;
    },
  };
}
