import type { ChartConfiguration } from 'chart.js';
import { CHART_FONT, formatAxisCount, toTooltipStyle } from '../../../charts/chart-style.ts';
import type { ChartColour, ChartColours } from '../../../charts/use-chart-colours.ts';
import type { ResultChart } from './result-chart.ts';

const MAX_POINT_MARKS = 60;
/** One long name would leave no room for those beside it; the tip has it whole. */
const MAX_TICK_CHARACTERS = 20;

/** Everything that Chart.js needs to draw a result, its series in the colours given. Names and labels are drawn as text. */
export function toResultChartConfig(
  chart: ResultChart,
  seriesColours: readonly ChartColour[],
  colours: ChartColours,
  /** What a click on a value does; null where none leads anywhere. */
  pick: ((series: number, place: number) => void) | null,
): ChartConfiguration<'bar' | 'line', (number | null)[], string> {
  const { kind, labels, series } = chart;
  const ticks = { color: colours.faint, font: CHART_FONT };
  return {
    type: kind,
    data: {
      labels: [...labels],
      datasets: series.map(({ name, values }, place) => {
        const colour = colours[seriesColours[place] ?? 'others'];
        return {
          type: kind,
          label: name,
          data: [...values],
          backgroundColor: colour,
          hoverBackgroundColor: colour,
          borderColor: colour,
          borderWidth: kind === 'line' ? 2 : 0,
          ...(kind === 'line'
            ? { pointRadius: values.length > MAX_POINT_MARKS ? 0 : 2 }
            : { borderRadius: 2 }),
        };
      }),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
      onHover: ({ native }, elements) => {
        const target = native?.target;
        if (target instanceof HTMLElement)
          target.style.cursor = pick !== null && elements.length > 0 ? 'pointer' : 'default';
      },
      onClick: ({ native }, _elements, drawn) => {
        if (native === null) return;
        // All series of a place light up together; the one that is meant is the nearest.
        const [nearest] = drawn.getElementsAtEventForMode(native, 'nearest', { intersect: false }, false);
        if (nearest !== undefined) pick?.(nearest.datasetIndex, nearest.index);
      },
      scales: {
        x: {
          grid: { display: false },
          ticks: {
            ...ticks,
            maxRotation: 0,
            autoSkip: true,
            autoSkipPadding: 16,
            callback: (value) => toTickText(labels[Number(value)] ?? ''),
          },
        },
        y: {
          beginAtZero: true,
          grid: { color: colours.grid },
          border: { display: false },
          ticks: { ...ticks, callback: (value) => formatAxisCount(Number(value)) },
        },
      },
      plugins: { legend: { display: false }, tooltip: toTooltipStyle(colours) },
    },
  };
}

function toTickText(label: string): string {
  return label.length > MAX_TICK_CHARACTERS ? `${label.slice(0, MAX_TICK_CHARACTERS - 1)}…` : label;
}
