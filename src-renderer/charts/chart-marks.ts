import type { Chart, ChartType, Plugin } from 'chart.js';
import type { RouteLocationRaw } from 'vue-router';
import type { TimedField } from '../../src-main/common/model/analysis/grouping.ts';
import type { TimesRow } from '../../src-main/common/model/records/histogram.ts';
import type { FieldCondition } from '../../src-main/common/model/records/record-filter.ts';
import { CODE_CLASSES, type CodeClass } from '../../src-main/common/model/records/record.ts';
import { toNextNumber } from '../../src-main/common/query/query-fields.ts';
import { createQueryClock } from '../../src-main/common/query/query-values.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../src-main/common/time/time-span.ts';
import { CHART_FONT, type ChartColour, type ChartColours, type LegendEntry } from './chart-style.ts';

const FULL_BAR_MS = 10_000;

/** Response times above this are drawn in red. */
export const SLOW_RESPONSE_MS = 5_000;

/**
 * Length of a response-time bar, 0 to 1, on a logarithmic scale from 1 ms to 10 s, so that 100 ms and
 * 10 s can both be read in a bar 40 px long.
 */
export function toLogShare(responseTimeMs: number | null): number {
  if (responseTimeMs === null || !(responseTimeMs > 0)) return 0;
  const share = Math.log10(Math.max(1, responseTimeMs)) / Math.log10(FULL_BAR_MS);
  return Math.min(1, Math.max(0.05, share));
}

