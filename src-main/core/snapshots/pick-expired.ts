import type { RetiredSnapshot } from '../../common/model/cache/cache-state.ts';
import { toFetchedAtMs, type Snapshot } from '../../common/model/cache/snapshot.ts';
import { DAY_MS } from '../../common/time/durations.ts';

export interface RetentionLimits {
  /** 0 for no limit. */
  readonly retentionDays: number;
  /** 0 for no limit. */
  readonly retentionBytes: number;
}

/**
 * Picks what retention removes: first everything fetched longer ago than the days, then the oldest while
 * the rest takes more than the bytes. Never a pinned or imported snapshot, nor one that is downloading or paused.
 * `usedBytes` is what the cache takes now; it is shared among the snapshots by the bytes received for each.
 */
export function pickExpired(
  snapshots: readonly Snapshot[],
  limits: RetentionLimits,
  nowMs: number,
  usedBytes: number,
): RetiredSnapshot[] {
  const receivedBytes = snapshots.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const share = receivedBytes === 0 ? 0 : usedBytes / receivedBytes;
  const oldestFirst = snapshots
    .filter(({ pinned, state }) => !pinned && state !== 'downloading' && state !== 'paused')
    // What was imported can't be fetched again.
    .filter(({ imported }) => imported === undefined)
    // A day that is being followed would be fetched again at once.
    .filter(({ stillOpen, settledToMs }) => !stillOpen || settledToMs === undefined)
    .sort((a, b) => a.fetchedOrder - b.fetchedOrder || a.id - b.id);
  const endMs = nowMs - limits.retentionDays * DAY_MS;
  let leftBytes = usedBytes;
  const expired: RetiredSnapshot[] = [];
  for (const snapshot of oldestFirst) {
    const isOld = limits.retentionDays > 0 && toFetchedAtMs(snapshot) < endMs;
    const isTooMuch = limits.retentionBytes > 0 && leftBytes > limits.retentionBytes;
    if (!isOld && !isTooMuch) continue;
    leftBytes -= snapshot.sizeBytes * share;
    expired.push(toRetired(snapshot, isOld ? 'age' : 'size'));
  }
  return expired;
}

function toRetired(snapshot: Snapshot, reason: RetiredSnapshot['reason']): RetiredSnapshot {
  const { id, connectionId, report, name, recordCount, period } = snapshot;
  const { startDate, endDate } = period;
  return { id, connectionId, report, name, startDate, endDate, recordCount, reason };
}
