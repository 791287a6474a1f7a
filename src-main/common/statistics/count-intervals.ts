import { DEFAULT_LEVEL, subtractIntervals, type Interval } from './interval.ts';
import { toDeviations } from './normal-quantile.ts';

/** What was counted in a stretch of time, in any unit of length that both sides of a comparison use. */
export interface CountOverTime {
  readonly count: number;
  readonly length: number;
}

function toScoreInterval(count: number, level: number): Interval {
  const z = toDeviations(level);
  const spread = z * Math.sqrt(count + (z * z) / 4);
  return { low: count === 0 ? 0 : count + (z * z) / 2 - spread, high: count + (z * z) / 2 + spread };
}

/**
 * Returns the interval of the difference of two counts, `after - before`, both over the length of `after`, of events that
 * come independently of each other, or so many at a time (`perEvent`). Null where a side has no length.
 */
export function toCountDifferenceInterval(
  before: CountOverTime,
  after: CountOverTime,
  { level = DEFAULT_LEVEL, perEvent = 1 } = {},
): Interval | null {
  if (after.length <= 0 || before.length <= 0) return null;
  const toPart = ({ count, length }: CountOverTime): { value: number; interval: Interval } => {
    const scale = (perEvent * after.length) / length;
    const { low, high } = toScoreInterval(count / perEvent, level);
    return { value: (count / perEvent) * scale, interval: { low: low * scale, high: high * scale } };
  };
  return subtractIntervals(toPart(before), toPart(after));
}
