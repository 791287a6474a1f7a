import { CHART_FONT } from '../../../../charts/chart-style.ts';
import { hatch } from '../../../../charts/hatch.ts';
import type { Size } from '../../../../charts/picture/chart-drawing.ts';
import type { ChartColour, ChartColours } from '../../../../charts/use-chart-colours.ts';
import { HOURS } from './use-week-words.ts';

const LEFT_PX = 36;
const TOP_PX = 18;
const LEGEND_PX = 28;
const SWATCH_PX = 14;
const HOUR_STEP = 3;
const LEVEL_COLOURS = ['heat1', 'heat2', 'heat3', 'heat4', 'heat5'] as const satisfies readonly ChartColour[];

export interface HeatPicture {
  readonly days: readonly string[];
  /** Monday's midnight first: a step of colour, hatched, or nothing at all. */
  readonly marks: readonly (number | 'hatched' | null)[];
  /** Between the steps of colour. */
  readonly edges: readonly string[];
  readonly hatchedWords: string;
}

/** Draws the hours of the week with their axes and the scale of their colours. */
export function drawHeatMap(
  context: CanvasRenderingContext2D,
  { width, height }: Size,
  colours: ChartColours,
  { days, marks, edges, hatchedWords }: HeatPicture,
): void {
  const cell = {
    width: (width - LEFT_PX) / HOURS,
    height: (height - TOP_PX - LEGEND_PX) / Math.max(1, days.length),
  };
  context.font = `400 ${CHART_FONT.size}px ${CHART_FONT.family}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const write = (text: string, left: number, top: number): void => {
    context.fillStyle = colours.faint;
    context.fillText(text, left, top);
  };
  for (let hour = 0; hour < HOURS; hour += HOUR_STEP) {
    write(String(hour).padStart(2, '0'), LEFT_PX + hour * cell.width, TOP_PX / 2);
  }
  days.forEach((day, row) => write(day, 0, TOP_PX + (row + 0.5) * cell.height));
  marks.forEach((mark, place) => {
    const left = LEFT_PX + (place % HOURS) * cell.width;
    const top = TOP_PX + Math.floor(place / HOURS) * cell.height;
    const area = { left, top, width: cell.width - 1, height: cell.height - 1 };
    if (mark === 'hatched') hatch(context, area, colours.hatch);
    else if (mark !== null) {
      context.fillStyle = colours[LEVEL_COLOURS[mark] ?? 'heat5'];
      context.fillRect(left, top, area.width, area.height);
    }
  });
  const middle = height - LEGEND_PX / 2;
  let left = LEFT_PX;
  edges.forEach((edge, place) => {
    write(edge, left, middle);
    left += context.measureText(edge).width + 5;
    const colour = LEVEL_COLOURS[place];
    if (colour === undefined) return;
    context.fillStyle = colours[colour];
    context.fillRect(left, middle - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX);
    left += SWATCH_PX + 5;
  });
  if (!marks.includes('hatched')) return;
  left += 12;
  const area = { left, top: middle - SWATCH_PX / 2, width: SWATCH_PX, height: SWATCH_PX };
  hatch(context, area, colours.hatch);
  write(hatchedWords, left + SWATCH_PX + 5, middle);
}
