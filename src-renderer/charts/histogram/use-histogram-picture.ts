import { inject, onBeforeUnmount } from 'vue';
import type { Histogram } from '../../../src-main/common/model/records/histogram.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { formatDuration } from '../../format/numbers.ts';
import { CHART_FONT, formatAxisCount } from '../chart-style.ts';
import { hatch } from '../hatch.ts';
import { chartFrameKey } from '../picture/chart-drawing.ts';
import { toTimes } from '../time-brush.ts';
import { toTimeTicks } from '../../../src-main/common/words/time-ticks.ts';
import { readFormats } from '../../format/formats.ts';
import type { ChartColours } from '../use-chart-colours.ts';
import { findPeak, toHistogramBoxes, toSpanBoxes } from './histogram-bars.ts';
import { toChartColour, type SeriesColour } from './series-colours.ts';

const MARGIN = { left: 44, right: 60, top: 8, bottom: 22 };
const HEIGHT_PX = 240;
const PIXELS_PER_TICK = 78;

interface HistogramLook {
  readonly histogram: Histogram;
  /** What is not cached. */
  readonly gaps: readonly TimeSpan[];
  readonly colours: readonly SeriesColour[];
  readonly widthPx: number;
  /** Top of the axis of the medians; 0 where they are not drawn. */
  readonly medianMaxMs: number;
  readonly zone: string;
}

/** Tells the frame around it how the histogram is drawn as a picture: higher than on the screen, and with its axes. */
export function useHistogramPicture(readLook: () => HistogramLook): void {
  const register = inject(chartFrameKey, null);
  register?.({
    readSize: () => ({ width: readLook().widthPx + MARGIN.left + MARGIN.right, height: HEIGHT_PX }),
    draw: (context, size, colours) => {
      drawHistogram(
        context,
        { ...readLook(), widthPx: size.width - MARGIN.left - MARGIN.right },
        colours,
        size,
      );
      return () => undefined;
    },
  });
  onBeforeUnmount(() => register?.(null));
}

function drawHistogram(
  context: CanvasRenderingContext2D,
  { histogram, gaps, colours, widthPx, medianMaxMs, zone }: HistogramLook,
  theme: ChartColours,
  { height }: { readonly height: number },
): void {
  const heightPx = height - MARGIN.top - MARGIN.bottom;
  const bottom = MARGIN.top + heightPx;
  for (const { left, width } of toSpanBoxes(histogram.buckets, gaps, widthPx)) {
    hatch(context, { left: MARGIN.left + left, top: MARGIN.top, width, height: heightPx }, theme.hatch);
  }
  for (const box of toHistogramBoxes(histogram, colours, { widthPx, heightPx })) {
    context.fillStyle = theme[toChartColour(box.colour)];
    context.fillRect(MARGIN.left + box.left, MARGIN.top + box.top, box.width, box.height);
  }
  context.fillStyle = theme.hatch;
  context.fillRect(MARGIN.left, bottom, widthPx, 1);
  if (medianMaxMs > 0) drawMedians(context, histogram, { widthPx, heightPx, medianMaxMs }, theme);
  context.font = `${CHART_FONT.size}px ${CHART_FONT.family}`;
  context.fillStyle = theme.faint;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  context.fillText(formatAxisCount(findPeak(histogram.buckets)), MARGIN.left - 6, MARGIN.top + 4);
  context.fillText('0', MARGIN.left - 6, bottom);
  context.textAlign = 'left';
  if (medianMaxMs > 0) {
    context.fillText(formatDuration(medianMaxMs), MARGIN.left + widthPx + 6, MARGIN.top + 4);
    context.fillText('0', MARGIN.left + widthPx + 6, bottom);
  }
  const whole = toTimes(histogram.buckets, { start: 0, end: histogram.buckets.length });
  if (whole === null) return;
  const { fromMs, toMs } = whole;
  for (const { atMs, label } of toTimeTicks(
    whole,
    zone,
    Math.max(1, widthPx / PIXELS_PER_TICK),
    readFormats(),
  )) {
    const share = (atMs - fromMs) / (toMs - fromMs);
    context.fillText(label, MARGIN.left + share * widthPx, bottom + 12);
  }
}

/** A step for each bucket, and nothing where there is no median. */
function drawMedians(
  context: CanvasRenderingContext2D,
  { buckets }: Histogram,
  { widthPx, heightPx, medianMaxMs }: { widthPx: number; heightPx: number; medianMaxMs: number },
  theme: ChartColours,
): void {
  context.fillStyle = theme.accent;
  const toEdge = (index: number): number => MARGIN.left + (index * widthPx) / buckets.length;
  let before: number | null = null;
  buckets.forEach(({ medianResponseMs }, index) => {
    if (medianResponseMs === null) {
      before = null;
      return;
    }
    const top = MARGIN.top + heightPx * (1 - Math.max(0, medianResponseMs) / medianMaxMs);
    const left = toEdge(index);
    context.fillRect(left, top - 1, toEdge(index + 1) - left, 2);
    if (before !== null) context.fillRect(left - 1, Math.min(before, top) - 1, 2, Math.abs(before - top) + 2);
    before = top;
  });
}
