import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { isSameRecord, toRowKey } from '../../../format/row-key.ts';

/**
 * The ids of a table's rows. A record keeps its id where another snapshot brings it: one that was downloaded again, or
 * followed, begins to count for moments that an older one was shown of.
 */
export function createRowIds() {
  const known = new Map<string, string>();

  const fromKey = (key: string): string => known.get(key) ?? key;
  const toId = (row: RecordRow): string => fromKey(toRowKey(row));

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
      for (const row of kept) {
        const equals = rows.filter((one) => one.snapshotId !== row.snapshotId && isSameRecord(one, row));
        const found = equals.length > 1 ? (equals[readRank(row)] ?? equals[0]) : equals[0];
        if (found !== undefined) known.set(toRowKey(found), toId(row));
      }
    },
  };
}
export type RowIds = ReturnType<typeof createRowIds>;
