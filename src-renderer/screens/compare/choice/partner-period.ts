import { SECOND_MS } from '../../../../src-main/common/time/durations.ts';
import { fromCivilTime, toCivilTime } from '../../../../src-main/common/time/time-zones.ts';
import type { PeriodEnds } from '../../../period/period-selection.ts';
import type { Shift } from './compare-choice.ts';

const DAYS: Readonly<Record<Exclude<Shift, 'period-before'>, number>> = { 'week-before': 7, 'day-before': 1 };

/** Returns the period that a shift leads to, both ends included: a day earlier is the same time of that day's clock. */
export function shiftPeriod({ fromMs, toMs }: PeriodEnds, shift: Shift, zone: string): PeriodEnds {
  if (shift === 'period-before') {
    const lengthMs = toMs - fromMs + SECOND_MS;
    return { fromMs: fromMs - lengthMs, toMs: fromMs - SECOND_MS };
  }
  const days = DAYS[shift];
  // The end is moved from the second after it, which may be a midnight of its own.
  return {
    fromMs: moveDays(fromMs, -days, zone),
    toMs: moveDays(toMs + SECOND_MS, -days, zone) - SECOND_MS,
  };
}

function moveDays(atMs: number, days: number, zone: string): number {
  const civil = toCivilTime(atMs, zone);
  const moved = new Date(Date.UTC(civil.year, civil.month - 1, civil.day + days));
  return fromCivilTime(
    { ...civil, year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() },
    zone,
  );
}
