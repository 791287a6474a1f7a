import type {
  PeriodScope,
  RecordFilter,
} from '../../../../../src-main/common/model/records/record-filter.ts';
import type { Direction } from '../../../../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../../../../src-main/common/time/time-span.ts';
import { computed, type ComputedRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { formatPercent } from '../../../../format/formats.ts';
import { MAX_EDGES, type SeriesBucket } from '../../../../../src-main/common/model/analysis/grouping.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../src-main/common/time/durations.ts';
import { listBucketEdges } from '../../../../../src-main/common/time/civil-time.ts';
import type { ChartConfiguration, ChartOptions } from 'chart.js';
import {
  CHART_OPTIONS,
  setPointer,
  toTickStyle,
  toTooltipStyle,
  type ChartColour,
  type ChartColours,
} from '../../../../charts/chart-style.ts';
import { createGaps } from '../../../../charts/chart-marks.ts';

export interface Gap extends TimeSpan {
  /** A part holds some of its records; null where that is not known. */
  readonly state?: 'missing' | 'partial' | 'failed' | 'open';
}

/** What is measured, and what of it is cached. */
export interface TimesBasis {
  readonly direction: Direction;
  readonly scope: PeriodScope;
  readonly filter: RecordFilter;
  /** Changes whenever the cache has something else of the scope. */
  readonly version: string;
  readonly zone: string;
  /** What of the scope is not cached, in the order of time; null until it is known. */
  readonly gaps: readonly Gap[] | null;
}

/** Returns how much of a span lies in the gaps. */
export function measureMissing({ fromMs, toMs }: TimeSpan, gaps: readonly TimeSpan[]): number {
  return gaps.reduce(
    (sum, gap) => sum + Math.max(0, Math.min(toMs, gap.toMs) - Math.max(fromMs, gap.fromMs)),
    0,
  );
}

/** Returns the cached share of the period, 0 to 1; null until it is known. */
function toCachedShare({ scope, gaps }: TimesBasis): number | null {
  return gaps === null ? null : 1 - measureMissing(scope, gaps) / (scope.toMs - scope.fromMs);
}

/** Returns the gaps, with the end of a period that goes on where the cache does not reach it. */
export function withTail(
  gaps: readonly Gap[],
  cachedUntilMs: number | null,
  { toMs }: TimeSpan,
): readonly Gap[] {
  return cachedUntilMs === null || cachedUntilMs >= toMs ? gaps : [...gaps, { fromMs: cachedUntilMs, toMs }];
}

/** What computed figures rest on. */
export function useBasisNote(readBasis: () => TimesBasis): ComputedRef<string> {
  const { t } = useI18n();
  return computed(() => {
    const share = toCachedShare(readBasis());
    if (share === null) return t('summary.times.computed');
    return share >= 1
      ? t('summary.times.computedOfAll')
      : t('summary.times.computedOfPart', { share: formatPercent(share) });
  });
}

const UNITS = ['minute', 'hour', 'day'] as const;
export type Unit = (typeof UNITS)[number];

/** What a line shows of each bucket. */
export type SeriesFigure = 'count' | 'errorShare' | 'medianMs' | 'p95Ms';

interface SeriesPoint {
  readonly x: number;
  readonly y: number | null;
}

const UNIT_MS: Readonly<Record<Unit, number>> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS };
/** Buckets that a chart shows well. */
const USUAL_BUCKETS = 400;
/** Where a clock changes there is a bucket more. */
const MAX_BUCKETS = MAX_EDGES - 10;

/** Returns the units that a span can be counted in: two buckets at least, and not too many to read. */
export function listUnits({ fromMs, toMs }: TimeSpan): readonly Unit[] {
  const fitting = UNITS.filter((unit) => {
    const count = (toMs - fromMs) / UNIT_MS[unit];
    return count >= 1.5 && count <= MAX_BUCKETS;
  });
  if (fitting.length > 0) return fitting;
  return toMs - fromMs < UNIT_MS.hour ? ['minute'] : ['day'];
}

/** Returns the finest unit of which a span has no more buckets than a chart shows well. */
export function toUsualUnit(span: TimeSpan): Unit {
  const units = listUnits(span);
  return (
    units.find((unit) => (span.toMs - span.fromMs) / UNIT_MS[unit] <= USUAL_BUCKETS) ?? units.at(-1) ?? 'day'
  );
}

/** Returns the edges of the buckets of a span; of one that is too long the newest buckets. */
export function listSeriesEdges({ fromMs, toMs }: TimeSpan, unit: Unit, zone: string): number[] {
  const firstMs = Math.max(fromMs, toMs - MAX_BUCKETS * UNIT_MS[unit]);
  return listBucketEdges(firstMs, toMs, UNIT_MS[unit], zone);
}

/** Returns the part of a bucket that lies in the span: the first and the last may reach beyond it. */
export function clip<Bucket extends TimeSpan>(bucket: Bucket, { fromMs, toMs }: TimeSpan): Bucket {
  return { ...bucket, fromMs: Math.max(bucket.fromMs, fromMs), toMs: Math.min(bucket.toMs, toMs) };
}

/** Returns whether nothing is known of a bucket: nothing of it is cached, or that is not known itself. */
export function isUnknown(bucket: SeriesBucket, gaps: readonly TimeSpan[] | null): boolean {
  if (bucket.count > 0) return false;
  return gaps === null || measureMissing(bucket, gaps) >= bucket.toMs - bucket.fromMs;
}

/** Returns a figure of a bucket; null where there is none. */
export function readFigure(
  bucket: SeriesBucket,
  figure: SeriesFigure,
  gaps: readonly TimeSpan[] | null,
): number | null {
  if (figure === 'count') return isUnknown(bucket, gaps) ? null : bucket.count;
  if (figure === 'errorShare') return bucket.count === 0 ? null : bucket.failures / bucket.count;
  return bucket[figure];
}

/** Returns a line that is level for the length of each bucket, and interrupted where there is no figure. */
export function toSteps(
  buckets: readonly SeriesBucket[],
  figure: SeriesFigure,
  gaps: readonly TimeSpan[] | null,
): SeriesPoint[] {
  return buckets.flatMap((bucket) => {
    const y = readFigure(bucket, figure, gaps);
    return [
      { x: bucket.fromMs, y },
      { x: bucket.toMs, y },
    ];
  });
}

/** Returns the place of the bucket that holds an instant; null outside all of them. */
export function findBucket(buckets: readonly TimeSpan[], atMs: number): number | null {
  const place = buckets.findIndex(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  return place === -1 ? null : place;
}

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
    plugins: [
      createGaps(view.gaps, view.span, colours),
      { id: 'leaving', beforeEvent: (_chart, { inChartArea }) => inChartArea || view.aim(null) },
    ],
  };
}

function toOptions(view: SeriesView, colours: ChartColours): ChartOptions<'line'> {
  const { span, buckets } = view;
  const ticks = toTickStyle(colours);
  const findAt = (x: number | undefined): number | null => (x === undefined ? null : findBucket(buckets, x));
  return {
    ...CHART_OPTIONS,
    interaction: { mode: 'index', axis: 'x', intersect: false },
    layout: { padding: { top: 6, right: 8 } },
    onHover: (event, _elements, { scales: { x } }) => {
      setPointer(event, true);
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
