import { DAY_MS } from './durations.ts';

/** The last and, as a negative number, the first instant that a Date can be; clocks show up to a day beyond. */
export const LAST_DATE_MS = 8_640_000_000_000_000;
/** The calendar repeats itself after so many years. */
const CYCLE_YEARS = 400;
const CYCLE_MS = 146_097 * DAY_MS;
/** Years up to this one lie within the limits of a Date. */
const LAST_WHOLE_YEAR = 271_000;

/** A date and time of day with no zone attached. Months and days count from 1. */
export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/** Days of a month of the Gregorian calendar. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** True when every field is in range and the day exists; a leap second does not. */
export function isRealCivilTime(time: CivilTime): boolean {
  return (
    time.year >= 1 &&
    time.year <= 9999 &&
    time.month >= 1 &&
    time.month <= 12 &&
    time.day >= 1 &&
    time.day <= daysInMonth(time.year, time.month) &&
    time.hour <= 23 &&
    time.minute <= 59 &&
    time.second <= 59 &&
    time.millisecond <= 999
  );
}

/** Milliseconds since 1970 of a civil time taken as UTC. Never goes through text parsing. */
export function civilToUtcMs(time: CivilTime): number {
  const date = new Date(0);
  const cycles = Math.abs(time.year) > LAST_WHOLE_YEAR ? -Math.sign(time.year) : 0;
  // setUTCFullYear, unlike Date.UTC, takes the years 1 to 99 at their word.
  date.setUTCFullYear(time.year + cycles * CYCLE_YEARS, time.month - 1, time.day);
  return date.setUTCHours(time.hour, time.minute, time.second, time.millisecond) - cycles * CYCLE_MS;
}

/** The civil time that a UTC clock shows at this instant. */
export function utcMsToCivil(epochMs: number): CivilTime {
  // Beyond the limits of a Date its clock is that of four hundred years earlier or later.
  const cycles = Math.abs(epochMs) > LAST_DATE_MS ? -Math.sign(epochMs) : 0;
  const date = new Date(epochMs + cycles * CYCLE_MS);
  return {
    year: date.getUTCFullYear() - cycles * CYCLE_YEARS,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
  };
}
