import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { isEqualRow, isSameRecord, toRowKey } from '../../../format/row-key.ts';

/**
 * The ids of a table's rows. A record keeps its id where another snapshot brings it: one that was downloaded again, or
 * followed, begins to count for moments that an older one was shown of.
 */
export function createRowIds() {
  const known = new Map<string, string>();
  /** The keys of the rows without a date that the view has shown, by their ids. */
  const owners = new Map<string, string>();
  let ownersViewId = '';

  const fromKey = (key: string): string => known.get(key) ?? key;
  const toId = (row: RecordRow): string => fromKey(toRowKey(row));

  /** True for the record that a row showed, as another snapshot has it; one without a date is known by all that it shows. */
  function isShownAgain(one: RecordRow, row: RecordRow): boolean {
    return row.dateMs === null ? isEqualRow(one, row) : isSameRecord(one, row);
  }

  /** Of a table's undated rows each has an id of its own: a record without a date is shown of every snapshot that has it. */
  function own(row: RecordRow): void {
    const key = toRowKey(row);
    const owner = owners.get(toId(row)) ?? key;
    if (owner !== key) known.set(key, `${key}, again`);
    owners.set(toId(row), key);
  }

  return {
    toId,
    /** The id of the record with a key. */
    fromKey,
    /**
     * Has to be called with the rows of a view before they take the place of those that are shown; `kept` are to be known
     * again, and `readRank` tells a row's place among those that show the same.
     */
    recognise(
      rows: readonly RecordRow[],
      kept: readonly RecordRow[],
      readRank: (row: RecordRow) => number,
      viewId: string,
    ): void {
      if (viewId !== ownersViewId) owners.clear();
      ownersViewId = viewId;
      const came = new Set(rows.map(toRowKey));
      for (const row of kept) {
        if (row.dateMs === null && came.has(toRowKey(row))) own(row);
        if (row.dateMs === null && owners.has(toId(row))) continue;
        const equals = rows.filter((one) => one.snapshotId !== row.snapshotId && isShownAgain(one, row));
        const found = equals.length > 1 ? (equals[readRank(row)] ?? equals[0]) : equals[0];
        if (found !== undefined) known.set(toRowKey(found), toId(row));
      }
      for (const row of rows) if (row.dateMs === null) own(row);
    },
  };
}
export type RowIds = ReturnType<typeof createRowIds>;
