import type { Period } from '../../src-main/common/model/period.ts';
import type { Snapshot } from '../../src-main/common/model/snapshot.ts';

type Span = Pick<Period, 'fromMs' | 'toMs'>;

/** How much two spans have in common: 0 nothing, 1 the same. */
export function measureOverlap(a: Span, b: Span): number {
  const common = Math.min(a.toMs, b.toMs) - Math.max(a.fromMs, b.fromMs);
  const union = Math.max(a.toMs, b.toMs) - Math.min(a.fromMs, b.fromMs);
  if (union <= 0) return 1;
  return Math.max(0, common) / union;
}

/** Snapshots of a connection's report that hold something to show, newest first. */
export function listUsable(
  snapshots: readonly Snapshot[],
  connectionId: string,
  report: Snapshot['report'],
): readonly Snapshot[] {
  return snapshots
    .filter((snapshot) => snapshot.connectionId === connectionId && snapshot.report === report)
    .filter((snapshot) => snapshot.state !== 'failed' || snapshot.recordCount > 0)
    .sort((a, b) => b.startedAtMs - a.startedAtMs || b.id - a.id);
}

/**
 * True when a summary of the snapshot says something true: a report of groups only as a whole, records as soon as there are
 * some.
 */
export function isReadable({ report, state, recordCount }: Snapshot): boolean {
  if (state === 'complete') return true;
  return recordCount > 0 && (state !== 'downloading' || !isSummary(report));
}

/** True for a report of groups; false for one of records. */
export function isSummary(report: Snapshot['report']): boolean {
  return report.endsWith('-summary');
}

/**
 * The newest of the usable snapshots that stands for a chosen period. "The last 24 hours" moves on with the clock, so at least
 * half of both must be shared, not all.
 */
export function pickSnapshot(usable: readonly Snapshot[], period: Span): Snapshot | null {
  return usable.find((snapshot) => measureOverlap(snapshot.period, period) >= 0.5) ?? null;
}

/** True when two snapshots were asked for with the same dates, so that their numbers may be compared. */
export function hasSamePeriod(a: Snapshot, b: Snapshot): boolean {
  return a.period.fromMs === b.period.fromMs && a.period.toMs === b.period.toMs;
}
