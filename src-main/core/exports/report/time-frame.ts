import { CODE_CLASSES } from '../../../common/model/records/record.ts';
import { toTimeTicks } from '../../../common/words/time-ticks.ts';
import type { Words } from '../../../common/words/words.ts';
import { markup, type Markup } from './markup.ts';
import type { ReportContent, ReportGap } from './report-content.ts';

/** Charts are drawn in these units and scaled to the page's width. */
const WIDTH = 1000;
const LEFT = 64;
const RIGHT = 16;
const TOP = 10;
const BOTTOM = 22;
const MAX_TIME_TICKS = 12;
const VALUE_TICKS = 4;
/** A gap that is shorter would not be seen. */
const MIN_GAP_WIDTH = 4;

/** Marks of the code classes, in the order of CODE_CLASSES, as the style sheet names them. */
export const CLASS_NAMES = CODE_CLASSES.map((name) => (name === 'none' ? 'xxx' : name));

/** Where a chart over time draws. */
export interface TimeFrame {
  readonly height: number;
  readonly bottom: number;
  readonly right: number;
  toX(atMs: number): number;
  toY(value: number): number;
}

interface FrameShape {
  readonly height: number;
  /** The largest value that is drawn. */
  readonly max: number;
  /** The largest value that can be: an axis of shares ends at 1. */
  readonly limit?: number;
  /** Says what the picture shows, for those who can't see it. */
  readonly label: string;
  readonly format: (value: number) => string;
}

/** Draws a chart over the report's period: axes, what is not cached hatched, and what `draw` adds. */
export function drawTimeChart(
  { fromMs, toMs, zone, gaps, words }: Pick<ReportContent, 'fromMs' | 'toMs' | 'zone' | 'gaps' | 'words'>,
  { height, max, limit = Infinity, label, format }: FrameShape,
  draw: (frame: TimeFrame) => Markup,
): Markup {
  const ticks = listTicks(max, limit);
  const top = ticks.at(-1) ?? 1;
  const bottom = height - BOTTOM;
  const right = WIDTH - RIGHT;
  const spanMs = Math.max(1, toMs - fromMs);
  const frame: TimeFrame = {
    height,
    bottom,
    right,
    toX: (atMs) => round(LEFT + ((atMs - fromMs) / spanMs) * (right - LEFT)),
    toY: (value) => round(bottom - (Math.min(value, top) / top) * (bottom - TOP)),
  };
  const lines = ticks.map(
    (value) =>
      markup`<line
          class="${value === 0 ? 'base' : 'line'}"
          x1="${LEFT}"
          x2="${right}"
          y1="${frame.toY(value)}"
          y2="${frame.toY(value)}"
        /><text x="${LEFT - 8}" y="${frame.toY(value) + 4}" text-anchor="end">${format(value)}</text>`,
  );
  const times = toTimeTicks({ fromMs, toMs }, zone, MAX_TIME_TICKS, words.formats).map(
    ({ atMs, label: time }) => {
      const x = frame.toX(atMs);
      // A label in the middle would reach over the picture's edge.
      const anchor = x > right - 12 ? 'end' : 'middle';
      return markup`<text x="${x}" y="${height - 6}" text-anchor="${anchor}">${time}</text>`;
    },
  );
  return markup`<svg class="chart" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">
    ${lines}${times}${gaps.filter(isGap).map((gap) => drawGap(gap, frame, words))}${draw(frame)}
  </svg>`;
}

/** What is still open is cached: more may come of it. */
export function isGap({ state }: ReportGap): boolean {
  return state !== 'open';
}

function drawGap({ fromMs, toMs }: ReportGap, { toX, bottom }: TimeFrame, words: Words): Markup {
  const x = toX(fromMs);
  const width = Math.max(MIN_GAP_WIDTH, round(toX(toMs) - x));
  return markup`<rect class="gap" x="${x}" y="${TOP}" width="${width}" height="${bottom - TOP}"
    ><title>${words.t('report.charts.gap')}</title></rect
  >`;
}

/** Round values from 0 to at least `max`, four or five of them. */
export function listTicks(max: number, limit = Infinity): readonly number[] {
  const goal = max > 0 ? max : 1;
  const power = 10 ** Math.floor(Math.log10(goal / VALUE_TICKS));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power * VALUE_TICKS >= goal) ?? 10) * power;
  const count = Math.ceil(Math.min(goal, limit) / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, place) => Number((place * step).toPrecision(12)));
}

/** Enough digits for a picture. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
