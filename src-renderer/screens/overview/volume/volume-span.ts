import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { toOffsetMs } from '../../../../src-main/common/time/civil-time.ts';
import { toPeriodEnds, type PeriodEnds, type PeriodSelection } from '../../../period/period-selection.ts';
import type { VolumeSpan } from '../../../stores/analysis/overview.ts';

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
