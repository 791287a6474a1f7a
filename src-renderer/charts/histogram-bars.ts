import { CODE_CLASSES, type CodeClass, type TimeBucket } from '../../src-main/common/model/record.ts';
import type { BucketRange } from './time-brush.ts';

/** From the base upwards. Failures come first, so that they share a baseline and can be compared. */
const STACK: readonly CodeClass[] = ['5xx', 'none', '4xx', '3xx', '2xx'];

interface HistogramPath {
  readonly codeClass: CodeClass;
  /** Outside the selected time. */
  readonly dimmed: boolean;
  /** SVG path data in pixels. */
  readonly path: string;
}

/** Returns the number of records in a bucket. */
export function countBucket(bucket: TimeBucket): number {
  return bucket.counts.reduce((sum, count) => sum + count, 0);
}

/** Returns the number of records in the fullest bucket; 0 without buckets. */
export function findPeak(buckets: readonly TimeBucket[]): number {
  return buckets.reduce((peak, bucket) => Math.max(peak, countBucket(bucket)), 0);
}

/**
 * One path per class and dimming, with whole-pixel edges. A class that occurs is at least 1 px high,
 * because single failures among thousands of requests would vanish.
 */
export function toHistogramPaths(
  buckets: readonly TimeBucket[],
  widthPx: number,
  heightPx: number,
  selected: BucketRange | null,
): readonly HistogramPath[] {
  const peak = findPeak(buckets);
  if (peak === 0 || !(widthPx > 0)) return [];
  const paths = new Map<string, { codeClass: CodeClass; dimmed: boolean; path: string }>();
  buckets.forEach((bucket, index) => {
    const dimmed = selected !== null && (index < selected.start || index >= selected.end);
    const left = Math.round((index * widthPx) / buckets.length);
    const right = Math.round(((index + 1) * widthPx) / buckets.length);
    const width = Math.max(1, right - left - 1);
    let base = heightPx;
    for (const codeClass of STACK) {
      const count = bucket.counts[CODE_CLASSES.indexOf(codeClass)] ?? 0;
      if (count === 0) continue;
      const height = Math.min(base, Math.max(1, Math.round((count / peak) * heightPx)));
      base -= height;
      const key = `${codeClass}${dimmed ? '-' : '+'}`;
      const entry = paths.get(key) ?? { codeClass, dimmed, path: '' };
      entry.path += `M${left} ${base}h${width}v${height}h-${width}z`;
      paths.set(key, entry);
    }
  });
  return [...paths.values()];
}
