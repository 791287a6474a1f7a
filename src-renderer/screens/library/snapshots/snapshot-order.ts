import { toEndMs } from '../../../../src-main/common/model/period.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { readFormats } from '../../../format/formats.ts';

export const SNAPSHOT_COLUMNS = [
  'report',
  'connection',
  'period',
  'records',
  'size',
  'state',
  'fetched',
] as const;
export type SnapshotColumn = (typeof SNAPSHOT_COLUMNS)[number];

export interface SnapshotOrder {
  readonly column: SnapshotColumn;
  readonly isDescending: boolean;
}

/** The words of a row that it is sorted by. */
export interface SnapshotNames {
  toReport(snapshot: Snapshot): string;
  toConnection(snapshot: Snapshot): string;
  toState(snapshot: Snapshot): string;
}

const UNFETCHED_MS = Number.MAX_SAFE_INTEGER;
/** Dates and amounts begin with the latest and largest, words with the first of the alphabet. */
const DESCENDING_FIRST: readonly SnapshotColumn[] = ['period', 'records', 'size', 'fetched'];

/** Returns the order after a click on a header: the column's own, then its reverse, then that of the Library again. */
export function toNextOrder(order: SnapshotOrder | null, column: SnapshotColumn): SnapshotOrder | null {
  const isFirstDescending = DESCENDING_FIRST.includes(column);
  if (order?.column !== column) return { column, isDescending: isFirstDescending };
  return order.isDescending === isFirstDescending ? { column, isDescending: !isFirstDescending } : null;
}

/** Returns the snapshots in an order; equal ones stay as they were. */
export function orderSnapshots(
  snapshots: readonly Snapshot[],
  order: SnapshotOrder | null,
  names: SnapshotNames,
): readonly Snapshot[] {
  // The Library's own order: what was fetched last comes first.
  if (order === null) return snapshots.toSorted((a, b) => compare(b, a, 'fetched', names) || b.id - a.id);
  const sign = order.isDescending ? -1 : 1;
  return snapshots.toSorted((a, b) => sign * compare(a, b, order.column, names));
}

function compare(a: Snapshot, b: Snapshot, column: SnapshotColumn, names: SnapshotNames): number {
  const { compareTexts } = readFormats();
  switch (column) {
    case 'report':
      return compareTexts(names.toReport(a), names.toReport(b));
    case 'connection':
      return compareTexts(names.toConnection(a), names.toConnection(b));
    case 'state':
      return compareTexts(names.toState(a), names.toState(b));
    case 'period':
      return a.period.fromMs - b.period.fromMs || toEndMs(a.period) - toEndMs(b.period);
    case 'records':
      return a.recordCount - b.recordCount;
    case 'size':
      return a.sizeBytes - b.sizeBytes;
    case 'fetched':
      // What is still being fetched is the newest.
      return (a.fetchedAtMs ?? UNFETCHED_MS) - (b.fetchedAtMs ?? UNFETCHED_MS);
  }
}
