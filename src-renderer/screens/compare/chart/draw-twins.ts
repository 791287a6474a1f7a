import { CHART_FONT, formatAxisCount } from '../../../charts/chart-style.ts';
import { hatch, type PlotArea } from '../../../charts/hatch.ts';
import type { ChartColours } from '../../../charts/use-chart-colours.ts';
import type { TwinBar } from './twin-bars.ts';

/** Draws bars with their axis and the names of both sides on a canvas, for a picture. */
export function drawTwins(
  context: CanvasRenderingContext2D,
  bars: readonly TwinBar[],
  look: {
    readonly widthPx: number;
    readonly halfPx: number;
    readonly top: number;
    /** What is not cached. */
    readonly gapBoxes: readonly PlotArea[];
    readonly colours: ChartColours;
    readonly afterName: string;
    readonly beforeName: string;
  },
): void {
  const { widthPx, halfPx, top, colours } = look;
  for (const box of look.gapBoxes) hatch(context, box, colours.hatch);
  for (const bar of bars) {
    context.fillStyle = colours[bar.codeClass];
    context.fillRect(bar.left, bar.top, bar.width, bar.height);
  }
  context.fillStyle = colours.faint;
  context.fillRect(0, halfPx, widthPx, 1);
  context.font = `${CHART_FONT.size}px ${CHART_FONT.family}`;
  context.fillStyle = colours.text;
  context.textBaseline = 'top';
  context.fillText(`${look.afterName} (${formatAxisCount(top)})`, 4, 2);
  context.textBaseline = 'bottom';
  context.fillText(`${look.beforeName} (${formatAxisCount(top)})`, 4, 2 * halfPx - 2);
}
