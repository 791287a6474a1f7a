import type { Expectation } from './expect-traffic.ts';
import { HOUR_MINUTES } from './traffic-grid.ts';

/** Minutes in which something was unusual, counted from the first one that was looked at. */
export interface Run {
  readonly onset: number;
  /** The first minute after it; null while it goes on. */
  readonly end: number | null;
  /** The minute that made it certain. */
  readonly crossed: number;
  /** Natural logarithm of how much more likely its minutes are if something was unusual than if not. */
  readonly score: number;
}

/** What is looked for in a series of minutes. */
interface Evidence {
  readonly minutes: number;
  /** A quick look that misses nothing: false where no minutes together can be certain. */
  readonly mayAlarm: () => boolean;
  /** Logarithm of how much more likely a minute is unusual than usual; 0 where nothing is known of it. */
  readonly weigh: (minute: number) => number;
  /** False for minutes of which nothing is known. */
  readonly isKnown: (minute: number) => boolean;
  /** Called with each minute before it is weighed: what is usual may follow the minutes that are. */
  readonly advance: (minute: number, isUnusual: boolean) => void;
  /** Weighs the minutes given to it so far together: as unusual as they make each other, against usual. */
  readonly createSum: () => (minute: number) => number;
}

interface OpenRun {
  /** The first guess of its onset. */
  readonly start: number;
  readonly crossed: number;
  best: number;
  bestAt: number;
  /** Minutes of it that something is known of. */
  known: number;
}

/** From this value on a run is certain: chance reaches it once in many millions of minutes. */
export const ALARM = 18;
/**
 * A run is over once this much speaks against its going on: less, the longer nothing spoke for it. With few requests, hours
 * of good ones would not be enough else.
 */
const CALM = 9;
const CALM_MINUTES = 60;
/**
 * After so many minutes that nothing is known of, it is not known either whether it went on. Where requests are rare, that
 * is so many times the time between two minutes that have some.
 */
const MAX_UNKNOWN = 60;
const UNKNOWN_GAPS = 5;
/**
 * This many minutes after a run became certain still help to date its beginning. Only then is it reported, so that
 * its onset doesn't change.
 */
export const SETTLE = 3;
/** The onset is looked for within so many minutes before the first guess. */
const REACH = 15;

/** Returns the runs of unusual minutes. What comes later doesn't change the onset of a run that was reported. */
export function scanMinutes(evidence: Evidence): Run[] {
  const { minutes, mayAlarm, weigh, isKnown, advance } = evidence;
  if (!mayAlarm()) return [];
  const runs: Run[] = [];
  let start = 0;
  let sum = 0;
  let unknown = 0;
  let known = 0;
  let open = null as OpenRun | null;
  const close = (run: OpenRun, end: number | null): void => {
    const { crossed } = run;
    if (crossed + SETTLE < minutes) {
      const onset = placeOnset(evidence, run.start, crossed + SETTLE);
      runs.push({ onset, end, crossed, score: weighTogether(evidence, onset, end ?? minutes) });
    }
    open = null;
    sum = 0;
  };
  for (let minute = 0; minute < minutes; minute += 1) {
    advance(minute, open !== null);
    if (!isKnown(minute)) {
      unknown += 1;
      const gap = open === null ? 0 : (minute + 1 - unknown - open.start) / Math.max(1, open.known);
      if (open !== null && unknown >= Math.max(MAX_UNKNOWN, UNKNOWN_GAPS * gap)) close(open, open.bestAt + 1);
    } else {
      unknown = 0;
      if (open !== null) open.known += 1;
      else known = sum <= 0 ? 1 : known + 1;
    }
    const value = weigh(minute);
    if (open === null) {
      if (sum <= 0) start = minute;
      sum = Math.max(0, sum + value);
      if (sum < ALARM) continue;
      open = { start, crossed: minute, best: sum, bestAt: minute, known };
    } else {
      sum += value;
      if (sum > open.best) {
        open.best = sum;
        open.bestAt = minute;
      } else if (open.best - sum >= CALM * Math.min(1, CALM_MINUTES / (minute - open.bestAt)))
        close(open, open.bestAt + 1);
    }
  }
  if (open !== null) close(open, null);
  return runs;
}

/** The most likely onset: the minute from which on those up to the last are the most unusual together. */
function placeOnset({ createSum }: Evidence, start: number, last: number): number {
  const add = createSum();
  let onset = start;
  let best = -Infinity;
  for (let minute = last; minute >= Math.max(0, start - REACH); minute -= 1) {
    const sum = add(minute);
    if (sum <= best) continue;
    best = sum;
    onset = minute;
  }
  return onset;
}

function weighTogether({ createSum }: Evidence, from: number, to: number): number {
  const add = createSum();
  let sum = 0;
  for (let minute = from; minute < to; minute += 1) sum = add(minute);
  return sum;
}

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
