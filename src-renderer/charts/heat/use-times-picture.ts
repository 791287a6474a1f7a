import { inject, onBeforeUnmount } from 'vue';
import type { ResponseTimes } from '../../../src-main/common/model/records/response-times.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { toTimeTicks } from '../../../src-main/common/words/time-ticks.ts';
import { readFormats } from '../../format/formats.ts';
import { CHART_FONT } from '../chart-style.ts';
import { hatch } from '../hatch.ts';
import { toSpanBoxes } from '../histogram/histogram-bars.ts';
import { chartFrameKey } from '../picture/chart-drawing.ts';
import { listRoundPlaces } from '../response-buckets.ts';
import { toTimes } from '../time-brush.ts';
import type { ChartColour, ChartColours } from '../use-chart-colours.ts';
import { toCellBoxes, type CountScale } from './times-grid.ts';

const MARGIN = { left: 64, right: 12, top: 8, bottom: 50 };
const HEIGHT_PX = 300;
const PIXELS_PER_TICK = 78;
const PIXELS_PER_ROW_TICK = 16;
const SWATCH_PX = 12;
const LEVEL_COLOURS = ['heat1', 'heat2', 'heat3', 'heat4', 'heat5'] as const satisfies readonly ChartColour[];
/** How much of the colour of failures each step has; see `heat-colours.css`. */
const FAILED_ALPHAS = [0.3, 0.45, 0.62, 0.8, 1];

interface TimesLook {
  readonly times: ResponseTimes;
  readonly gaps: readonly TimeSpan[];
  readonly scale: CountScale;
  readonly widthPx: number;
  readonly zone: string;
  readonly edges: readonly string[];
  readonly hatched: string | null;
  readonly failed: string | null;
  /** Names an edge of the rows. */
  nameTick(edge: number): string;
}

/** Tells the frame around it how the heat map is drawn as a picture: higher than on the screen, with its axes and scale. */
export function useTimesPicture(readLook: () => TimesLook): void {
  const register = inject(chartFrameKey, null);
  register?.({
    readSize: () => ({ width: readLook().widthPx + MARGIN.left + MARGIN.right, height: HEIGHT_PX }),
    draw: (context, { width, height }, colours) => {
      const look = { ...readLook(), widthPx: width - MARGIN.left - MARGIN.right };
      drawTimes(context, look, colours, height - MARGIN.top - MARGIN.bottom);
      return () => undefined;
    },
  });
  onBeforeUnmount(() => register?.(null));
}

function drawTimes(
  context: CanvasRenderingContext2D,
  { times, gaps, scale, widthPx, zone, edges, hatched, failed, nameTick }: TimesLook,
  theme: ChartColours,
  heightPx: number,
): void {
  const bottom = MARGIN.top + heightPx;
  for (const { left, width } of toSpanBoxes(times.buckets, gaps, widthPx)) {
    hatch(context, { left: MARGIN.left + left, top: MARGIN.top, width, height: heightPx }, theme.hatch);
  }
  const fill = (level: number, isFailed: boolean, area: readonly [number, number, number, number]): void => {
    context.fillStyle = isFailed ? theme['5xx'] : theme[LEVEL_COLOURS[level - 1] ?? 'heat5'];
    context.globalAlpha = isFailed ? (FAILED_ALPHAS[level - 1] ?? 1) : 1;
    context.fillRect(...area);
    context.globalAlpha = 1;
  };
  for (const box of toCellBoxes(times, scale, { widthPx, heightPx })) {
    fill(box.level, box.isFailed, [MARGIN.left + box.left, MARGIN.top + box.top, box.width, box.height]);
  }
  context.fillStyle = theme.hatch;
  context.fillRect(MARGIN.left, bottom, widthPx, 1);
  context.font = `${CHART_FONT.size}px ${CHART_FONT.family}`;
  context.textBaseline = 'middle';
  const write = (text: string, left: number, top: number): void => {
    context.fillStyle = theme.faint;
    context.fillText(text, left, top);
  };
  context.textAlign = 'right';
  for (const place of listRoundPlaces(times.rows, heightPx / PIXELS_PER_ROW_TICK)) {
    const edge = times.rows[place]?.fromMs ?? 0;
    write(nameTick(edge), MARGIN.left - 6, bottom - (place * heightPx) / times.rows.length);
  }
  context.textAlign = 'left';
  const whole = toTimes(times.buckets, { start: 0, end: times.buckets.length });
  if (whole !== null) {
    const most = Math.max(1, widthPx / PIXELS_PER_TICK);
    for (const { atMs, label } of toTimeTicks(whole, zone, most, readFormats())) {
      const share = (atMs - whole.fromMs) / (whole.toMs - whole.fromMs);
      write(label, MARGIN.left + share * widthPx, bottom + 12);
    }
  }
  const middle = bottom + 36;
  let left = MARGIN.left;
  const say = (text: string): void => {
    write(text, left, middle);
    left += context.measureText(text).width + 5;
  };
  edges.forEach((edge, place) => {
    say(edge);
    const level = scale.levels[place];
    if (level === undefined) return;
    fill(level, false, [left, middle - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX]);
    left += SWATCH_PX + 5;
  });
  if (failed !== null) {
    left += 12;
    fill(5, true, [left, middle - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX]);
    left += SWATCH_PX + 5;
    say(failed);
  }
  if (hatched === null) return;
  left += 12;
  const area = { left, top: middle - SWATCH_PX / 2, width: SWATCH_PX, height: SWATCH_PX };
  hatch(context, area, theme.hatch);
  left += SWATCH_PX + 5;
  say(hatched);
}
