import type { ChartEvent } from 'chart.js';
import { formatMeasure } from '../format/formats.ts';
import { useMutationObserver } from '@vueuse/core';
import { shallowRef, type Ref } from 'vue';

/** Text on a canvas: the family of `--cs-font`, in pixels. */
export const CHART_FONT = { family: "'Inter Variable', system-ui, sans-serif", size: 11 } as const;

/** What all charts of Chart.js have in common. */
export const CHART_OPTIONS = { animation: false, responsive: true, maintainAspectRatio: false } as const;

/** The look of the numbers and times along an axis. */
export function toTickStyle(colours: ChartColours) {
  return { color: colours.faint, font: CHART_FONT, padding: 6 } as const;
}

/** Shows whether a press does something where the pointer is. */
export function setPointer({ native }: ChartEvent, doesSomething: boolean): void {
  const target = native?.target;
  if (target instanceof HTMLElement) target.style.cursor = doesSomething ? 'pointer' : 'default';
}

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

const VARIABLES = {
  '2xx': '--cs-2xx',
  '3xx': '--cs-3xx',
  '4xx': '--cs-4xx',
  '5xx': '--cs-5xx',
  none: '--cs-xxx',
  inbound: '--cs-series-in',
  outbound: '--cs-series-out',
  text: '--cs-text-1',
  quiet: '--cs-text-2',
  faint: '--cs-text-3',
  alert: '--cs-5xx-ink',
  grid: '--cs-border-subtle',
  surface: '--cs-surface',
  band: '--cs-sunken',
  hatch: '--cs-border-strong',
  accent: '--cs-accent',
  soft: '--cs-accent-soft',
  shade: '--cs-selected',
  heat1: '--cs-heat-1',
  heat2: '--cs-heat-2',
  heat3: '--cs-heat-3',
  heat4: '--cs-heat-4',
  heat5: '--cs-heat-5',
  value1: '--cs-value-1',
  value2: '--cs-value-2',
  value3: '--cs-value-3',
  value4: '--cs-value-4',
  value5: '--cs-value-5',
  value6: '--cs-value-6',
  value7: '--cs-value-7',
  value8: '--cs-value-8',
  value9: '--cs-value-9',
  value10: '--cs-value-10',
  value11: '--cs-value-11',
  value12: '--cs-value-12',
  others: '--cs-value-others',
  green: '--cs-name-green',
  pink: '--cs-name-pink',
  brown: '--cs-name-brown',
  cyan: '--cs-name-cyan',
  olive: '--cs-name-olive',
  indigo: '--cs-name-indigo',
  tooltip: '--cs-tooltip',
  tooltipText: '--cs-tooltip-text',
} as const;
export type ChartColour = keyof typeof VARIABLES;
export type ChartColours = Readonly<Record<ChartColour, string>>;

export interface LegendEntry {
  readonly name: string;
  readonly colour: ChartColour;
  /** Drawn as a line, not as bars. */
  readonly isLine?: boolean;
  /** Only a name, such as the lower end of a scale; or hatched in its colour. */
  readonly look?: 'name' | 'hatched';
}

const HEAT_COLOURS = ['heat1', 'heat2', 'heat3', 'heat4', 'heat5'] as const satisfies readonly ChartColour[];

/** Returns a scale as a legend: each step of colour before the edge that it ends at. */
export function toScaleLegend(edges: readonly string[], levels: readonly number[]): LegendEntry[] {
  return edges.map((name, place) => {
    const colour = HEAT_COLOURS[(levels[place - 1] ?? 1) - 1] ?? 'heat5';
    return place === 0 ? { name, colour, look: 'name' } : { name, colour };
  });
}

function readColours(element: Element): ChartColours {
  const style = getComputedStyle(element);
  const entries = Object.entries(VARIABLES).map(([name, variable]) => [
    name,
    style.getPropertyValue(variable).trim(),
  ]);
  return Object.fromEntries(entries) as ChartColours;
}

/** Returns the colours of a theme, whichever one is shown. */
export function readThemeColours(theme: 'light' | 'dark'): ChartColours {
  const probe = document.createElement('div');
  probe.className = theme;
  document.body.append(probe);
  const colours = readColours(probe);
  probe.remove();
  return colours;
}

/** The theme's colours for canvas charts, which can't read CSS variables. They follow changes of the theme. */
export function useChartColours(): Readonly<Ref<ChartColours>> {
  const colours = shallowRef(readColours(document.documentElement));
  useMutationObserver(
    document.documentElement,
    () => {
      colours.value = readColours(document.documentElement);
    },
    { attributeFilter: ['class'] },
  );
  return colours;
}
