import type { ChartConfiguration, ChartOptions, Plugin } from 'chart.js';
import { CHART_FONT, formatAxisCount, toTooltipStyle } from '../../charts/chart-style.ts';
import type { ChartColours } from '../../charts/use-chart-colours.ts';
import { formatClock } from '../../format/dates.ts';
import { formatCount, formatPercent } from '../../format/numbers.ts';
import { findHourIndexes, toAlignedAxes, type VolumePoint } from './volume-series.ts';

export interface VolumeWords {
  readonly inbound: string;
  readonly outbound: string;
  readonly errorRate: string;
  readonly uncached: string;
}

export type VolumeChartConfig = ChartConfiguration<'bar' | 'line', (number | null)[], string>;

/** Everything that Chart.js needs to draw volume and error rate over one set of gridlines. */
export function toVolumeChartConfig(
  points: readonly VolumePoint[],
  uncached: readonly boolean[],
  zone: string,
  colours: ChartColours,
  words: VolumeWords,
): VolumeChartConfig {
  const bar = { type: 'bar' as const, yAxisID: 'count', borderRadius: 2, categoryPercentage: 0.86 };
  return {
    type: 'bar',
    data: {
      labels: points.map((point) => formatClock(point.fromMs, zone)),
      datasets: [
        {
          type: 'line',
          label: words.errorRate,
          yAxisID: 'rate',
          data: points.map((point) => point.inboundErrorRate),
          borderColor: colours['5xx'],
          backgroundColor: colours['5xx'],
          borderWidth: 2,
          cubicInterpolationMode: 'monotone',
          pointRadius: points.map((_, index) => (isLonely(points, index) ? 2 : 0)),
          pointHitRadius: 0,
          pointHoverRadius: 3,
          pointHoverBackgroundColor: colours['5xx'],
          pointHoverBorderColor: colours.surface,
        },
        {
          ...bar,
          label: words.inbound,
          data: points.map((point) => point.inbound),
          backgroundColor: colours.inbound,
          hoverBackgroundColor: colours.inbound,
        },
        {
          ...bar,
          label: words.outbound,
          data: points.map((point) => point.outbound),
          backgroundColor: colours.outbound,
          hoverBackgroundColor: colours.outbound,
        },
      ],
    },
    options: toOptions(points, zone, colours),
    plugins: [createUncachedBand(uncached, colours, words.uncached)],
  };
}

/** True for a value between two gaps, which no line would show. */
function isLonely(points: readonly VolumePoint[], index: number): boolean {
  const before = points[index - 1]?.inboundErrorRate ?? null;
  const after = points[index + 1]?.inboundErrorRate ?? null;
  return before === null && after === null;
}

function toOptions(
  points: readonly VolumePoint[],
  zone: string,
  colours: ChartColours,
): ChartOptions<'bar' | 'line'> {
  const axes = toAlignedAxes(points);
  const labelled = new Set(findHourIndexes(points, zone, 2));
  const ticks = { color: colours.faint, font: CHART_FONT, padding: 6 };
  return {
    animation: false,
    maintainAspectRatio: false,
    interaction: { mode: 'index', intersect: false },
    layout: { padding: { top: 6 } },
    plugins: {
      legend: { display: false },
      tooltip: {
        ...toTooltipStyle(colours),
        itemSort: (a, b) => ((a.datasetIndex + 2) % 3) - ((b.datasetIndex + 2) % 3),
        callbacks: {
          title: ([item]) => toSpanTitle(points[item?.dataIndex ?? -1], zone),
          label: ({ dataset, parsed }) => {
            const value = parsed.y ?? 0;
            const text = dataset.yAxisID === 'rate' ? formatPercent(value) : formatCount(value);
            return ` ${dataset.label ?? ''}  ${text}`;
          },
        },
      },
    },
    scales: {
      x: {
        grid: { display: false },
        border: { color: colours.grid },
        ticks: {
          ...ticks,
          autoSkip: false,
          maxRotation: 0,
          callback: (_, index) => (labelled.has(index) ? formatClock(points[index]?.fromMs ?? 0, zone) : ''),
        },
      },
      count: {
        position: 'left',
        min: 0,
        max: axes.countMax,
        grid: { color: colours.grid, drawTicks: false },
        border: { display: false },
        ticks: { ...ticks, stepSize: axes.countStep, callback: (value) => formatAxisCount(Number(value)) },
      },
      rate: {
        position: 'right',
        min: 0,
        max: axes.rateMax,
        grid: { drawOnChartArea: false, drawTicks: false },
        border: { display: false },
        ticks: {
          ...ticks,
          stepSize: axes.rateStep,
          callback: (value) => toShortPercent(Number(value), axes.rateStep),
        },
      },
    },
  };
}

function toSpanTitle(point: VolumePoint | undefined, zone: string): string {
  return point === undefined ? '' : `${formatClock(point.fromMs, zone)} – ${formatClock(point.toMs, zone)}`;
}

/** Shares on an axis, with as many digits as their step needs. */
function toShortPercent(share: number, step: number): string {
  const digits = step * 100 >= 1 ? (Number.isInteger(Number((step * 100).toFixed(6))) ? 0 : 1) : 2;
  return `${(share * 100).toFixed(digits)}%`;
}

/** Draws a band behind half hours that are not cached, so that they don't read as "no traffic". */
function createUncachedBand(
  uncached: readonly boolean[],
  colours: ChartColours,
  label: string,
): Plugin<'bar' | 'line'> {
  return {
    id: 'uncached-band',
    beforeDatasetsDraw({ ctx, chartArea }) {
      const width = chartArea.width / Math.max(1, uncached.length);
      let start = 0;
      for (let index = 1; index <= uncached.length; index += 1) {
        if (index < uncached.length && uncached[index] === uncached[start]) continue;
        if (uncached[start] === true) {
          const left = chartArea.left + start * width;
          const span = (index - start) * width;
          ctx.save();
          ctx.fillStyle = colours.band;
          ctx.fillRect(left, chartArea.top, span, chartArea.height);
          ctx.fillStyle = colours.faint;
          ctx.font = `500 ${CHART_FONT.size}px ${CHART_FONT.family}`;
          ctx.textAlign = 'center';
          if (ctx.measureText(label).width + 8 < span) {
            ctx.fillText(label, left + span / 2, chartArea.top + chartArea.height / 2);
          }
          ctx.restore();
        }
        start = index;
      }
    },
  };
}
