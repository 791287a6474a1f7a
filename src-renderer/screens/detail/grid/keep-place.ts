import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { isSameRecord } from '../../../format/row-key.ts';

/** Rows before and after the one in view among which it is looked for; read at once, at most 500 of them. */
const REACH = 240;

interface PlaceParts {
  /** The first row in view; null where there is nothing to keep. */
  findFirst(): number | null;
  moveBy(rows: number): void;
  /** The row that is shown at a place; null while it is not loaded. */
  readRow(index: number): RecordRow | null;
  readRows(viewId: string, start: number, end: number): Promise<readonly RecordRow[] | null>;
}

/** Keeps the records in view where they are while others arrive before them. At the top, new ones come into view. */
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
    /** Has to be called before the rows of the view take the place of those that are shown. */
    async keep({ viewId, rowCount }: { readonly viewId: string; readonly rowCount: number }): Promise<void> {
      const mine = ++ticket;
      const from = wanted?.from ?? findFirst();
      const first = wanted?.first ?? (from === null ? null : readRow(from));
      wanted = null;
      if (from === null || first === null) return;
      const start = Math.max(0, from - REACH);
      const rows = await readRows(viewId, start, Math.min(rowCount, from + REACH));
      const found = rows?.findIndex((row) => isSameRecord(row, first)) ?? -1;
      if (mine !== ticket || found < 0) return;
      wanted = { first, from, to: start + found };
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
