import type { Obstacle } from '../../../common/model/analysis/reconciliation.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';

/**
 * Returns what forbids to compare a reported summary with the cached records of its period; null where nothing does.
 * `gaps` are what is not cached of [fromMs, toMs), or only in part.
 */
export function findObstacle(
  reported: Pick<Snapshot, 'report' | 'state' | 'remarks'>,
  cachedCount: number,
  gaps: readonly TimeSpan[],
  period: TimeSpan,
): Obstacle | null {
  const isInboundOnly = reported.remarks.some(({ code }) => code === 'answer-has-inbound-only');
  if (reported.report === 'outbound-summary' && isInboundOnly) return 'inbound-only';
  if (reported.state !== 'complete') return 'summary-incomplete';
  if (cachedCount === 0) return 'nothing-cached';
  const [first] = gaps;
  if (first === undefined) return null;
  const isTail = gaps.length === 1 && first.toMs === period.toMs && first.fromMs > period.fromMs;
  return isTail ? 'cached-until' : 'gaps';
}
