import type { Plugin } from 'chart.js';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { CHART_FONT, type ChartColours } from '../../../charts/chart-style.ts';
import { hatch, type PlotArea } from '../../../charts/chart-marks.ts';
import type { SlotCoverage, VolumePoint } from './volume-series.ts';

/** A stretch that the chart points out, such as that of a finding. */
export interface ShadedSpan extends TimeSpan {
  readonly label: string;
}

type BarPlugin = Plugin<'bar' | 'line'>;

const LABEL_GAP_PX = 6;

/** Hatches what is not cached, or not wholly, so that it doesn't read as "no traffic": inbound is the left half of a slot. */
export function createHatching(
  slots: readonly SlotCoverage[],
  colours: ChartColours,
  label: string,
): BarPlugin {
  return {
    id: 'hatching',
    beforeDatasetsDraw({ ctx, chartArea }) {
      const halves = slots.flatMap(({ inbound, outbound }) => [inbound, outbound]);
      const width = chartArea.width / Math.max(1, halves.length);
      let start = 0;
      for (let index = 1; index <= halves.length; index += 1) {
        if (index < halves.length && halves[index] === halves[start]) continue;
        const [left, span] = [chartArea.left + start * width, (index - start) * width];
        if (halves[start] !== 'whole') hatch(ctx, { ...toBox(chartArea), left, width: span }, colours.hatch);
        ctx.save();
        ctx.fillStyle = colours.faint;
        ctx.font = `500 ${CHART_FONT.size}px ${CHART_FONT.family}`;
        ctx.textAlign = 'center';
        if (halves[start] === 'none' && ctx.measureText(label).width + 8 < span) {
          ctx.fillText(label, left + span / 2, chartArea.top + chartArea.height / 2);
        }
        ctx.restore();
        start = index;
      }
    },
  };
}

/** Shades a span, with a line where it begins and its label beside the top of it. */
export function createShading(
  span: ShadedSpan | null,
  points: readonly VolumePoint[],
  colours: ChartColours,
): BarPlugin {
  return {
    id: 'shading',
    beforeDatasetsDraw({ ctx, chartArea }) {
      const [first, last] = [points[0], points.at(-1)];
      if (span === null || first === undefined || last === undefined) return;
      const toX = (atMs: number): number => {
        const share = (atMs - first.fromMs) / (last.toMs - first.fromMs);
        return chartArea.left + Math.max(0, Math.min(1, share)) * chartArea.width;
      };
      const [left, right] = [toX(span.fromMs), toX(span.toMs)];
      if (right <= left) return;
      ctx.save();
      ctx.fillStyle = colours.shade;
      ctx.fillRect(left, chartArea.top, right - left, chartArea.height);
      ctx.fillStyle = colours.accent;
      ctx.fillRect(left, chartArea.top - 14, 1, chartArea.height + 14);
      ctx.font = `500 ${CHART_FONT.size}px ${CHART_FONT.family}`;
      const isLeft = ctx.measureText(span.label).width + LABEL_GAP_PX < left - chartArea.left;
      ctx.textAlign = isLeft ? 'right' : 'left';
      ctx.fillText(span.label, left + (isLeft ? -LABEL_GAP_PX : LABEL_GAP_PX), chartArea.top - 5);
      ctx.restore();
    },
  };
}

/** Tells where the bars are each time the chart is laid out. */
export function createAreaReader(take: (area: PlotArea) => void): BarPlugin {
  return { id: 'area-reader', afterLayout: ({ chartArea }) => take(toBox(chartArea)) };
}

function toBox({ left, top, width, height }: PlotArea): PlotArea {
  return { left, top, width, height };
}
