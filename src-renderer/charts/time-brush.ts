import type { TimeSpan } from '../../src-main/common/time/time-span.ts';

/** A selection of whole buckets: [start, end), start below end. */
export interface BucketRange {
  readonly start: number;
  readonly end: number;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** Index of the bucket under the pointer, whose place is counted from the plot's left edge. */
export function toBucketIndex(offsetPx: number, widthPx: number, bucketCount: number): number {
  if (bucketCount <= 0 || !(widthPx > 0)) return 0;
  return clamp(Math.floor((offsetPx / widthPx) * bucketCount), 0, bucketCount - 1);
}

/** The range that a drag from one bucket to another covers, both included. */
export function toDraggedRange(anchor: number, current: number): BucketRange {
  return { start: Math.min(anchor, current), end: Math.max(anchor, current) + 1 };
}

/**
 * The selection after an arrow key: moved by one bucket, or with `resize` only its end. Where nothing is selected,
 * the last bucket for a step back and the first for a step forward.
 */
export function stepRange(
  range: BucketRange | null,
  step: -1 | 1,
  resize: boolean,
  bucketCount: number,
): BucketRange | null {
  if (bucketCount <= 0) return null;
  if (range === null) {
    return step < 0 ? { start: bucketCount - 1, end: bucketCount } : { start: 0, end: 1 };
  }
  if (resize) return { start: range.start, end: clamp(range.end + step, range.start + 1, bucketCount) };
  const length = range.end - range.start;
  const start = clamp(range.start + step, 0, bucketCount - length);
  return { start, end: start + length };
}

/** The span of time of a range of buckets; `toMs` is exclusive. */
export function toTimes(buckets: readonly TimeSpan[], range: BucketRange): TimeSpan | null {
  const first = buckets[range.start];
  const last = buckets[range.end - 1];
  return first === undefined || last === undefined ? null : { fromMs: first.fromMs, toMs: last.toMs };
}

/** The range of other buckets in which a span of time lies; null where they have nothing of it. */
export function toBuckets(buckets: readonly TimeSpan[], { fromMs, toMs }: TimeSpan): BucketRange | null {
  const start = buckets.findIndex((bucket) => bucket.toMs > fromMs);
  const end = buckets.findLastIndex((bucket) => bucket.fromMs < toMs) + 1;
  return start < 0 || start >= end ? null : { start, end };
}

/** Where a range of buckets stands in a plot of all of them, as styles. */
export function toFrame({ start, end }: BucketRange, bucketCount: number): { left: string; width: string } {
  const share = 100 / Math.max(1, bucketCount);
  return { left: `${start * share}%`, width: `${(end - start) * share}%` };
}
