import type { Period } from '../../src-main/common/model/period.ts';
import type { Snapshot } from '../../src-main/common/model/cache/snapshot.ts';

type Span = Pick<Period, 'fromMs' | 'toMs'>;

/** True when two periods have a moment in common. */
export function isTouching(a: Span, b: Span): boolean {
  return a.fromMs <= b.toMs && b.fromMs <= a.toMs;
}

/** Returns the snapshots of a connection's report that hold anything to show, the one fetched last first. */
export function listUsable(
  snapshots: readonly Snapshot[],
  connectionId: string,
  report: Snapshot['report'],
): readonly Snapshot[] {
  return snapshots
    .filter((snapshot) => snapshot.connectionId === connectionId && snapshot.report === report)
    .filter((snapshot) => snapshot.state !== 'failed' || snapshot.recordCount > 0)
    .sort((a, b) => b.fetchedOrder - a.fetchedOrder || b.id - a.id);
}

/** True when a summary of the snapshot can be shown: a report of groups is valid only as a whole, records at any number. */
export function isReadable({ report, state, recordCount }: Snapshot): boolean {
  if (state === 'complete') return true;
  return recordCount > 0 && (state !== 'downloading' || !isSummary(report));
}

/** Returns whether a report consists of groups rather than of records. */
export function isSummary(report: Snapshot['report']): boolean {
  return report.endsWith('-summary');
}

/** True when two periods are the same to the second. */
export function isSamePeriod(a: Span, b: Span): boolean {
  return a.fromMs === b.fromMs && a.toMs === b.toMs;
}
