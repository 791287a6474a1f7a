import { computed, type ComputedRef } from 'vue';
import type { TimeBucket } from '../../../../src-main/common/model/records/record.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { toOffsetMs } from '../../../../src-main/common/time/civil-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { toTimeTicks } from '../../../../src-main/common/words/formats.ts';
import { countErrors } from '../../../charts/chart-marks.ts';
import { readFormats } from '../../../format/formats.ts';
import { type PeriodEnds, type PeriodSelection, toPeriodEnds } from '../../../period/period-selection.ts';
import { useOverviewStore, type VolumeSpan } from '../../../stores/analysis/summaries.ts';

/** The volume of the active connection as the chart draws it; null while loading. */
export function useVolumePoints(): ComputedRef<readonly VolumePoint[] | null> {
  const overview = useOverviewStore();
  return computed(() =>
    overview.volume === null ? null : toVolumePoints(overview.volume.inbound, overview.volume.outbound),
  );
}

export interface VolumePoint extends TimeSpan {
  readonly inbound: number;
  readonly outbound: number;
  /** Requests of both directions that failed. */
  readonly errors: number;
  /** Their share, 0 to 1; null where no request is cached. */
  readonly errorRate: number | null;
}

/** Joins the buckets of both directions; they must cover the same spans. */
export function toVolumePoints(
  inbound: readonly TimeBucket[],
  outbound: readonly TimeBucket[],
): VolumePoint[] {
  return inbound.map((bucket, index) => {
    const other = outbound[index];
    const total = sumCounts(bucket) + sumCounts(other);
    const errors = countErrors(bucket.counts) + countErrors(other?.counts ?? []);
    return {
      fromMs: bucket.fromMs,
      toMs: bucket.toMs,
      inbound: sumCounts(bucket),
      outbound: sumCounts(other),
      errors,
      errorRate: total === 0 ? null : errors / total,
    };
  });
}

function sumCounts(bucket: TimeBucket | undefined): number {
  return bucket === undefined ? 0 : bucket.counts.reduce((sum, count) => sum + count, 0);
}

interface AlignedAxes {
  readonly intervals: number;
  readonly countStep: number;
  readonly countMax: number;
  /** Shares, 0 to 1. */
  readonly rateStep: number;
  readonly rateMax: number;
}

/**
 * Two scales with the same number of intervals, so that one set of gridlines serves both. Of four to six
 * intervals, the number that leaves the least space unused is taken.
 */
export function toAlignedAxes(points: readonly VolumePoint[]): AlignedAxes {
  const highestCount = Math.max(1, ...points.map((point) => Math.max(point.inbound, point.outbound)));
  const highestRate = Math.max(0.02, ...points.map((point) => point.errorRate ?? 0));
  const candidates = [4, 5, 6].map((intervals) => {
    const countStep = Math.ceil(roundUpToNice(highestCount / intervals));
    const rateStep = roundUpToNice(highestRate / intervals);
    const [countMax, rateMax] = [countStep * intervals, rateStep * intervals];
    const filled = highestCount / countMax + highestRate / rateMax - (rateMax > 1 ? 1 : 0);
    return { intervals, countStep, countMax, rateStep, rateMax, filled };
  });
  candidates.sort((a, b) => b.filled - a.filled);
  const { intervals = 5, countStep = 1, countMax = 5, rateStep = 0.02, rateMax = 0.1 } = candidates[0] ?? {};
  return { intervals, countStep, countMax, rateStep, rateMax };
}

/** The next 1, 2, 2.5 or 5 times a power of ten at or above the value. */
function roundUpToNice(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= value * (1 - 1e-12)) ?? 10;
  return Number((factor * power).toPrecision(6));
}

/** Returns the words below the bars by the place of the bar that begins then: round times, as many as have room. */
export function toBarLabels(
  points: readonly VolumePoint[],
  zone: string,
  maxLabels: number,
): ReadonlyMap<number, string> {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const ticks = new Map(
    toTimeTicks({ fromMs: first.fromMs, toMs: last.toMs }, zone, maxLabels, readFormats()).map(
      ({ atMs, label }) => [atMs, label],
    ),
  );
  return new Map(
    points.flatMap(({ fromMs }, index) => {
      const label = ticks.get(fromMs);
      return label === undefined ? [] : [[index, label] as const];
    }),
  );
}

