import { Type, type Static } from 'typebox';
import { REPORT_KINDS } from '../../reporting/reports.ts';
import { ErrorInfo } from '../error-info.ts';
import { ExportChoices } from '../exports/export-choices.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../exports/export-options.ts';
import { Nullable } from '../nullable.ts';
import { MAX_FILTER_QUERY_CHARACTERS } from '../records/saved-view.ts';

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
  (format) => format !== 'evidence',
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
export const SchedulePeriod = Type.Enum([...SCHEDULE_PERIODS]);
export type SchedulePeriod = Static<typeof SchedulePeriod>;

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
