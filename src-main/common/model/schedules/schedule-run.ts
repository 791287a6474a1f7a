import { Type, type Static } from 'typebox';
import { ErrorInfo } from '../error-info.ts';
import { Nullable } from '../nullable.ts';
import { Schedule } from './schedule.ts';

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
