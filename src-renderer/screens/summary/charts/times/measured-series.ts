import {
  MAX_EDGES,
  type SeriesBucket,
} from '../../../../../src-main/common/model/analysis/measured-times.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../src-main/common/time/durations.ts';
import { listBucketEdges } from '../../../../../src-main/common/time/time-buckets.ts';
import type { TimeSpan } from '../../../../../src-main/common/time/time-span.ts';
import { measureMissing } from './times-basis.ts';

const UNITS = ['minute', 'hour', 'day'] as const;
export type Unit = (typeof UNITS)[number];

/** What a line shows of each bucket. */
export type SeriesFigure = 'count' | 'errorShare' | 'medianMs' | 'p95Ms';

export interface SeriesPoint {
  readonly x: number;
  readonly y: number | null;
}

const UNIT_MS: Readonly<Record<Unit, number>> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS };
/** Buckets that a chart shows well. */
const USUAL_BUCKETS = 400;
/** Where a clock changes there is a bucket more. */
const MAX_BUCKETS = MAX_EDGES - 10;

/** Returns the units that a span can be counted in: two buckets at least, and not too many to read. */
export function listUnits({ fromMs, toMs }: TimeSpan): readonly Unit[] {
  const fitting = UNITS.filter((unit) => {
    const count = (toMs - fromMs) / UNIT_MS[unit];
    return count >= 1.5 && count <= MAX_BUCKETS;
  });
  if (fitting.length > 0) return fitting;
  return toMs - fromMs < UNIT_MS.hour ? ['minute'] : ['day'];
}

/** Returns the finest unit of which a span has no more buckets than a chart shows well. */
export function toUsualUnit(span: TimeSpan): Unit {
  const units = listUnits(span);
  return (
    units.find((unit) => (span.toMs - span.fromMs) / UNIT_MS[unit] <= USUAL_BUCKETS) ?? units.at(-1) ?? 'day'
  );
}

/** Returns the edges of the buckets of a span; of one that is too long the newest buckets. */
export function listSeriesEdges({ fromMs, toMs }: TimeSpan, unit: Unit, zone: string): number[] {
  const firstMs = Math.max(fromMs, toMs - MAX_BUCKETS * UNIT_MS[unit]);
  return listBucketEdges(firstMs, toMs, UNIT_MS[unit], zone);
}

/** Returns the part of a bucket that lies in the span: the first and the last may reach beyond it. */
export function clip<Bucket extends TimeSpan>(bucket: Bucket, { fromMs, toMs }: TimeSpan): Bucket {
  return { ...bucket, fromMs: Math.max(bucket.fromMs, fromMs), toMs: Math.min(bucket.toMs, toMs) };
}

/** Returns whether nothing is known of a bucket: nothing of it is cached, or that is not known itself. */
export function isUnknown(bucket: SeriesBucket, gaps: readonly TimeSpan[] | null): boolean {
  if (bucket.count > 0) return false;
  return gaps === null || measureMissing(bucket, gaps) >= bucket.toMs - bucket.fromMs;
}

/** Returns a figure of a bucket; null where there is none. */
export function readFigure(
  bucket: SeriesBucket,
  figure: SeriesFigure,
  gaps: readonly TimeSpan[] | null,
): number | null {
  if (figure === 'count') return isUnknown(bucket, gaps) ? null : bucket.count;
  if (figure === 'errorShare') return bucket.count === 0 ? null : bucket.failures / bucket.count;
  return bucket[figure];
}

/** Returns a line that is level for the length of each bucket, and interrupted where there is no figure. */
export function toSteps(
  buckets: readonly SeriesBucket[],
  figure: SeriesFigure,
  gaps: readonly TimeSpan[] | null,
): SeriesPoint[] {
  return buckets.flatMap((bucket) => {
    const y = readFigure(bucket, figure, gaps);
    return [
      { x: bucket.fromMs, y },
      { x: bucket.toMs, y },
    ];
  });
}

/** Returns the place of the bucket that holds an instant; null outside all of them. */
export function findBucket(buckets: readonly TimeSpan[], atMs: number): number | null {
  const place = buckets.findIndex(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  return place === -1 ? null : place;
}
