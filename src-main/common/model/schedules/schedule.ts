import { type Static, Type } from 'typebox';
import { REPORT_KINDS } from '../../reporting/reports.ts';
import {
  type CivilTime,
  civilToUtcMs,
  fromCivilTime,
  toCivilTime,
  utcMsToCivil,
} from '../../time/civil-time.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../time/durations.ts';
import type { TimeSpan } from '../../time/time-span.ts';
import { ErrorInfo } from '../error-info.ts';
import { EXPORT_FORMATS, ExportChoices, type ExportFormat, toFormatRow } from '../exports/export-options.ts';
import { Nullable } from '../nullable.ts';
import { MAX_FILTER_QUERY_CHARACTERS } from '../records/record-filter.ts';
import type { Settings } from '../settings/settings.ts';

export const MAX_SCHEDULES = 200;
export const MAX_SCHEDULE_NAME_CHARACTERS = 60;

/** The days of a week, in the order of ISO 8601. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Hours that divide a day. */
export const HOUR_STEPS = [1, 2, 3, 4, 6, 8, 12] as const;

/** What a schedule can write; what leaves in an evidence pack is for a person to look at. */
export const SCHEDULE_FORMATS: readonly ExportFormat[] = EXPORT_FORMATS.filter(
  (format) => toFormatRow(format).holds !== 'pack',
);

/** When a schedule is due, by the clock of its zone. */
export const ScheduleTimes = Type.Union([
  Type.Object({
    kind: Type.Literal('daily'),
    /** Hours and minutes, such as `07:00`. */
    time: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' }),
    weekdays: Type.Array(Type.Enum([...WEEKDAYS]), { minItems: 1, maxItems: 7, uniqueItems: true }),
  }),
  /** Every so many hours from midnight on. */
  Type.Object({ kind: Type.Literal('hourly'), hours: Type.Enum([...HOUR_STEPS]) }),
]);
export type ScheduleTimes = Static<typeof ScheduleTimes>;

/** Periods that move with the time at which a schedule is due, by the clock of its zone. */
export const SCHEDULE_PERIODS = [
  'yesterday',
  'today',
  'last-24-hours',
  'last-7-days',
  'last-week',
  'last-month',
  /** From the time before, at which it was due, up to this one. */
  'since-before',
] as const;
const SchedulePeriod = Type.Enum([...SCHEDULE_PERIODS]);
type SchedulePeriod = Static<typeof SchedulePeriod>;

const fields = {
  name: Type.String({ minLength: 1, maxLength: MAX_SCHEDULE_NAME_CHARACTERS }),
  connectionId: Type.String(),
  /** Detail records, or the summary that is computed of them. */
  report: Type.Enum([...REPORT_KINDS]),
  period: SchedulePeriod,
  /** The zone of the times, of the period, and of dates in the file. */
  zone: Type.String({ maxLength: 100 }),
  /** Which records, as in the search of the detail screens; all of them when empty. */
  query: Type.String({ maxLength: MAX_FILTER_QUERY_CHARACTERS }),
  choices: ExportChoices,
  /** The columns to write; null for all. */
  columns: Nullable(Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 200 })),
  times: ScheduleTimes,
  isActive: Type.Boolean(),
  /** What is not cached of the period is fetched first. */
  fetchesMissing: Type.Boolean(),
};

/** What a person fills in of a schedule, but for its folder. */
export const ScheduleDraft = Type.Object(fields);
export type ScheduleDraft = Static<typeof ScheduleDraft>;

/** An export that is written again and again, to a folder. */
export const Schedule = Type.Object({
  id: Type.String(),
  ...fields,
  /** Absolute path. */
  folder: Type.String(),
  /** No time before counts: then it was not made yet, was another one, or was off. */
  countsFromMs: Type.Integer(),
});
export type Schedule = Static<typeof Schedule>;

/** An entry of the log of a schedule. */
export const ScheduleRun = Type.Object({
  id: Type.String(),
  scheduleId: Type.String(),
  /** When it was due; when it began, where a person began it. */
  dueAtMs: Type.Integer(),
  startedAtMs: Type.Integer(),
  endedAtMs: Nullable(Type.Integer()),
  cause: Type.Union([
    Type.Literal('time'),
    /** Its time passed while the application was closed or the computer slept. */
    Type.Literal('catch-up'),
    Type.Literal('by-hand'),
  ]),
  state: Type.Union([
    Type.Literal('running'),
    Type.Literal('done'),
    /** A file was written; something of its period is not cached. */
    Type.Literal('incomplete'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
    /** The application ended while it ran. */
    Type.Literal('interrupted'),
  ]),
  /** Its period; the end is not part of it. */
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
  /** The whole path of the file. */
  file: Nullable(Type.String()),
  records: Nullable(Type.Integer()),
  bytes: Nullable(Type.Integer()),
  /** How much of the period is not cached, up to the time of the run. */
  missingMs: Nullable(Type.Integer()),
  /** Up to here nothing of the period is missing from the file; null without one. */
  writtenToMs: Nullable(Type.Integer()),
  /** Why it failed, or why what was missing could not be fetched. */
  error: Nullable(ErrorInfo),
  /** Earlier times for which there is no run of their own. */
  skipped: Type.Integer({ minimum: 0 }),
});
export type ScheduleRun = Static<typeof ScheduleRun>;

/** A schedule with where it stands. */
export const ScheduleState = Type.Object({
  schedule: Schedule,
  /** When it is due next; null while it is off. */
  nextAtMs: Nullable(Type.Integer()),
  /** The newest entry of its log. */
  lastRun: Nullable(ScheduleRun),
  /** The task of the run that is under way, or waits for its turn. */
  taskId: Nullable(Type.String()),
});
export type ScheduleState = Static<typeof ScheduleState>;

export const ScheduleBoard = Type.Object({
  schedules: Type.Array(ScheduleState),
  /** Nothing runs by itself: the application was started safely, or on the command line. */
  isIdle: Type.Boolean(),
});
export type ScheduleBoard = Static<typeof ScheduleBoard>;

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
