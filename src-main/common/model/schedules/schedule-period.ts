import { civilToUtcMs, utcMsToCivil, type CivilTime } from '../../time/civil-time.ts';
import { HOUR_MS, SECOND_MS, DAY_MS } from '../../time/durations.ts';
import type { TimeSpan } from '../../time/time-span.ts';
import { fromCivilTime, toCivilTime } from '../../time/time-zones.ts';
import type { Settings } from '../settings/settings.ts';
import { WEEKDAYS, type Schedule, type SchedulePeriod, type ScheduleTimes } from './schedule.ts';

/** The day that a week begins with, counted from Sunday. */
const WEEK_STARTS = { sunday: 0, monday: 1, saturday: 6 } as const;

/** Whole days, weeks and months: each has a file of its own, also one that was missed. */
const WHOLE: readonly SchedulePeriod[] = ['yesterday', 'last-week', 'last-month', 'since-before'];

/** True for a period that no later run covers once its own was missed. */
export function hasOwnFile(period: SchedulePeriod): boolean {
  return WHOLE.includes(period);
}

/** Returns the period of a run, at whole seconds; the end is not part of it. */
export function toRunPeriod(
  { period, zone, times }: Pick<Schedule, 'period' | 'zone' | 'times'>,
  dueAtMs: number,
  weekStart: Settings['weekStart'],
): TimeSpan {
  const dueMs = Math.floor(dueAtMs / SECOND_MS) * SECOND_MS;
  const today = toCivilTime(dueMs, zone);
  const toMidnight = (days: number, from: CivilTime = today): number =>
    fromCivilTime(moveDays(from, days), zone);
  switch (period) {
    case 'yesterday':
      return { fromMs: toMidnight(-1), toMs: toMidnight(0) };
    case 'today':
      // At midnight it is the day that ends.
      return { fromMs: toMidnight(0) < dueMs ? toMidnight(0) : toMidnight(-1), toMs: dueMs };
    case 'last-24-hours':
      return { fromMs: dueMs - 24 * HOUR_MS, toMs: dueMs };
    case 'last-7-days':
      return { fromMs: dueMs - 7 * 24 * HOUR_MS, toMs: dueMs };
    case 'last-week': {
      const sinceStart = (toWeekday(today) - WEEK_STARTS[weekStart] + 7) % 7;
      return { fromMs: toMidnight(-sinceStart - 7), toMs: toMidnight(-sinceStart) };
    }
    case 'last-month': {
      const lastDay = moveDays({ ...today, day: 1 }, -1);
      return { fromMs: toMidnight(0, { ...lastDay, day: 1 }), toMs: toMidnight(1, lastDay) };
    }
    case 'since-before':
      return { fromMs: findLastDue(times, zone, dueMs - 1), toMs: dueMs };
  }
}

function toWeekday({ year, month, day }: CivilTime): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

/** A week has each weekday, and a day more may be left out by a zone that moves across the date line. */
const MAX_DAYS = 9;

/**
 * Returns when a schedule is due next, strictly later than `afterMs`. A time that the clock of the zone shows twice
 * counts once, the first time; one that it leaves out counts as if the clock had not been moved: 02:30 is 03:30 then.
 */
export function findNextDue(times: ScheduleTimes, zone: string, afterMs: number): number {
  return find(times, zone, afterMs, 1);
}

/** Returns when a schedule was due last, at `atMs` or before. */
export function findLastDue(times: ScheduleTimes, zone: string, atMs: number): number {
  return find(times, zone, atMs, -1);
}

/** Looks forward for what is strictly later, or back for what is not. */
function find(times: ScheduleTimes, zone: string, nearMs: number, step: 1 | -1): number {
  const isWanted = (dueMs: number): boolean => (step === 1 ? dueMs > nearMs : dueMs <= nearMs);
  const today = toCivilTime(nearMs, zone);
  // The day before and the day after too: a time that is left out may have moved over midnight.
  for (let days = -1; days <= MAX_DAYS; days += 1) {
    const found = listDues(times, zone, moveDays(today, days * step)).filter(isWanted);
    if (found.length > 0) return step === 1 ? Math.min(...found) : Math.max(...found);
  }
  throw new Error('A schedule without a weekday is never due.');
}

/** When a schedule is due on a day of the zone. */
function listDues(times: ScheduleTimes, zone: string, day: CivilTime): number[] {
  const fromMs = fromCivilTime(day, zone);
  const toMs = fromCivilTime(moveDays(day, 1), zone);
  if (times.kind === 'hourly') {
    const stepMs = times.hours * HOUR_MS;
    const count = Math.max(0, Math.ceil((toMs - fromMs) / stepMs));
    return Array.from({ length: count }, (_, place) => fromMs + place * stepMs);
  }
  // A day that the zone leaves out.
  if (toMs <= fromMs) return [];
  const weekday = WEEKDAYS[(new Date(civilToUtcMs(day)).getUTCDay() + 6) % 7];
  if (!times.weekdays.some((each) => each === weekday)) return [];
  const [hour = 0, minute = 0] = times.time.split(':').map(Number);
  return [fromCivilTime({ ...day, hour, minute }, zone)];
}

/** Returns midnight of a day that is so many days later. */
export function moveDays(civil: CivilTime, days: number): CivilTime {
  const midnight = { ...civil, hour: 0, minute: 0, second: 0, millisecond: 0 };
  return utcMsToCivil(civilToUtcMs(midnight) + days * DAY_MS);
}
