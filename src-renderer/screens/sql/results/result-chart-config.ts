import type { ChartConfiguration } from 'chart.js';
import { CHART_FONT, formatAxisCount, toTooltipStyle } from '../../../charts/chart-style.ts';
import type { ChartColour, ChartColours } from '../../../charts/use-chart-colours.ts';
import type { ResultChart } from './result-chart.ts';

const SERIES_COLOURS = ['inbound', '4xx', '2xx', '3xx', 'outbound', '5xx'] as const;
const MAX_POINT_MARKS = 60;

/** The colour of a series by its place. */
export function toSeriesColour(place: number): ChartColour {
  return SERIES_COLOURS[place % SERIES_COLOURS.length] ?? 'inbound';
}

/** Everything that Chart.js needs to draw a result. Names and labels are drawn as text. */
export function toResultChartConfig(
  chart: ResultChart,
  colours: ChartColours,
): ChartConfiguration<'bar' | 'line', (number | null)[], string> {
  const { kind, labels, series } = chart;
  const ticks = { color: colours.faint, font: CHART_FONT };
  return {
    type: kind,
    data: {
      labels: [...labels],
      datasets: series.map(({ name, values }, place) => {
        const colour = colours[toSeriesColour(place)];
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
      scales: {
        x: {
          grid: { display: false },
          ticks: { ...ticks, maxRotation: 0, autoSkip: true, autoSkipPadding: 16 },
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