/** Returns the smallest of 1, 2, 5 times a power of ten that is not below the value; at least 1. */
export function toNiceCeiling(value: number): number {
  if (!(value > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= value) ?? 10;
  return factor * power;
}

const MIN_TICKS = 3;

/** Returns the condition on a record that its time lies in a bucket, without its end; that it has one where the bucket has no ends. */
export function toTimeCondition(
  { fromMs, toMs }: TimesRow,
  field: TimedField = 'responseTimeMs',
): FieldCondition {
  if (fromMs === null && toMs === null) return { field, exclude: true, values: [null] };
  const min = fromMs === null ? {} : { min: fromMs };
  const max = toMs === null ? {} : { max: toNextNumber(toMs, -1) };
  return { field, ...min, ...max };
}

function isRound(timeMs: number, factors: readonly number[]): boolean {
  return factors.some((factor) => {
    const power = Math.log10(timeMs / factor);
    return timeMs > 0 && Math.abs(power - Math.round(power)) < 1e-9;
  });
}

/** Returns the buckets that begin at a power of ten, or where these are few, at twice and five times one too. */
export function listRoundPlaces(buckets: readonly TimesRow[], max: number): readonly number[] {
  const find = (factors: readonly number[]): number[] =>
    buckets.flatMap(({ fromMs }, place) => (isRound(fromMs ?? 0, factors) ? [place] : []));
  const powers = find([1]);
  const finer = powers.length < MIN_TICKS ? find([1, 2, 5]) : powers;
  return finer.length > max ? powers : finer;
}

/** Where a chart draws, in CSS pixels of its canvas. */
export interface PlotArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the style of an element that lies over an area of what is around it. */
export function toAreaStyle({ left, top, width, height }: PlotArea) {
  return { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` };
}

/** Returns one path for all boxes of a kind, with the first of them. */
export function toBoxPaths<Box extends PlotArea>(
  boxes: readonly Box[],
  toKind: (box: Box) => unknown,
): readonly { readonly first: Box; readonly path: string }[] {
  const round = (px: number): number => Number(px.toFixed(1));
  return [...Map.groupBy(boxes, toKind).values()].flatMap((own) => {
    const [first] = own;
    const parts = own.map(
      ({ left, top, width, height }) => `M${left} ${round(top)}h${width}v${round(height)}h-${width}z`,
    );
    return first === undefined ? [] : [{ first, path: parts.join('') }];
  });
}

/** Returns a line that is level for the length of each step as SVG path data; there is none where a step has no height. */
export function toStepPath(
  steps: readonly { readonly left: number; readonly right: number; readonly y: number | null }[],
): string {
  const round = (px: number): number => Number(px.toFixed(1));
  return steps
    .map(({ left, right, y }, place) => {
      if (y === null) return '';
      const joins = (steps[place - 1]?.y ?? null) !== null;
      return `${joins ? 'V' : `M${round(left)} `}${round(y)}H${round(right)}`;
    })
    .join('');
}

/** A label beside a plot. */
export interface AxisLabel {
  /** From 0 at the bottom of the plot to 1 at its top. */
  readonly share: number;
  readonly label: string;
  readonly isStrong?: boolean;
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

/** Hatches what is not cached of the span that a chart's plot is of. */
export function createGaps<Type extends ChartType>(
  gaps: readonly TimeSpan[],
  span: TimeSpan,
  colours: ChartColours,
): Plugin<Type> {
  return {
    id: 'gaps',
    beforeDatasetsDraw: ({ ctx, chartArea: { left, top, width, height } }) => {
      for (const { fromMs, toMs } of gaps) {
        const [start = 0, end = 0] = [fromMs, toMs].map(
          (atMs) => Math.min(1, Math.max(0, (atMs - span.fromMs) / (span.toMs - span.fromMs))) * width,
        );
        if (end <= start) continue;
        hatch(ctx, { left: left + start, top, width: Math.max(1, end - start), height }, colours.hatch);
      }
    },
  };
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

/** One part of every bar, from the first bar to the last. */
export interface BarSeries extends LegendEntry {
  readonly values: readonly number[];
}

const CLOCK = createQueryClock('UTC');

/**
 * Returns where what came after a moment is compared with as long a time before it: a day, or what there is of it so far,
 * an hour at least.
 */
export function toBeforeAfter(atMs: number, nowMs: number): RouteLocationRaw {
  const whole = Math.floor(atMs / SECOND_MS) * SECOND_MS;
  const lengthMs = Math.max(HOUR_MS, Math.min(DAY_MS, Math.floor((nowMs - whole) / SECOND_MS) * SECOND_MS));
  const write = (fromMs: number): string =>
    [fromMs, fromMs + lengthMs - SECOND_MS].map(CLOCK.write).join('..');
  return { path: '/compare', query: { period: write(whole), with: write(whole - lengthMs) } };
}

/** Returns whether a class is of failures: with a code of 400 to 499, and all others. */
function isErrorClass(codeClass: CodeClass): boolean {
  return codeClass === '4xx' || codeClass === '5xx';
}

/** Returns the failing requests among counts in the order of CODE_CLASSES. */
export function countErrors(counts: readonly number[]): number {
  return CODE_CLASSES.reduce(
    (sum, codeClass, index) => (isErrorClass(codeClass) ? sum + (counts[index] ?? 0) : sum),
    0,
  );
}

/** Returns whether a share of errors is well above the whole's, which deserves the alert colour. */
export function isStandingOut(errorShare: number, overallShare: number): boolean {
  return errorShare > 0.005 && errorShare > overallShare * 1.5;
}

/** Heights of the mini bars, 0 to 1 of the highest; a value above zero never vanishes. */
export function toTrendHeights(trend: readonly number[]): number[] {
  const highest = Math.max(...trend, 0);
  return trend.map((value) => (highest === 0 || value <= 0 ? 0 : Math.max(0.08, value / highest)));
}

/** An axis of lengths of time has at most so many steps. */
const MOST_LENGTHS = 4;
const SHORT_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const LONG_MS = [1_000, 60_000].flatMap((unit) => [1, 2, 5, 10, 15, 30].map((count) => count * unit));
const HOURS_MS = [1, 2, 3, 6, 12, 24, 48, 120, 240].map((count) => count * 3_600_000);
const LENGTHS_MS = [...SHORT_MS, ...LONG_MS, ...HOURS_MS];

/** Returns the places of an axis of lengths of time from 0 on, in milliseconds: 15 s, 2 min or 6 h apart, not 100 s. */
export function listLengthTicks(maxMs: number): readonly number[] {
  const step = LENGTHS_MS.find((length) => maxMs / length <= MOST_LENGTHS) ?? Math.max(1, maxMs);
  return Array.from({ length: Math.floor(maxMs / step) + 1 }, (_, place) => place * step);
}
