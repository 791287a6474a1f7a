import type { ChartConfiguration, ChartOptions, Plugin } from 'chart.js';
import type { TimeSpan } from '../../../../../src-main/common/time/time-span.ts';
import { CHART_FONT, toTooltipStyle } from '../../../../charts/chart-style.ts';
import { hatch, type PlotArea } from '../../../../charts/hatch.ts';
import type { ChartColour, ChartColours } from '../../../../charts/use-chart-colours.ts';
import { findBucket, type SeriesPoint } from './measured-series.ts';

const TICK_PX = 60;

export interface SeriesView {
  readonly lines: readonly {
    readonly name: string;
    readonly colour: ChartColour;
    readonly isDashed?: boolean;
    readonly isFilled?: boolean;
    readonly points: SeriesPoint[];
  }[];
  readonly span: TimeSpan;
  readonly buckets: readonly TimeSpan[];
  readonly gaps: readonly TimeSpan[];
  /** Labels along the span, at most so many. */
  readonly listTicks: (max: number) => readonly { readonly at: number; readonly label: string }[];
  /** Of a scale that would otherwise end lower. */
  readonly leastMax: number;
  readonly formatTick: (value: number) => string;
  /** When a bucket is, and its figures, for the tooltip. */
  readonly nameBucket: (place: number) => string;
  readonly listFigures: (place: number) => readonly string[];
  readonly takeArea: (area: PlotArea) => void;
  readonly pick: (place: number) => void;
  readonly aim: (place: number | null) => void;
}

type SeriesConfig = ChartConfiguration<'line', SeriesPoint[]>;

/** Everything that Chart.js needs to draw steps, over time or another span of numbers. */
export function toSeriesConfig(view: SeriesView, colours: ChartColours): SeriesConfig {
  return {
    type: 'line',
    data: {
      datasets: view.lines.map(({ name, colour, isDashed = false, isFilled = false, points }) => ({
        label: name,
        data: points,
        parsing: false,
        fill: isFilled ? 'origin' : false,
        borderColor: colours[colour],
        backgroundColor: colours[colour],
        borderWidth: 1.5,
        borderDash: isDashed ? [4, 3] : [],
        borderCapStyle: 'round',
        pointRadius: 0,
        pointHoverRadius: 0,
        pointHitRadius: 0,
      })),
    },
    options: toOptions(view, colours),
    plugins: [createGaps(view, colours)],
  };
}

function toOptions(view: SeriesView, colours: ChartColours): ChartOptions<'line'> {
  const { span, buckets } = view;
  const ticks = { color: colours.faint, font: CHART_FONT, padding: 6 };
  const findAt = (x: number | undefined): number | null => (x === undefined ? null : findBucket(buckets, x));
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    interaction: { mode: 'index', axis: 'x', intersect: false },
    layout: { padding: { top: 6, right: 8 } },
    onHover: (event, _elements, { scales: { x } }) => {
      const target = event.native?.target;
      if (target instanceof HTMLElement) target.style.cursor = 'pointer';
      view.aim(event.x === null ? null : findAt(x?.getValueForPixel(event.x)));
    },
    onClick: (event, _elements, { scales: { x } }) => {
      const place = event.x === null ? null : findAt(x?.getValueForPixel(event.x));
      if (place !== null) view.pick(place);
    },
    plugins: {
      legend: { display: false },
      tooltip: {
        ...toTooltipStyle(colours),
        displayColors: false,
        filter: (_item, place) => place === 0,
        callbacks: {
          // Each bucket has two points.
          title: ([item]) => (item === undefined ? '' : view.nameBucket(Math.floor(item.dataIndex / 2))),
          label: (item) => [...view.listFigures(Math.floor(item.dataIndex / 2))],
        },
      },
    },
    scales: {
      x: {
        type: 'linear',
        min: span.fromMs,
        max: span.toMs,
        grid: { display: false },
        border: { color: colours.grid },
        afterBuildTicks: (axis) => {
          const max = Math.max(2, Math.floor(axis.width / TICK_PX));
          axis.ticks = view.listTicks(max).map(({ at, label }) => ({ value: at, label }));
        },
        ticks: {
          ...ticks,
          autoSkip: false,
          maxRotation: 0,
          callback: (value, _place, all) => String(all.find((tick) => tick.value === value)?.label ?? ''),
        },
      },
      y: {
        beginAtZero: true,
        suggestedMax: view.leastMax,
        border: { display: false },
        grid: { color: colours.grid, drawTicks: false },
        ticks: { ...ticks, maxTicksLimit: 6, callback: (value) => view.formatTick(Number(value)) },
      },
    },
  };
}

/** Hatches what is not cached, and tells where the chart draws each time it is laid out. */
function createGaps({ gaps, span, takeArea, aim }: SeriesView, colours: ChartColours): Plugin<'line'> {
  return {
    id: 'gaps',
    beforeEvent: (_chart, { inChartArea }) => {
      if (!inChartArea) aim(null);
    },
    afterLayout: ({ chartArea: { left, top, width, height } }) => takeArea({ left, top, width, height }),
    beforeDatasetsDraw({ ctx, chartArea, scales: { x } }) {
      if (x === undefined) return;
      const { top, height } = chartArea;
      for (const gap of gaps) {
        const left = x.getPixelForValue(Math.max(gap.fromMs, span.fromMs));
        const right = x.getPixelForValue(Math.min(gap.toMs, span.toMs));
        if (right > left) hatch(ctx, { left, top, width: Math.max(1, right - left), height }, colours.hatch);
      }
    },
  };
}
