import type { Expectation } from './expect-traffic.ts';
import type { Evidence } from './scan-minutes.ts';
import { HOUR_MINUTES } from './traffic-grid.ts';

/** The requests of a run. */
export interface Measured {
  readonly total: number;
  /** Those that failed, or were slow; of volume, all. */
  readonly hits: number;
  /** How many hits would have been usual. */
  readonly expected: number;
}

/** The evidence for a kind of incident in the minutes of some traffic, and its requests. */
export interface Judged {
  readonly evidence: Evidence;
  /** The requests of minutes [from, to). */
  readonly measure: (from: number, to: number) => Measured;
}

/**
 * Returns a function that tells what is usual in a minute. While an incident lasts, what the hours before it said is
 * kept: the incident's own hours would soon make it look usual.
 */
export function createHolder(expected: readonly (Expectation | null)[]) {
  let held: Expectation | null = null;
  return (minute: number, isUnusual: boolean): Expectation | null => {
    const own = expected[Math.floor(minute / HOUR_MINUTES)] ?? null;
    if (!isUnusual || held?.source !== 'hours') held = own;
    return held;
  };
}
