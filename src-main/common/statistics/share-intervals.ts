import { DEFAULT_LEVEL, subtractIntervals, type Interval } from './interval.ts';
import { toDeviations } from './normal-quantile.ts';

/** So many of a whole. */
export interface Share {
  readonly part: number;
  readonly whole: number;
}

/** Returns Wilson's score interval of a share; null where there is no whole. It never leaves [0, 1]. */
export function toWilsonInterval({ part, whole }: Share, level = DEFAULT_LEVEL): Interval | null {
  if (whole <= 0) return null;
  const z = toDeviations(level);
  const centre = part + (z * z) / 2;
  const spread = z * Math.sqrt((part * (whole - part)) / whole + (z * z) / 4);
  const divisor = whole + z * z;
  // The ends are exact where nothing or everything is a part; the arithmetic would miss them by a rounding error.
  return {
    low: part === 0 ? 0 : (centre - spread) / divisor,
    high: part === whole ? 1 : (centre + spread) / divisor,
  };
}

/**
 * Returns Newcombe's interval of the difference of two shares, `after - before` (his method 10, from Wilson's intervals);
 * null where either has no whole.
 */
export function toNewcombeInterval(before: Share, after: Share, level = DEFAULT_LEVEL): Interval | null {
  const one = toWilsonInterval(before, level);
  const other = toWilsonInterval(after, level);
  if (one === null || other === null) return null;
  return subtractIntervals(
    { value: before.part / before.whole, interval: one },
    { value: after.part / after.whole, interval: other },
  );
}
