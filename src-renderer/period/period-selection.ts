import type { Clock } from '../../src-main/common/model/clock.ts';
import type { Period } from '../../src-main/common/model/period.ts';
import { toWireDate } from '../../src-main/common/reporting/wire-dates.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src-main/common/time/durations.ts';
import { fromCivilTime, toCivilTime } from '../../src-main/common/time/time-zones.ts';

/** In the order of the picker. */
export const PERIOD_PRESETS = [
  'last-15-minutes',
  'last-hour',
  'last-6-hours',
  'last-24-hours',
  'today',
  'yesterday',
  'last-7-days',
  'last-30-days',
  'this-month',
] as const;
export type PeriodPreset = (typeof PERIOD_PRESETS)[number];

/** What the person chose: a preset that moves with the clock, or two instants. Both ends are included. */
export type PeriodSelection =
  | { readonly kind: 'preset'; readonly preset: PeriodPreset }
  | { readonly kind: 'custom'; readonly fromMs: number; readonly toMs: number };

/** The clock that periods are picked in. */
export interface PeriodClock {
  readonly choice: Clock;
  readonly zone: string;
  readonly serviceZone: string;
}

/** The first and the last whole second of a period; both are part of it. */
export interface PeriodEnds {
  readonly fromMs: number;
  readonly toMs: number;
}

const ROLLING_MS: Partial<Record<PeriodPreset, number>> = {
  'last-15-minutes': 15 * MINUTE_MS,
  'last-hour': HOUR_MS,
  'last-6-hours': 6 * HOUR_MS,
  'last-24-hours': DAY_MS,
  'last-7-days': 7 * DAY_MS,
  'last-30-days': 30 * DAY_MS,
};

/** Returns the ends of a selection. Days and months begin at midnight in `pickZone`. */
export function toPeriodEnds(selection: PeriodSelection, nowMs: number, pickZone: string): PeriodEnds {
  if (selection.kind === 'custom') {
    return { fromMs: floorToSecond(selection.fromMs), toMs: floorToSecond(selection.toMs) };
  }
  const now = floorToSecond(nowMs);
  const rolling = ROLLING_MS[selection.preset];
  if (rolling !== undefined) return { fromMs: now - rolling, toMs: now };
  if (selection.preset === 'yesterday') {
    return { fromMs: toMidnight(now, pickZone, -1), toMs: toMidnight(now, pickZone, 0) - SECOND_MS };
  }
  if (selection.preset === 'this-month') {
    return { fromMs: toMidnight(now, pickZone, 1 - toCivilTime(now, pickZone).day), toMs: now };
  }
  return { fromMs: toMidnight(now, pickZone, 0), toMs: now };
}

/** Returns the period to request; its texts are in the service's zone, whichever zone the days were picked in. */
export function toPeriod(
  selection: PeriodSelection,
  nowMs: number,
  serviceZone: string,
  pickZone: string,
): Period {
  const { fromMs, toMs } = toPeriodEnds(selection, nowMs, pickZone);
  return {
    startDate: toWireDate(fromMs, serviceZone),
    endDate: toWireDate(toMs, serviceZone),
    fromMs,
    toMs,
    zone: serviceZone,
  };
}

/** Returns the midnight of a zone so many days after the day of an instant. */
export function toMidnight(epochMs: number, zone: string, dayOffset: number): number {
  const { year, month, day } = toCivilTime(epochMs, zone);
  const shifted = new Date(Date.UTC(year, month - 1, day + dayOffset));
  return fromCivilTime(
    {
      year: shifted.getUTCFullYear(),
      month: shifted.getUTCMonth() + 1,
      day: shifted.getUTCDate(),
      hour: 0,
      minute: 0,
      second: 0,
      millisecond: 0,
    },
    zone,
  );
}

function floorToSecond(epochMs: number): number {
  return Math.floor(epochMs / SECOND_MS) * SECOND_MS;
}
