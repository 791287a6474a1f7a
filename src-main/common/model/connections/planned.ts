import { type Static, Type } from 'typebox';
import {
  type CivilTime,
  civilToUtcMs,
  fromCivilTime,
  isRealCivilTime,
  isTimeZone,
  toCivilTime,
} from '../../time/civil-time.ts';
import { DAY_MS, MINUTE_MS } from '../../time/durations.ts';
import type { TimeSpan } from '../../time/time-span.ts';
import { moveDays, WEEKDAYS } from '../schedules/schedule.ts';

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

/** Of a longer span only the end is looked at. */
const MAX_DAYS = 4_000;
/** What is usual is learned in so much time before what is looked at. */
const LEARNED_BACK_MS = 60 * DAY_MS;
/** A time that repeats every minute has more than anybody needs. */
const MAX_SPANS = 20_000;

/** One occurrence of a planned time. */
interface PlannedSpan extends TimeSpan {
  readonly name: string;
  readonly time: PlannedTime;
}

/** Why a planned time can't be kept, or null. */
export function findPlannedFault(
  draft: PlannedTimeDraft,
): 'zone' | 'cron' | 'date' | 'order' | 'days' | null {
  const { zone, times, firstDay, lastDay } = draft;
  if (!isTimeZone(zone)) return 'zone';
  if (times.repeats === 'cron' && parseCron(times.cron) === null) return 'cron';
  if (times.repeats === 'dates') {
    const read = times.dates.map(({ from, to }) => [parseDayClock(from), parseDayClock(to)] as const);
    if (read.some(([from, to]) => !isRealCivilTime(from) || !isRealCivilTime(to))) return 'date';
    if (read.some(([from, to]) => civilToUtcMs(to) <= civilToUtcMs(from))) return 'order';
  }
  const days = [firstDay, lastDay].flatMap((day) =>
    day === undefined ? [] : [parseDayClock(`${day}T00:00`)],
  );
  if (!days.every(isRealCivilTime)) return 'date';
  return firstDay !== undefined && lastDay !== undefined && lastDay < firstDay ? 'days' : null;
}

/** Lists when a planned time is within a span, oldest first; each occurrence is whole. */
export function listOccurrences(time: PlannedTime, span: TimeSpan): PlannedSpan[] {
  const { zone, times, name } = time;
  const inSpan = ({ fromMs, toMs }: TimeSpan): boolean =>
    toMs > fromMs && fromMs < span.toMs && toMs > span.fromMs;
  if (times.repeats === 'dates') {
    return times.dates
      .map((date) => ({
        fromMs: fromCivilTime(parseDayClock(date.from), zone),
        toMs: fromCivilTime(parseDayClock(date.to), zone),
        name: date.name ?? name,
        time,
      }))
      .filter(inSpan)
      .sort((a, b) => a.fromMs - b.fromMs);
  }
  const cron = times.repeats === 'cron' ? parseCron(times.cron) : null;
  const starts = cron === null ? [toClock(times.repeats === 'cron' ? '' : times.from)] : listClocks(cron);
  const beforeDays = Math.ceil((times.minutes * MINUTE_MS) / DAY_MS) + 1;
  const lastDay = toCivilTime(span.toMs, zone);
  const days = Math.ceil((span.toMs - span.fromMs) / DAY_MS) + beforeDays + 1;
  const found: PlannedSpan[] = [];
  for (let ago = 0; ago < Math.min(days, MAX_DAYS) && found.length < MAX_SPANS; ago += 1) {
    const day = moveDays(lastDay, -ago);
    const text = toDayText(day);
    if (
      (time.firstDay !== undefined && text < time.firstDay) ||
      (time.lastDay !== undefined && text > time.lastDay)
    )
      continue;
    const isOn =
      times.repeats === 'weekly'
        ? times.weekdays.some((weekday) => weekday === toWeekday(day))
        : times.repeats === 'monthly'
          ? isMonthDay(day, times.on)
          : cron !== null && isCronDay(day, cron);
    if (!isOn) continue;
    for (const minute of starts) {
      // By the clock at both ends: 01:00 to 04:00 stays that on the day that the clock is moved.
      const startMs = civilToUtcMs(day) + minute * MINUTE_MS;
      const fromMs = fromCivilTime(toCivilTime(startMs, 'UTC'), zone);
      const toMs = fromCivilTime(toCivilTime(startMs + times.minutes * MINUTE_MS, 'UTC'), zone);
      if (inSpan({ fromMs, toMs })) found.push({ fromMs, toMs, name, time });
    }
  }
  return found.sort((a, b) => a.fromMs - b.fromMs);
}

