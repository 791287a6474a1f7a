import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';

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
