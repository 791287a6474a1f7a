import { foldCase } from '../../../../src-main/common/fold-case.ts';
import type { Download } from '../../../../src-main/common/model/cache/download.ts';
import { toOwnTotal, type Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { toDoneShare } from '../../../format/done-share.ts';
import { isSummary } from '../../../period/cached-snapshots.ts';

export type ShownState = Snapshot['state'] | 'open' | 'remarked' | 'queued' | 'waiting';

/** Returns the state that the table shows: a complete snapshot whose period was not over is still open (decision 27). */
export function toShownState(snapshot: Snapshot, download: Download | null): ShownState {
  switch (download?.state) {
    case 'queued':
    case 'waiting':
    case 'paused':
      return download.state;
    case 'running':
      return 'downloading';
    case 'ended':
    case undefined:
  }
  if (snapshot.state !== 'complete') return snapshot.state;
  if (snapshot.stillOpen) return 'open';
  return snapshot.remarks.length > 0 ? 'remarked' : 'complete';
}

/**
 * True when the snapshot has fewer or more records than the service announced. A summary's total may count the groups
 * of both directions (decision 11), so it does not tell how many are missing.
 */
export function isShortOfTotal(snapshot: Snapshot, download: Download | null): boolean {
  const total = toExpectedTotal(snapshot, download);
  return !isSummary(snapshot.report) && total !== null && total !== snapshot.recordCount;
}

/** Returns the expected number of records; for a download in pieces it is a forecast, since later ones are not announced yet. */
export function toExpectedTotal(snapshot: Snapshot, download: Download | null): number | null {
  const isOver = download === null || download.state === 'ended';
  return isOver ? toOwnTotal(snapshot) : (download.totalDocument ?? snapshot.totalDocument);
}

/** Returns the share of the expected records, 0 to 1; null while nothing is expected yet. */
export function toRecordShare(snapshot: Snapshot, download: Download | null): number | null {
  return toDoneShare(snapshot.recordCount, toExpectedTotal(snapshot, download));
}

/** Returns the snapshots whose description contains every word of the filter. */
export function filterSnapshots(
  snapshots: readonly Snapshot[],
  filter: string,
  describe: (snapshot: Snapshot) => string,
): readonly Snapshot[] {
  const words = foldCase(filter).split(/\s+/).filter(Boolean);
  if (words.length === 0) return snapshots;
  return snapshots.filter((snapshot) => {
    const text = foldCase(describe(snapshot));
    return words.every((word) => text.includes(word));
  });
}
