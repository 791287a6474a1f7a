import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { isEqualRow, isSameRecord, toRowKey } from '../../../format/row-key.ts';

/**
 * The ids of a table's rows. A record keeps its id where another snapshot brings it: one that was downloaded again, or
 * followed, begins to count for moments that an older one was shown of.
 */
export function createRowIds() {
  const known = new Map<string, string>();

  const fromKey = (key: string): string => known.get(key) ?? key;
  const toId = (row: RecordRow): string => fromKey(toRowKey(row));

  /** True for the record that a row showed, as another snapshot has it; one without a date is known by all that it shows. */
  function isShownAgain(one: RecordRow, row: RecordRow): boolean {
    return row.dateMs === null ? isEqualRow(one, row) : isSameRecord(one, row);
  }

  /** The row whose id another one has by now gets one of its own when both are shown: a table knows an id once. */
  function giveBack(row: RecordRow, came: ReadonlySet<string>): void {
    const id = toId(row);
    if (id !== toRowKey(row) && came.has(id)) known.set(id, `${id}, again`);
  }

  return {
    toId,
    /** The id of the record with a key. */
    fromKey,
    /**
     * Has to be called with rows before they take the place of those that are shown; `kept` are to be known again, and
     * `readRank` tells a row's place among those that show the same.
     */
    recognise(
      rows: readonly RecordRow[],
      kept: readonly RecordRow[],
      readRank: (row: RecordRow) => number,
    ): void {
      const came = new Set(rows.map(toRowKey));
      for (const row of kept) {
        // Shown of several snapshots, a record without a date is in each of them: none takes another's place.
        const isThere = came.has(toRowKey(row));
        if (row.dateMs === null && isThere) {
          giveBack(row, came);
          continue;
        }
        const equals = rows.filter((one) => one.snapshotId !== row.snapshotId && isShownAgain(one, row));
        const found = equals.length > 1 ? (equals[readRank(row)] ?? equals[0]) : equals[0];
        if (found !== undefined) known.set(toRowKey(found), toId(row));
      }
    },
  };
}
export type RowIds = ReturnType<typeof createRowIds>;