/** Lists all planned times of a connection within a span, oldest first. */
export function listPlannedSpans(plans: ConnectionPlans | undefined, span: TimeSpan): PlannedSpan[] {
  return (plans?.times ?? [])
    .flatMap((time) => listOccurrences(time, span))
    .sort((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs);
}

/** A planned span at one channel and service, or at all. */
interface PlannedPlace extends TimeSpan {
  readonly channel?: number;
  readonly service?: number;
}

/**
 * Lists what the findings of a span leave out, also of the time before that they learn from: once for each channel and
 * service that a planned time is limited to.
 */
export function listSetAside(plans: ConnectionPlans | undefined, { fromMs, toMs }: TimeSpan): PlannedPlace[] {
  const span = { fromMs: fromMs - LEARNED_BACK_MS, toMs };
  return (plans?.times ?? [])
    .filter(({ leftOut }) => leftOut.findings)
    .flatMap((time) => {
      const places = (time.channels ?? [undefined]).flatMap((channel) =>
        (time.services ?? [undefined]).map((service) => ({
          ...(channel === undefined ? {} : { channel }),
          ...(service === undefined ? {} : { service }),
        })),
      );
      return joinSpans(listOccurrences(time, span)).flatMap((own) =>
        places.map((place) => ({ ...own, ...place })),
      );
    });
}

/** Lists what uptime leaves out, joined where it touches: a time of some channels leaves the platform as it is. */
export function listDownTimes(plans: ConnectionPlans | undefined, span: TimeSpan): TimeSpan[] {
  return joinSpans(
    listPlannedSpans(plans, span).filter(
      ({ time }) => time.leftOut.uptime && time.channels === undefined && time.services === undefined,
    ),
  );
}

/** Returns planned times and marks as a file holds them. */
export function toPlansFile({ times, marks }: ConnectionPlans = NO_PLANS): PlansFile {
  return {
    format: 'channelscope-planned-times',
    version: 1,
    times: times.map(withoutId),
    marks: marks.map(withoutId),
  };
}

function withoutId<Entry extends { id: string }>(entry: Entry): Omit<Entry, 'id'> {
  const copy: Partial<Entry> = { ...entry };
  delete copy.id;
  return copy as Omit<Entry, 'id'>;
}

/** Joins spans, in order, where they touch. */
export function joinSpans(spans: readonly TimeSpan[]): TimeSpan[] {
  const joined: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of spans) {
    const last = joined.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else joined.push({ fromMs, toMs });
  }
  return joined;
}

/** Reads `2026-12-24T14:00`; whether such a day exists is for `isRealCivilTime`. */
export function parseDayClock(text: string): CivilTime {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/[-T:]/u).map(Number);
  return { year, month, day, hour, minute, second: 0, millisecond: 0 };
}

/** Writes a moment as a planned date has it, by the clock of a zone. */
export function toDayClock(atMs: number, zone: string): string {
  const civil = toCivilTime(atMs, zone);
  return `${toDayText(civil)}T${pad(civil.hour)}:${pad(civil.minute)}`;
}

function toDayText({ year, month, day }: CivilTime): string {
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

function toClock(text: string): number {
  const [hour = 0, minute = 0] = text.split(':').map(Number);
  return hour * 60 + minute;
}

function toWeekday(day: CivilTime): (typeof WEEKDAYS)[number] | undefined {
  return WEEKDAYS[(new Date(civilToUtcMs(day)).getUTCDay() + 6) % 7];
}

function isMonthDay(day: CivilTime, on: MonthDay): boolean {
  const isNextMonth = (days: number): boolean => moveDays(day, days).month !== day.month;
  if ('day' in on) return on.day === 'last' ? isNextMonth(1) : on.day === day.day;
  const weekday = toWeekday(day);
  if ('workingDay' in on) {
    if (weekday === 'saturday' || weekday === 'sunday') return false;
    return isNextMonth(weekday === 'friday' ? 3 : 1);
  }
  if (weekday !== on.weekday) return false;
  return on.nth === 'last' ? isNextMonth(7) : Math.ceil(day.day / 7) === on.nth;
}

function isCronDay(day: CivilTime, { days, months, weekdays, isAnyDay, isAnyWeekday }: CronFields): boolean {
  if (!months.has(day.month)) return false;
  const isDay = days.has(day.day);
  const isWeekday = weekdays.has(new Date(civilToUtcMs(day)).getUTCDay());
  // As cron has it: where both are limited, one of them suffices.
  return isAnyDay || isAnyWeekday ? isDay && isWeekday : isDay || isWeekday;
}

function listClocks({ hours, minutes }: CronFields): number[] {
  return [...hours].flatMap((hour) => [...minutes].map((minute) => hour * 60 + minute));
}

/** The fields of a cron line, as what they allow. */
interface CronFields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** Sunday is 0. */
  readonly weekdays: ReadonlySet<number>;
  readonly isAnyDay: boolean;
  readonly isAnyWeekday: boolean;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAY_NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Reads the five fields of a cron line: `*`, values, ranges, steps, lists and English names. Null for anything else. */
export function parseCron(text: string): CronFields | null {
  const parts = text.trim().toLowerCase().split(/\s+/u);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  if (parts.length !== 5) return null;
  const minutes = parseField(minute, 0, 59);
  const hours = parseField(hour, 0, 23);
  const days = parseField(day, 1, 31);
  const months = parseField(month, 1, 12, MONTHS);
  const weekdays = parseField(weekday, 0, 7, WEEKDAY_NAMES);
  if (minutes === null || hours === null || days === null || months === null || weekdays === null)
    return null;
  return {
    minutes,
    hours,
    days,
    months,
    weekdays: new Set([...weekdays].map((value) => value % 7)),
    isAnyDay: day.startsWith('*'),
    isAnyWeekday: weekday.startsWith('*'),
  };
}

function parseField(
  text: string,
  min: number,
  max: number,
  names: readonly string[] = [],
): Set<number> | null {
  const values = new Set<number>();
  const toValue = (word: string): number => {
    const place = names.indexOf(word);
    if (place >= 0) return place + min;
    return /^\d{1,2}$/u.test(word) ? Number(word) : NaN;
  };
  for (const part of text.split(',')) {
    const [range = '', step = '1', ...more] = part.split('/');
    const ends = range.split('-');
    const isAny = range === '*';
    const from = isAny ? min : toValue(ends[0] ?? '');
    const openEnd = part.includes('/') ? max : from;
    const to = isAny ? max : ends.length === 1 ? openEnd : toValue(ends[1] ?? '');
    const by = /^\d{1,2}$/u.test(step) ? Number(step) : NaN;
    const isValid =
      from >= min && to <= max && from <= to && by >= 1 && more.length === 0 && ends.length <= 2;
    if (!isValid) return null;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}
