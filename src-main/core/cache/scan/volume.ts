import type { TimeBucket } from '../../../common/model/record.ts';
import { toEndMs } from '../../../common/model/period.ts';
import { toFetchedAtMs, type Snapshot } from '../../../common/model/snapshot.ts';
import type { DateColumn } from './date-columns.ts';
import { addToBucket, createBuckets } from './histogram.ts';

/** A part of a span, [fromMs, toMs), for which one snapshot speaks. */
export interface Segment {
  readonly fromMs: number;
  readonly toMs: number;
  readonly snapshot: Snapshot;
}

/**
 * Divides [fromMs, toMs) among the snapshots that cover it: for each instant the newest complete one, else
 * the newest other one, so that overlapping snapshots count once. Ordered by time, without overlaps.
 */
export function divideSpan(snapshots: readonly Snapshot[], fromMs: number, toMs: number): Segment[] {
  const ranked = snapshots
    .filter((snapshot) => snapshot.recordCount > 0 || snapshot.state === 'complete')
    .sort(
      (a, b) =>
        Number(b.state === 'complete') - Number(a.state === 'complete') ||
        toFetchedAtMs(b) - toFetchedAtMs(a),
    );
  let segments: Segment[] = [];
  for (const snapshot of ranked) {
    let from = Math.max(fromMs, snapshot.period.fromMs);
    const to = Math.min(toMs, toEndMs(snapshot.period));
    const added: Segment[] = [];
    for (const taken of segments) {
      if (taken.toMs <= from) continue;
      if (taken.fromMs >= to) break;
      if (taken.fromMs > from) added.push({ fromMs: from, toMs: taken.fromMs, snapshot });
      from = taken.toMs;
    }
    if (from < to) added.push({ fromMs: from, toMs: to, snapshot });
    segments = [...segments, ...added].sort((a, b) => a.fromMs - b.fromMs);
  }
  return segments;
}

/** Counts the records of the segments in equal buckets of [fromMs, toMs). Coverage: share of the span in complete snapshots. */
export async function countVolume(
  segments: readonly Segment[],
  span: { fromMs: number; toMs: number; buckets: number },
  readColumn: (snapshot: Snapshot) => Promise<DateColumn>,
): Promise<{ buckets: TimeBucket[]; coverage: number }> {
  const lengthMs = Math.max(1, span.toMs - span.fromMs);
  const buckets = createBuckets(span.buckets, (index) =>
    Math.round(span.fromMs + (index * lengthMs) / span.buckets),
  );
  let coveredMs = 0;
  for (const { fromMs, toMs, snapshot } of segments) {
    if (snapshot.state === 'complete') coveredMs += toMs - fromMs;
    const { datesMs, classes } = await readColumn(snapshot);
    for (let seq = 0; seq < datesMs.length; seq += 1) {
      const dateMs = datesMs[seq] ?? NaN;
      if (!(dateMs >= fromMs && dateMs < toMs)) continue;
      addToBucket(findBucket(buckets, dateMs, span), classes[seq]);
    }
  }
  return { buckets, coverage: Math.min(1, coveredMs / lengthMs) };
}

function findBucket(
  buckets: readonly TimeBucket[],
  dateMs: number,
  span: { fromMs: number; toMs: number },
): TimeBucket | undefined {
  const index = Math.floor(((dateMs - span.fromMs) / (span.toMs - span.fromMs)) * buckets.length);
  const bucket = buckets[index];
  if (bucket === undefined) return undefined;
  // Edges are rounded to milliseconds: the neighbour may be meant.
  if (dateMs < bucket.fromMs) return buckets[index - 1];
  return dateMs >= bucket.toMs ? buckets[index + 1] : bucket;
}
