import type { ChartConfiguration, ChartOptions, Plugin } from 'chart.js';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { hatch, type PlotArea } from '../../../charts/chart-marks.ts';
import {
  CHART_FONT,
  type ChartColours,
  CHART_OPTIONS,
  formatAxisCount,
  setPointer,
  toTickStyle,
  toTooltipStyle,
} from '../../../charts/chart-style.ts';
import { formatCount, formatPercent, formatRange, formatRoundPercent } from '../../../format/formats.ts';
import { type SlotCoverage, toAlignedAxes, toBarLabels, type VolumePoint } from './volume.ts';

/** A stretch that the chart points out, such as that of a finding. */
export interface ShadedSpan extends TimeSpan {
  readonly label: string;
}

type BarPlugin = Plugin<'bar' | 'line'>;

const LABEL_GAP_PX = 6;

/** Hatches what is not cached, or not wholly, so that it doesn't read as "no traffic": inbound is the left half of a slot. */
function createHatching(slots: readonly SlotCoverage[], colours: ChartColours, label: string): BarPlugin {
  return {
    id: 'hatching',
    beforeDatasetsDraw({ ctx, chartArea }) {
      const halves = slots.flatMap(({ inbound, outbound }) => [inbound, outbound]);
      const width = chartArea.width / Math.max(1, halves.length);
      let start = 0;
      for (let index = 1; index <= halves.length; index += 1) {
        if (index < halves.length && halves[index] === halves[start]) continue;
        const [left, span] = [chartArea.left + start * width, (index - start) * width];
        if (halves[start] !== 'whole') hatch(ctx, { ...toBox(chartArea), left, width: span }, colours.hatch);
        ctx.save();
        ctx.fillStyle = colours.faint;
        ctx.font = `500 ${CHART_FONT.size}px ${CHART_FONT.family}`;
        ctx.textAlign = 'center';
        if (halves[start] === 'none' && ctx.measureText(label).width + 8 < span) {
          ctx.fillText(label, left + span / 2, chartArea.top + chartArea.height / 2);
        }
        ctx.restore();
        start = index;
      }
    },
  };
}

/** Shades a span, with a line where it begins and its label beside the top of it. */
function createShading(
  span: ShadedSpan | null,
  points: readonly VolumePoint[],
  colours: ChartColours,
): BarPlugin {
  return {
    id: 'shading',
    beforeDatasetsDraw({ ctx, chartArea }) {
      const [first, last] = [points[0], points.at(-1)];
      if (span === null || first === undefined || last === undefined) return;
      const toX = (atMs: number): number => {
        const share = (atMs - first.fromMs) / (last.toMs - first.fromMs);
        return chartArea.left + Math.max(0, Math.min(1, share)) * chartArea.width;
      };
      const [left, right] = [toX(span.fromMs), toX(span.toMs)];
      if (right <= left) return;
      ctx.save();
      ctx.fillStyle = colours.shade;
      ctx.fillRect(left, chartArea.top, right - left, chartArea.height);
      ctx.fillStyle = colours.accent;
      ctx.fillRect(left, chartArea.top - 14, 1, chartArea.height + 14);
      ctx.font = `500 ${CHART_FONT.size}px ${CHART_FONT.family}`;
      const isLeft = ctx.measureText(span.label).width + LABEL_GAP_PX < left - chartArea.left;
      ctx.textAlign = isLeft ? 'right' : 'left';
      ctx.fillText(span.label, left + (isLeft ? -LABEL_GAP_PX : LABEL_GAP_PX), chartArea.top - 5);
      ctx.restore();
    },
  };
}

function toBox({ left, top, width, height }: PlotArea): PlotArea {
  return { left, top, width, height };
}

const MAX_LABELS = 12;
/** A time of day, and the room before the next one. */
const LABEL_ROOM_PX = 40;

interface VolumeWords {
  readonly inbound: string;
  readonly outbound: string;
  readonly errorRate: string;
  readonly uncached: string;
}

/** What the chart shows, and what it tells. */
interface VolumeView {
  readonly points: readonly VolumePoint[];
  readonly slots: readonly SlotCoverage[];
  readonly span: ShadedSpan | null;
  readonly zone: string;
  readonly pick: (index: number, direction: Direction) => void;
}

type VolumeChartConfig = ChartConfiguration<'bar' | 'line', (number | null)[], string>;

/** Everything that Chart.js needs to draw volume and error rate over one set of gridlines. */
export function toVolumeChartConfig(
  view: VolumeView,
  colours: ChartColours,
  words: VolumeWords,
): VolumeChartConfig {
  const { points, slots, span, zone } = view;
  const bar = { type: 'bar' as const, yAxisID: 'count', borderRadius: 2, categoryPercentage: 0.86 };
  return {
    type: 'bar',
    data: {
      labels: points.map((point) => formatRange(point.fromMs, point.toMs, zone)),
      datasets: [
        {
          type: 'line',
          label: words.errorRate,
          yAxisID: 'rate',
          data: points.map((point) => point.errorRate),
          borderColor: colours['5xx'],
          backgroundColor: colours['5xx'],
          borderWidth: 2,
          stepped: 'middle',
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
    options: toOptions(view, colours),
    plugins: [createHatching(slots, colours, words.uncached), createShading(span, points, colours)],
  };
}

/** True for a value between two gaps, which no line would show. */
function isLonely(points: readonly VolumePoint[], index: number): boolean {
  const before = points[index - 1]?.errorRate ?? null;
  const after = points[index + 1]?.errorRate ?? null;
  return before === null && after === null;
}

function toOptions(
  { points, zone, span, pick }: VolumeView,
  colours: ChartColours,
): ChartOptions<'bar' | 'line'> {
  const axes = toAlignedAxes(points);
  const labels = toBarLabels(points, zone, MAX_LABELS);
  const ticks = toTickStyle(colours);
  return {
    ...CHART_OPTIONS,
    interaction: { mode: 'index', intersect: false },
    layout: { padding: { top: span === null ? 6 : 20 } },
    onHover: (event, elements) => setPointer(event, elements.length > 0),
    onClick: (event, elements, { scales: { x } }) => {
      const index = elements[0]?.index;
      if (index === undefined || event.x === null || x === undefined) return;
      // Bars of a pair stand left and right of its middle.
      pick(index, event.x < x.getPixelForValue(index) ? 'inbound' : 'outbound');
    },
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
          callback(_, index) {
            const place = [...labels.keys()].indexOf(index);
            const step = Math.max(1, Math.ceil((labels.size * LABEL_ROOM_PX) / this.width));
            return place % step === 0 ? (labels.get(index) ?? '') : '';
          },
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
  return point === undefined ? '' : formatRange(point.fromMs, point.toMs, zone);
}

/** Shares on an axis, with as many digits as their step needs. */
function toShortPercent(share: number, step: number): string {
  const digits = step * 100 >= 1 ? (Number.isInteger(Number((step * 100).toFixed(6))) ? 0 : 1) : 2;
  return formatRoundPercent(share, digits);
}
