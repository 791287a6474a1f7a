import { DEFAULT_LEVEL, type Interval } from './interval.ts';
import { toDeviations } from './normal-quantile.ts';

/**
 * Returns the ranks, counted from 1, of the two values of a sorted sample between which a quantile of what was sampled
 * lies, whatever its distribution (Campbell and Gardner, 1988). Null where the sample is too small to tell.
 */
export function toQuantileRanks(count: number, quantile: number, level = DEFAULT_LEVEL): Interval | null {
  const spread = toDeviations(level) * Math.sqrt(count * quantile * (1 - quantile));
  const low = Math.round(count * quantile - spread);
  const high = Math.round(1 + count * quantile + spread);
  return low < 1 || high > count ? null : { low, high };
}
