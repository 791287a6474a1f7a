import { HOUR_MS } from '../../common/time/durations.ts';

/**
 * Traffic by hour of a working day in UTC: a peak before and one after lunch, and nights that stay at a fifth
 * of it, as customers in other zones are awake then.
 */
const WORKING_HOURS = [
  24, 22, 20, 19, 20, 23, 31, 44, 64, 84, 97, 100, 89, 86, 95, 98, 91, 80, 67, 58, 49, 41, 34, 28,
] as const;
/** At the weekend people begin late and write in the evening. */
const WEEKEND_HOURS = [
  34, 29, 25, 22, 20, 20, 22, 27, 37, 52, 68, 80, 83, 78, 72, 70, 74, 81, 90, 94, 86, 70, 55, 43,
] as const;
const PEAK_WEIGHT = 100;

/** Sunday first. */
const WEEKDAY_WEIGHTS = [0.5, 1.08, 1.05, 1, 1.02, 0.96, 0.58] as const;

const WEEK_HOURS = 168;
/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 4;

const WEEK = Array.from({ length: WEEK_HOURS }, (_, hour) => {
  const weekday = Math.floor(hour / 24);
  const hours = weekday === 0 || weekday === 6 ? WEEKEND_HOURS : WORKING_HOURS;
  return (hours[hour % 24] ?? 0) * (WEEKDAY_WEIGHTS[weekday] ?? 1);
});

/** Relative traffic at an instant by day of the week and hour, smooth between the hours. */
export function weighTraffic(epochMs: number): number {
  const hours = epochMs / HOUR_MS;
  const hour = Math.floor(hours);
  const here = WEEK[(hour + FIRST_WEEKDAY * 24) % WEEK_HOURS] ?? 0;
  const next = WEEK[(hour + 1 + FIRST_WEEKDAY * 24) % WEEK_HOURS] ?? 0;
  return here + (next - here) * (hours - hour);
}

/** Traffic at an instant as a share of an ordinary day's peak. */
export function toPeakShare(epochMs: number): number {
  return weighTraffic(epochMs) / PEAK_WEIGHT;
}