/** How a slot is cached, as far as its time has passed, by direction. */
export type SlotCoverage = Readonly<Record<Direction, 'none' | 'part' | 'whole'>>;

/** How far a followed connection may lag behind its service. */
const LAG_MS = 120_000;
/** Of a short period, at least this much may lag. */
const LEAST_LAG_MS = 60_000;

/** Returns how each point is cached: `part` where a direction lacks more than a lag. */
export function toSlotCoverage(
  points: readonly VolumePoint[],
  covered: { readonly inbound: readonly number[]; readonly outbound: readonly number[] },
  nowMs: number,
): SlotCoverage[] {
  return points.map((point, index) => {
    const read = (direction: Direction): SlotCoverage[Direction] => {
      const share = covered[direction][index] ?? 0;
      const passedMs = Math.min(nowMs, point.toMs) - point.fromMs;
      if (passedMs - share * (point.toMs - point.fromMs) <= LAG_MS) return 'whole';
      return share === 0 && point[direction] === 0 ? 'none' : 'part';
    };
    return { inbound: read('inbound'), outbound: read('outbound') };
  });
}

/** Coverage of the part of a span that has passed: its last bar reaches beyond now, and what is followed lags behind. */
export function toElapsedCoverage(coverage: number, points: readonly VolumePoint[], nowMs: number): number {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return coverage;
  const elapsedMs = Math.min(nowMs, last.toMs) - first.fromMs;
  if (elapsedMs <= 0) return coverage;
  const coveredMs = coverage * (last.toMs - first.fromMs);
  const lagMs = nowMs < last.toMs ? Math.min(LAG_MS, Math.max(LEAST_LAG_MS, elapsedMs / 100)) : 0;
  return elapsedMs - coveredMs <= lagMs ? 1 : coveredMs / elapsedMs;
}

const STEPS_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  7 * DAY_MS,
  28 * DAY_MS,
];
/** Pairs of bars that can still be told apart. */
const MAX_BARS = 62;
const LONGEST_STEP_MS = 28 * DAY_MS;

/**
 * Returns the bars of a period: they begin and end at round times of the zone, so that they stay where they are while
 * data arrives. Of a period that moves with the clock the first one is the first that is whole.
 */
export function toVolumeSpan(selection: PeriodSelection, nowMs: number, zone: string): VolumeSpan {
  const { fromMs, toMs: lastMs } = toPeriodEnds(selection, nowMs, zone);
  const endMs = Math.max(lastMs, fromMs) + (isRolling(selection) ? 0 : SECOND_MS);
  const stepMs = STEPS_MS.find((step) => (endMs - fromMs) / step <= MAX_BARS) ?? LONGEST_STEP_MS;
  const toMs = roundUp(endMs, stepMs, zone);
  const count = (toMs - fromMs) / stepMs;
  const buckets = Math.max(1, isRolling(selection) ? Math.floor(count) : Math.ceil(count));
  return { fromMs: toMs - buckets * stepMs, toMs, buckets };
}

/** Returns the ends of a bar where some of it lies outside of a period; null where the period has all of it. */
export function findSpanBeyond(
  bar: TimeSpan,
  { fromMs, toMs }: PeriodEnds,
  nowMs: number,
): PeriodEnds | null {
  const isInside = bar.fromMs >= fromMs && Math.min(bar.toMs, nowMs) - SECOND_MS <= toMs;
  return isInside ? null : { fromMs: bar.fromMs, toMs: bar.toMs - SECOND_MS };
}

/** Whether a period ends with the clock, wherever that is. */
export function isRolling(selection: PeriodSelection): boolean {
  return selection.kind === 'preset' && selection.preset.startsWith('last-');
}

function roundUp(epochMs: number, stepMs: number, zone: string): number {
  const offsetMs = toOffsetMs(epochMs, zone);
  return Math.ceil((epochMs + offsetMs) / stepMs) * stepMs - offsetMs;
}
