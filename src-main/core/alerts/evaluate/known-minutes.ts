import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { readCoverage, type WalkedPart } from '../../analysis/read-coverage.ts';

/**
 * Marks the whole minutes of [fromMs, toMs) of which all that the service had was fetched; what may still come late
 * counts as fetched.
 */
export function findKnownMinutes(
  snapshots: readonly Snapshot[],
  walked: ReadonlyMap<number, WalkedPart>,
  { fromMs, toMs }: TimeSpan,
): Uint8Array<ArrayBuffer> {
  const known = new Uint8Array(Math.max(0, Math.floor((toMs - fromMs) / MINUTE_MS))).fill(1);
  const blank = (sinceMs: number, untilMs: number): void => {
    known.fill(0, Math.floor((sinceMs - fromMs) / MINUTE_MS), Math.ceil((untilMs - fromMs) / MINUTE_MS));
  };
  // Open or settled, it is known: no look-back parts them.
  const { gaps } = readCoverage(snapshots, { fromMs, toMs, buckets: 1 }, 0, walked);
  for (const gap of gaps) if (gap.state !== 'open') blank(gap.fromMs, gap.toMs);
  return known;
}
