import { DEFAULT_LEVEL, subtractIntervals, type Interval } from './interval.ts';
import { toDeviations } from './normal-quantile.ts';

/** What was counted in a stretch of time, in any unit of length that both sides of a comparison use. */
export interface CountOverTime {
  readonly count: number;
  readonly length: number;
}

function toScoreInterval(count: number): Interval {
  const z = toDeviations(DEFAULT_LEVEL);
  const spread = z * Math.sqrt(count + (z * z) / 4);
  return { low: count === 0 ? 0 : count + (z * z) / 2 - spread, high: count + (z * z) / 2 + spread };
}

/**
 * Returns the interval of the difference of two counts, `after - before`, both over the length of `after`, of events
 * that come independently of each other. Null where a side has no length.
 */
export function toCountDifferenceInterval(before: CountOverTime, after: CountOverTime): Interval | null {
  if (after.length <= 0 || before.length <= 0) return null;
  const scale = after.length / before.length;
  const { low, high } = toScoreInterval(before.count);
  return subtractIntervals(
    { value: before.count * scale, interval: { low: low * scale, high: high * scale } },
    { value: after.count, interval: toScoreInterval(after.count) },
  );
}
