import { formatMeasure } from '../format/numbers.ts';
import type { ChartColours } from './use-chart-colours.ts';

/** Text on a canvas: the family of `--cs-font`, in pixels. */
export const CHART_FONT = { family: "'Inter Variable', system-ui, sans-serif", size: 11 } as const;

/** The look of a chart's tooltip, as that of the other tooltips. */
export function toTooltipStyle(colours: ChartColours) {
  return {
    backgroundColor: colours.tooltip,
    titleColor: colours.tooltipText,
    bodyColor: colours.tooltipText,
    titleFont: { ...CHART_FONT, weight: 600 },
    bodyFont: CHART_FONT,
    boxWidth: 8,
    boxHeight: 8,
    padding: 8,
    cornerRadius: 6,
  } as const;
}

/** A count in at most three digits, for axes: `950`, `2.5k`, `12.3k`, `1.25M`. */
export function formatAxisCount(count: number): string {
  if (count >= 1_000_000) return `${shorten(count / 1_000_000)}M`;
  return count >= 1000 ? `${shorten(count / 1000)}k` : shorten(count);
}

function shorten(value: number): string {
  return formatMeasure(Number(value.toPrecision(3)));
}
