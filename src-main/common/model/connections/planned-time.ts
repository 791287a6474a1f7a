import { Type, type Static } from 'typebox';
import { WEEKDAYS } from '../schedules/schedule.ts';

/** The most planned times, dates of one, and marks that a connection keeps. */
export const MAX_PLANNED_TIMES = 200;
export const MAX_PLANNED_DATES = 1_000;
export const MAX_TIME_MARKS = 1_000;
export const MAX_PLANNED_NAME_CHARACTERS = 80;

const Name = Type.String({ minLength: 1, maxLength: MAX_PLANNED_NAME_CHARACTERS });
const Clock = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });
const Day = Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' });
const DayClock = Type.String({
  pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]$',
});
const Weekday = Type.Enum([...WEEKDAYS]);
/** At most as long as the shortest month. */
const Minutes = Type.Integer({ minimum: 1, maximum: 28 * 1_440 });
const Values = Type.Array(Type.Integer(), { minItems: 1, maxItems: 50, uniqueItems: true });

/** A date of a list, by the clock of the planned time's zone. */
export const PlannedDate = Type.Object({
  /** Such as `2026-12-24T14:00`. */
  from: DayClock,
  /** Exclusive. */
  to: DayClock,
  name: Type.Optional(Name),
});
export type PlannedDate = Static<typeof PlannedDate>;

/** The day of a month that a time repeats on. */
export const MonthDay = Type.Union([
  Type.Object({ day: Type.Union([Type.Integer({ minimum: 1, maximum: 31 }), Type.Literal('last')]) }),
  /** Monday to Friday; holidays aren't known. */
  Type.Object({ workingDay: Type.Literal('last') }),
  Type.Object({
    nth: Type.Union([Type.Integer({ minimum: 1, maximum: 5 }), Type.Literal('last')]),
    weekday: Weekday,
  }),
]);
export type MonthDay = Static<typeof MonthDay>;

/** When a planned time is, by the clock of its zone. A time of day that a clock leaves out counts as if it had not moved. */
export const PlannedTimes = Type.Union([
  Type.Object({
    repeats: Type.Literal('dates'),
    dates: Type.Array(PlannedDate, { minItems: 1, maxItems: MAX_PLANNED_DATES }),
  }),
  Type.Object({
    repeats: Type.Literal('weekly'),
    weekdays: Type.Array(Weekday, { minItems: 1, maxItems: 7, uniqueItems: true }),
    from: Clock,
    minutes: Minutes,
  }),
  Type.Object({ repeats: Type.Literal('monthly'), on: MonthDay, from: Clock, minutes: Minutes }),
  Type.Object({
    repeats: Type.Literal('cron'),
    /** Minute, hour, day of month, month, day of week. */
    cron: Type.String({ minLength: 9, maxLength: 100 }),
    minutes: Minutes,
  }),
]);
export type PlannedTimes = Static<typeof PlannedTimes>;

/** `planned`: little or nothing is expected. `special`: traffic differs from that of other days. */
export const PLANNED_KINDS = ['planned', 'special'] as const;
/** Whether alerts look at such a time, log what they see without a notification, or go on as always. */
export const PLANNED_ALERTS = ['left-out', 'muted', 'on'] as const;

const fields = {
  name: Name,
  kind: Type.Enum([...PLANNED_KINDS]),
  /** IANA name. */
  zone: Type.String({ minLength: 1, maxLength: 100 }),
  times: PlannedTimes,
  /** The first and the last day on which a repeated time begins. */
  firstDay: Type.Optional(Day),
  lastDay: Type.Optional(Day),
  /** Left out for all. */
  channels: Type.Optional(Values),
  services: Type.Optional(Values),
  leftOut: Type.Object({
    /** What is usual isn't learned from such a time, and nothing stands out in it. */
    findings: Type.Boolean(),
    alerts: Type.Enum([...PLANNED_ALERTS]),
    uptime: Type.Boolean(),
  }),
  /** Name of the calendar file that it came from. */
  source: Type.Optional(Type.String({ maxLength: 200 })),
};

/** A planned or special time as a person writes it. */
export const PlannedTimeDraft = Type.Object(fields);
export type PlannedTimeDraft = Static<typeof PlannedTimeDraft>;

export const PlannedTime = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }), ...fields });
export type PlannedTime = Static<typeof PlannedTime>;

/** What is left out of, as each kind begins. */
export const DEFAULT_LEFT_OUT: Readonly<Record<PlannedTime['kind'], PlannedTime['leftOut']>> = {
  planned: { findings: true, alerts: 'muted', uptime: true },
  special: { findings: true, alerts: 'on', uptime: false },
};

export const TIME_MARK_KINDS = ['release', 'campaign', 'note'] as const;

/** A moment that a person marked on the time axis. */
export const TimeMarkDraft = Type.Object({
  kind: Type.Enum([...TIME_MARK_KINDS]),
  atMs: Type.Integer({ minimum: 0, maximum: 253_402_300_799_000 }),
  text: Name,
});
export type TimeMarkDraft = Static<typeof TimeMarkDraft>;
export const TimeMark = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  ...TimeMarkDraft.properties,
});
export type TimeMark = Static<typeof TimeMark>;

/** What a person knows of the times of a connection. */
export const ConnectionPlans = Type.Object({
  times: Type.Array(PlannedTime, { maxItems: MAX_PLANNED_TIMES }),
  marks: Type.Array(TimeMark, { maxItems: MAX_TIME_MARKS }),
  /** Suggestions that were answered with "not planned", by their keys. */
  dismissed: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 500 })),
});
export type ConnectionPlans = Static<typeof ConnectionPlans>;

export const NO_PLANS: ConnectionPlans = { times: [], marks: [] };

/** Planned times and marks as a file holds them, which any connection can take. */
export const PlansFile = Type.Object({
  format: Type.Literal('channelscope-planned-times'),
  version: Type.Literal(1),
  times: Type.Array(PlannedTimeDraft, { maxItems: MAX_PLANNED_TIMES }),
  marks: Type.Array(TimeMarkDraft, { maxItems: MAX_TIME_MARKS }),
});
export type PlansFile = Static<typeof PlansFile>;

/** A time that is quiet every week, though it isn't planned. */
export const PlannedSuggestion = Type.Object({
  /** The same each time that it is seen. */
  key: Type.String(),
  weekday: Weekday,
  from: Clock,
  minutes: Minutes,
  zone: Type.String(),
  /** When it was seen, oldest first. */
  spans: Type.Array(Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() })),
  /** Requests in all of them, and how many other days have at that time. */
  requests: Type.Integer(),
  usual: Type.Integer(),
  /** Left out for all channels. */
  channel: Type.Optional(Type.Integer()),
});
export type PlannedSuggestion = Static<typeof PlannedSuggestion>;
