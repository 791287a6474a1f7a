import type { ChartConfiguration, ChartOptions, Plugin } from 'chart.js';
import { formatClock } from '../../format/dates.ts';
import { formatCount, formatPercent } from '../../format/numbers.ts';
import { findHourIndexes, toAlignedAxes, type VolumePoint } from './volume-series.ts';

export interface VolumeColours {
  readonly inbound: string;
  readonly outbound: string;
  readonly error: string;
  readonly grid: string;
  readonly text: string;
  readonly surface: string;
  readonly band: string;
  readonly tooltip: string;
  readonly tooltipText: string;
}

export interface VolumeWords {
  readonly inbound: string;
  readonly outbound: string;
  readonly errorRate: string;
  readonly uncached: string;
}

export type VolumeChartConfig = ChartConfiguration<'bar' | 'line', (number | null)[], string>;

const FONT = { family: "'Inter Variable', system-ui, sans-serif", size: 11 };

/** Everything that Chart.js needs to draw volume and error rate over one set of gridlines. */
export function toVolumeChartConfig(
  points: readonly VolumePoint[],
  uncached: readonly boolean[],
  zone: string,
  colours: VolumeColours,
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
          borderColor: colours.error,
          backgroundColor: colours.error,
          borderWidth: 2,
          cubicInterpolationMode: 'monotone',
          pointRadius: points.map((_, index) => (isLonely(points, index) ? 2 : 0)),
          pointHitRadius: 0,
          pointHoverRadius: 3,
          pointHoverBackgroundColor: colours.error,
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
    plugins: [toBandPlugin(uncached, colours, words)],
  };
}

/** A value between two gaps has no line to be seen by. */
function isLonely(points: readonly VolumePoint[], index: number): boolean {
  const before = points[index - 1]?.inboundErrorRate ?? null;
  const after = points[index + 1]?.inboundErrorRate ?? null;
  return before === null && after === null;
}

function toOptions(
  points: readonly VolumePoint[],
  zone: string,
  colours: VolumeColours,
): ChartOptions<'bar' | 'line'> {
  const axes = toAlignedAxes(points);
  const labelled = new Set(findHourIndexes(points, zone, 2));
  const ticks = { color: colours.text, font: FONT, padding: 6 };
  return {
    animation: false,
    maintainAspectRatio: false,
    interaction: { mode: 'index', intersect: false },
    layout: { padding: { top: 6 } },
    plugins: {
      legend: { display: false },
      tooltip: {
        backgroundColor: colours.tooltip,
        titleColor: colours.tooltipText,
        bodyColor: colours.tooltipText,
        titleFont: { ...FONT, weight: 600 },
        bodyFont: FONT,
        cornerRadius: 6,
        padding: 8,
        boxWidth: 8,
        boxHeight: 8,
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
        ticks: { ...ticks, stepSize: axes.countStep, callback: (value) => toShortCount(Number(value)) },
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

/** Counts on an axis: `2.5k`, `1M`. */
function toShortCount(value: number): string {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toFixed(2))}M`;
  return value >= 1000 ? `${Number((value / 1000).toFixed(2))}k` : String(value);
}

/** Shares on an axis, with as many digits as their step needs. */
function toShortPercent(share: number, step: number): string {
  const digits = step * 100 >= 1 ? (Number.isInteger(Number((step * 100).toFixed(6))) ? 0 : 1) : 2;
  return `${(share * 100).toFixed(digits)}%`;
}

/** Lays a band behind half hours that nobody downloaded, so that they don't read as "no traffic". */
function toBandPlugin(
  uncached: readonly boolean[],
  colours: VolumeColours,
  words: VolumeWords,
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
          ctx.fillStyle = colours.text;
          ctx.font = `500 ${FONT.size}px ${FONT.family}`;
          ctx.textAlign = 'center';
          if (ctx.measureText(words.uncached).width + 8 < span) {
            ctx.fillText(words.uncached, left + span / 2, chartArea.top + chartArea.height / 2);
          }
          ctx.restore();
        }
        start = index;
      }
    },
  };
}
