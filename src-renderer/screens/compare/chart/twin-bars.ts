import type { Histogram } from '../../../../src-main/common/model/records/histogram.ts';
import { CODE_CLASSES, type CodeClass } from '../../../../src-main/common/model/records/record.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import type { PlotArea } from '../../../charts/chart-marks.ts';
import { toSpanBoxes } from '../../../charts/histogram/histogram-bars.ts';

/** Errors stand at the axis, where both sides can be compared. */
const FROM_AXIS: readonly CodeClass[] = ['5xx', '4xx', 'none', '3xx', '2xx'];
const MIN_GAP_PX = 3;

/** A bar of one class, in pixels from the top left of the plot. */
export interface TwinBar {
  readonly codeClass: CodeClass;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the most requests that a bucket of either side holds. */
export function findTwinPeak(...sides: readonly Histogram[]): number {
  const sums = sides.flatMap(({ buckets }) => buckets.map(({ counts }) => counts.reduce((a, b) => a + b, 0)));
  return Math.max(0, ...sums);
}

/** Returns the number of buckets that both sides are drawn in. */
export function countTwinBuckets(after: Histogram, before: Histogram): number {
  return Math.max(after.buckets.length, before.buckets.length);
}

/** Returns the bars of both sides on one scale: `after` rises from the axis in the middle, `before` hangs from it. */
export function toTwinBars(
  after: Histogram,
  before: Histogram,
  size: { readonly widthPx: number; readonly halfPx: number; readonly top: number },
): readonly TwinBar[] {
  const { widthPx, halfPx, top } = size;
  const places = countTwinBuckets(after, before);
  if (places === 0 || top <= 0 || widthPx <= 0) return [];
  const toBars = (histogram: Histogram, isAbove: boolean): TwinBar[] =>
    histogram.buckets.flatMap(({ counts }, place) => {
      const left = Math.round((place * widthPx) / places);
      const right = Math.round(((place + 1) * widthPx) / places);
      const width = right - left - (right - left > MIN_GAP_PX ? 1 : 0);
      let reached = 0;
      return FROM_AXIS.flatMap((codeClass): TwinBar[] => {
        const count = counts[CODE_CLASSES.indexOf(codeClass)] ?? 0;
        if (count === 0) return [];
        const start = (reached * halfPx) / top;
        const height = (count * halfPx) / top;
        reached += count;
        return [{ codeClass, left, top: isAbove ? halfPx - start - height : halfPx + start, width, height }];
      });
    });
  return [...toBars(after, true), ...toBars(before, false)];
}

/** Parts of both sides' periods that are not cached. */
export interface TwinGaps {
  readonly before: readonly TimeSpan[];
  readonly after: readonly TimeSpan[];
}

/** Returns where each side's gaps lie in its half, in pixels from the top left of the plot. */
export function toTwinGaps(
  after: Histogram,
  before: Histogram,
  gaps: TwinGaps,
  { widthPx, halfPx }: { readonly widthPx: number; readonly halfPx: number },
): readonly PlotArea[] {
  const places = countTwinBuckets(after, before);
  if (places === 0 || widthPx <= 0) return [];
  const toBoxes = ({ buckets }: Histogram, own: readonly TimeSpan[], top: number): PlotArea[] =>
    toSpanBoxes(buckets, own, (widthPx * buckets.length) / places).map((box) => ({
      ...box,
      top,
      height: halfPx,
    }));
  return [...toBoxes(after, gaps.after, 0), ...toBoxes(before, gaps.before, halfPx)];
}

/** Returns bars as one path for each class, in the order of CODE_CLASSES. */
export function toTwinPaths(
  bars: readonly TwinBar[],
): readonly { readonly codeClass: CodeClass; readonly path: string }[] {
  return CODE_CLASSES.flatMap((codeClass) => {
    const path = bars
      .filter((bar) => bar.codeClass === codeClass)
      .map(
        ({ left, top, width, height }) =>
          `M${left} ${top.toFixed(1)}h${width}v${height.toFixed(1)}h${-width}Z`,
      )
      .join('');
    return path === '' ? [] : [{ codeClass, path }];
  });
}
