import type { Chart, Plugin } from 'chart.js';
import { CHART_FONT, type ChartColour, type ChartColours } from './chart-style.ts';

/** Where a chart draws, in CSS pixels of its canvas. */
export interface PlotArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const HATCH_PX = 5;

/** Hatches a part of a chart: what is not cached must not read as nothing. */
export function hatch(
  ctx: CanvasRenderingContext2D,
  { left, top, width, height }: PlotArea,
  colour: string,
): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.beginPath();
  // On whole pixels and from one origin, so that parts beside each other look like one.
  const [bottom, rise] = [Math.round(top + height), Math.ceil(height) + 1];
  const start = Math.floor((left - rise) / HATCH_PX) * HATCH_PX;
  for (let x = start; x < left + width; x += HATCH_PX) {
    ctx.moveTo(x, bottom);
    ctx.lineTo(x + rise, bottom - rise);
  }
  ctx.stroke();
  ctx.restore();
}

const END_FONT = `500 ${CHART_FONT.size}px ${CHART_FONT.family}`;

export interface EndLabel {
  readonly text: string;
  readonly colour: ChartColour;
  /** Where a whisker ends that begins at the end of the bar; the text stands behind it. */
  readonly whisker?: number | null;
}

/** What an axis of `BAR_GRACE` leaves at least beside the longest bar, as a share of its own length. */
const LEFT_BY_AXIS = 0.137;
/** What the axis goes on beyond the longest bar: half of it counts, since Chart.js divides it between both ends. */
export const BAR_GRACE = '32%';
const NAMES_PX = 150;
const MIN_ROOM_PX = 8;
/** Between the end of a bar and its text. */
const GAP_PX = 6;

/** Returns the room in pixels that the longest text needs beside what the axis leaves. */
export function findEndRoom(
  { ctx, width }: Pick<Chart, 'ctx' | 'width'>,
  labels: readonly EndLabel[],
): number {
  ctx.save();
  ctx.font = END_FONT;
  const widest = Math.max(0, ...labels.map(({ text }) => ctx.measureText(text).width));
  ctx.restore();
  const left = Math.max(0, width - NAMES_PX) * LEFT_BY_AXIS;
  // The room is taken from the axis, which then leaves less.
  return Math.max(MIN_ROOM_PX, Math.ceil((widest + GAP_PX - left) / (1 - LEFT_BY_AXIS)));
}

/**
 * Writes a text after the end of each horizontal bar, because the slivers of a stack can't be read, and draws the
 * whiskers.
 */
export function createEndLabels(labels: readonly EndLabel[], colours: ChartColours): Plugin<'bar'> {
  return {
    id: 'end-labels',
    afterDatasetsDraw(chart) {
      const { ctx } = chart;
      ctx.save();
      ctx.font = END_FONT;
      ctx.textBaseline = 'middle';
      labels.forEach((label, index) => {
        let right = chart.chartArea.left;
        let middle: number | null = null;
        for (const meta of chart.getSortedVisibleDatasetMetas()) {
          const bar = meta.data[index];
          if (bar === undefined || Number.isNaN(bar.x)) continue;
          right = Math.max(right, bar.x);
          middle = bar.y;
        }
        if (middle === null) return;
        const whisker = label.whisker ?? null;
        if (whisker !== null) {
          const end = chart.scales['x']?.getPixelForValue(whisker) ?? right;
          ctx.strokeStyle = colours.quiet;
          ctx.lineWidth = 1.5;
          ctx.beginPath();
          ctx.moveTo(right, middle);
          ctx.lineTo(end, middle);
          ctx.moveTo(end, middle - 4);
          ctx.lineTo(end, middle + 4);
          ctx.stroke();
          right = Math.max(right, end);
        }
        ctx.fillStyle = colours[label.colour];
        ctx.fillText(label.text, right + GAP_PX, middle);
      });
      ctx.restore();
    },
  };
}
