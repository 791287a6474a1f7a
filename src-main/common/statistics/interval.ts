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
