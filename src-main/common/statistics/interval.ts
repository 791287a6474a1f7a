import { toDeviations } from './normal-quantile.ts';

/** A confidence interval, both ends included. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The level of every interval that a screen prints. */
export const DEFAULT_LEVEL = 0.95;

/**
 * Returns the interval of the difference `after - before` of two independent estimates, from the interval of each: the
 * square-and-add method of Newcombe (1998), which Zou and Donner (2008) extend to any two estimates.
 */
export function subtractIntervals(
  before: { readonly value: number; readonly interval: Interval },
  after: { readonly value: number; readonly interval: Interval },
): Interval {
  const difference = after.value - before.value;
  return {
    low: difference - Math.hypot(after.value - after.interval.low, before.interval.high - before.value),
    high: difference + Math.hypot(after.interval.high - after.value, before.value - before.interval.low),
  };
}

/** Returns whether an interval lies on one side of a value: then the difference from it is not chance alone. */
export function isOutside({ low, high }: Interval, value: number): boolean {
  return low > value || high < value;
}

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
