import type { CivilTime } from '../../time/civil-time.ts';
import { HOUR_MS, SECOND_MS } from '../../time/durations.ts';
import { fromCivilTime, toCivilTime } from '../../time/time-zones.ts';
import type { Settings } from '../settings/settings.ts';
import type { Schedule, SchedulePeriod } from './schedule.ts';
import { findLastDue, moveDays } from './schedule-times.ts';
import type { TimeSpan } from '../../time/time-span.ts';

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
