import type { Download } from '../../../../src-main/common/model/download.ts';
import type { Snapshot } from '../../../../src-main/common/model/snapshot.ts';
import { isSummary } from '../../../period/cached-snapshots.ts';

export type ShownState = Snapshot['state'] | 'open' | 'remarked' | 'queued' | 'waiting';

/** The state as the table tells it: a complete snapshot whose period was not over is still open (decision 27). */
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
 * True when fewer or more records are there than the service announced. A summary's total may count the groups of both
 * directions (decision 11), so it says nothing of how many are missing.
 */
export function isShortOfTotal(snapshot: Snapshot, download: Download | null): boolean {
  const total = toExpectedTotal(snapshot, download);
  return !isSummary(snapshot.report) && total !== null && total !== snapshot.recordCount;
}

/** Records that are expected: of a download in pieces the service has announced only those so far, so it is forecast. */
export function toExpectedTotal(snapshot: Snapshot, download: Download | null): number | null {
  const isOver = download === null || download.state === 'ended';
  return isOver ? snapshot.totalDocument : (download.totalDocument ?? snapshot.totalDocument);
}

/** Share of the expected records, 0 to 1; null while nothing is expected yet. */
export function toRecordShare(snapshot: Snapshot, download: Download | null): number | null {
  const total = toExpectedTotal(snapshot, download);
  return total === null ? null : total === 0 ? 1 : Math.min(1, snapshot.recordCount / total);
}

/** Snapshots that contain every word of the filter in what the table says about them. */
export function filterSnapshots(
  snapshots: readonly Snapshot[],
  filter: string,
  describe: (snapshot: Snapshot) => string,
): readonly Snapshot[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return snapshots;
  return snapshots.filter((snapshot) => {
    const text = describe(snapshot).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The screen that shows a snapshot; a summary is found by its period. */
export function toScreenPath(snapshot: Snapshot): string {
  const [direction, kind] = snapshot.report.split('-');
  const path = `/${direction ?? 'inbound'}/${kind ?? 'detail'}`;
  return kind === 'detail' ? `${path}/${snapshot.id}` : path;
}
