import type {
  Histogram,
  HistogramBucket,
  HistogramSeries,
} from '../../../src-main/common/model/records/histogram.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import type { CodeClass } from '../../../src-main/common/model/records/record.ts';
import type { BucketRange } from '../time-brush.ts';
import type { SeriesColour } from './series-colours.ts';

/** From the base upwards. Failures come first, so that they share a baseline and can be compared. */
const CLASS_STACK: readonly CodeClass[] = ['5xx', 'none', '4xx', '3xx', '2xx'];

export interface HistogramPath {
  readonly colour: SeriesColour;
  /** Outside the marked time. */
  readonly dimmed: boolean;
  /** SVG path data in pixels. */
  readonly path: string;
}

/** Returns the number of records in a bucket. */
export function countBucket({ counts }: Pick<HistogramBucket, 'counts'>): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Returns the number of records in the fullest bucket; 0 without buckets. */
export function findPeak(buckets: readonly HistogramBucket[]): number {
  return buckets.reduce((peak, bucket) => Math.max(peak, countBucket(bucket)), 0);
}

/** Places of the series from the base upwards. */
function toStack(series: readonly HistogramSeries[]): number[] {
  const places = [...series.keys()];
  const rank = (place: number): number => {
    const one = series[place];
    return one?.kind === 'class' ? CLASS_STACK.indexOf(one.codeClass) : place;
  };
  return places.sort((a, b) => rank(a) - rank(b));
}

/** A part of a bar, in pixels. */
export interface HistogramBox {
  readonly colour: SeriesColour;
  /** Of the bucket, and of the series. */
  readonly index: number;
  readonly place: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** What the bars are drawn in. */
interface BarsSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * Returns the bars with whole-pixel edges. A series that occurs is at least 1 px high, because single failures among
 * thousands of requests would vanish.
 */
export function toHistogramBoxes(
  { series, buckets }: Pick<Histogram, 'series' | 'buckets'>,
  colours: readonly SeriesColour[],
  { widthPx, heightPx }: BarsSize,
): readonly HistogramBox[] {
  const peak = findPeak(buckets);
  if (peak === 0 || !(widthPx > 0)) return [];
  const stack = toStack(series);
  const boxes: HistogramBox[] = [];
  buckets.forEach((bucket, index) => {
    const { left, right } = toEdges(index, buckets.length, widthPx);
    const width = Math.max(1, right - left - 1);
    let top = heightPx;
    for (const place of stack) {
      const count = bucket.counts[place] ?? 0;
      const colour = colours[place];
      if (count === 0 || colour === undefined) continue;
      const height = Math.min(top, Math.max(1, Math.round((count / peak) * heightPx)));
      top -= height;
      boxes.push({ colour, index, place, left, top, width, height });
    }
  });
  return boxes;
}

/** Returns one path per series and dimming. */
export function toHistogramPaths(
  histogram: Pick<Histogram, 'series' | 'buckets'>,
  colours: readonly SeriesColour[],
  size: BarsSize,
  marked: BucketRange | null,
): readonly HistogramPath[] {
  const paths = new Map<string, HistogramPath>();
  for (const box of toHistogramBoxes(histogram, colours, size)) {
    const { colour, index, place, left, top, width, height } = box;
    const dimmed = marked !== null && (index < marked.start || index >= marked.end);
    const key = `${place}${dimmed ? '-' : '+'}`;
    const before = paths.get(key)?.path ?? '';
    paths.set(key, { colour, dimmed, path: `${before}M${left} ${top}h${width}v${height}h-${width}z` });
  }
  return [...paths.values()];
}

/** Returns where spans of time lie in the plot, each at least 1 px wide; all buckets are drawn equally wide. */
export function toSpanBoxes(
  buckets: readonly TimeSpan[],
  spans: readonly TimeSpan[],
  widthPx: number,
): readonly { readonly left: number; readonly width: number }[] {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined || !(widthPx > 0)) return [];
  const toX = (atMs: number): number => {
    const index = buckets.findIndex(({ toMs }) => toMs > atMs);
    const bucket = buckets[index];
    if (bucket === undefined) return widthPx;
    const share = Math.max(0, atMs - bucket.fromMs) / (bucket.toMs - bucket.fromMs);
    return Math.round(((index + share) * widthPx) / buckets.length);
  };
  return spans
    .filter(({ fromMs, toMs }) => fromMs < last.toMs && toMs > first.fromMs)
    .map(({ fromMs, toMs }) => {
      const left = Math.min(toX(fromMs), widthPx - 1);
      return { left, width: Math.max(1, toX(toMs) - left) };
    });
}

/** How much of a bucket lies in gaps: all of it, some, or nothing. */
export function judgeGaps(bucket: TimeSpan, gaps: readonly TimeSpan[]): 'whole' | 'part' | 'none' {
  const insideMs = gaps.reduce((sum, { fromMs, toMs }) => {
    return sum + Math.max(0, Math.min(toMs, bucket.toMs) - Math.max(fromMs, bucket.fromMs));
  }, 0);
  if (insideMs === 0) return 'none';
  return insideMs >= bucket.toMs - bucket.fromMs ? 'whole' : 'part';
}

/** Returns the longest median response time; 0 without one. */
export function findSlowest(buckets: readonly HistogramBucket[]): number {
  return buckets.reduce((most, { medianResponseMs }) => Math.max(most, medianResponseMs ?? 0), 0);
}

/** The line of the medians as SVG path data: a step for each bucket, and none where there is no median. */
export function toMedianPath(
  buckets: readonly HistogramBucket[],
  widthPx: number,
  heightPx: number,
  maxMs: number,
): string {
  if (!(widthPx > 0) || !(maxMs > 0)) return '';
  let isDrawn = false;
  return buckets
    .map(({ medianResponseMs }, index) => {
      const joins = isDrawn;
      isDrawn = medianResponseMs !== null;
      if (medianResponseMs === null) return '';
      const { left, right } = toEdges(index, buckets.length, widthPx);
      const top = Math.round((1 - Math.max(0, medianResponseMs) / maxMs) * (heightPx - 2)) + 1;
      return joins ? `V${top}H${right}` : `M${left} ${top}H${right}`;
    })
    .join('');
}

function toEdges(index: number, count: number, widthPx: number): { left: number; right: number } {
  return { left: Math.round((index * widthPx) / count), right: Math.round(((index + 1) * widthPx) / count) };
}
