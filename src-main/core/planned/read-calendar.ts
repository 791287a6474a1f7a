import { setImmediate } from 'node:timers/promises';
import type { VEvent } from 'node-ical';
import { AppError } from '../../common/contract/errors.ts';
import {
  DEFAULT_LEFT_OUT,
  MAX_PLANNED_DATES,
  MAX_PLANNED_NAME_CHARACTERS,
  type MonthDay,
  parseDayClock,
  type PlannedDate,
  type PlannedTimeDraft,
  toDayClock,
} from '../../common/model/connections/planned.ts';
import { WEEKDAYS, type Weekday } from '../../common/model/schedules/schedule.ts';
import { isPlainObject } from '../../common/json.ts';
import { civilToUtcMs, fromCivilTime, isTimeZone } from '../../common/time/civil-time.ts';
import { DAY_MS, MINUTE_MS } from '../../common/time/durations.ts';

/** Larger files are calendars of whole companies; a window can't send them either. */
const MAX_CALENDAR_CHARACTERS = 500_000;
const MAX_EVENTS = 2_000;
/** Events that repeat in a way that planned times don't are written out as dates: from so long ago to so far ahead. */
const BACK_MS = 2 * 366 * DAY_MS;
const AHEAD_MS = 3 * 366 * DAY_MS;
const MAX_MINUTES = 28 * 1_440;
/** Writing out the dates of all events may take so long. */
const MAX_WORK_MS = 5_000;

const CODES = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'];

/** Why an event of a calendar is no planned time. */
type LeftOutReason = 'broken' | 'no-end' | 'too-long' | 'too-often' | 'no-date' | 'repeats';

export interface ReadCalendar {
  readonly times: readonly PlannedTimeDraft[];
  readonly leftOut: readonly { readonly name: string; readonly reason: LeftOutReason }[];
}

interface CalendarFile {
  readonly text: string;
  readonly fileName: string;
  /** Of whole days, and of times without a zone. */
  readonly zone: string;
  readonly nowMs: number;
}

/**
 * Reads an iCalendar file: events of whole days become one special time, those with times of day one planned time, and
 * each that repeats weekly or monthly one of its own. Throws `planned.…` where the file can't be used at all.
 */
export async function readCalendar({ text, fileName, zone, nowMs }: CalendarFile): Promise<ReadCalendar> {
  if (text.length > MAX_CALENDAR_CHARACTERS) {
    throw new AppError(
      'planned.calendar-too-large',
      `The calendar has ${text.length} characters; at most ${MAX_CALENDAR_CHARACTERS} are read.`,
      {
        characters: text.length,
        most: MAX_CALENDAR_CHARACTERS,
      },
    );
  }
  const unfolded = text.replace(/\r?\n[ \t]/gu, '');
  if (!/^\uFEFF?\s*BEGIN:VCALENDAR/iu.test(unfolded)) {
    throw new AppError('planned.no-calendar', `${fileName} is no iCalendar file (.ics).`, { fileName });
  }
  const begun = unfolded.match(/^BEGIN:VEVENT/gimu)?.length ?? 0;
  if (begun > MAX_EVENTS) {
    throw new AppError(
      'planned.too-many-events',
      `The calendar has ${begun} events; at most ${MAX_EVENTS} are read.`,
      {
        events: begun,
        most: MAX_EVENTS,
      },
    );
  }
  const groups = groupEvents(unfolded);
  const broken = begun - [...groups.values()].flat().length;
  for (const [uid, group] of [...groups]) {
    const dated = group.flatMap(listOwnDates);
    if (dated.length > MAX_PLANNED_DATES) {
      throw new AppError(
        'planned.too-many-events',
        `An event has ${dated.length} dates; at most ${MAX_PLANNED_DATES} are read.`,
        { events: dated.length, most: MAX_PLANNED_DATES },
      );
    }
    for (const [place, block] of dated.entries()) groups.set(`${uid}#${place}`, [block]);
  }
  const leftOut: { name: string; reason: LeftOutReason }[] = [];
  const whole: PlannedDate[] = [];
  const timed: PlannedDate[] = [];
  const repeated: PlannedTimeDraft[] = [];
  const { sync, expandRecurringEvent } = (await import('node-ical')).default;
  const frame = unfolded.match(/^BEGIN:VTIMEZONE[\s\S]*?^END:VTIMEZONE/gimu) ?? [];
  const startedMs = performance.now();
  for (const group of groups.values()) {
    // A calendar of recurring events takes seconds: others get their turn between them.
    await setImmediate();
    let events: VEvent[];
    try {
      const parsed = sync.parseICS(['BEGIN:VCALENDAR', ...frame, ...group, 'END:VCALENDAR'].join('\r\n'));
      events = Object.values(parsed).filter((one): one is VEvent => one?.type === 'VEVENT');
    } catch {
      leftOut.push({ name: findSummary(group[0] ?? ''), reason: 'repeats' });
      continue;
    }
    for (const event of events) {
      const name = toName(event, fileName);
      const read = readEvent(event, zone);
      if (typeof read === 'string') {
        leftOut.push({ name, reason: read });
        continue;
      }
      const { rrule } = event;
      if (rrule === undefined) {
        (read.isWhole ? whole : timed).push({ from: read.from, to: read.to, name });
        continue;
      }
      const rule = toRule(rrule.options);
      const hasExceptions =
        Object.keys(event.exdate ?? {}).length + Object.keys(event.recurrences ?? {}).length > 0;
      const times = hasExceptions || rule === null ? null : toTimes(rule, read);
      if (times !== null) {
        const untilMs = rule?.until === undefined ? Infinity : rule.until.getTime();
        repeated.push({
          name,
          kind: read.isWhole ? 'special' : 'planned',
          zone: read.zone,
          times,
          firstDay: read.from.slice(0, 10),
          ...(untilMs < nowMs + 100 * 366 * DAY_MS
            ? { lastDay: toDayClock(untilMs, read.zone).slice(0, 10) }
            : {}),
          leftOut: DEFAULT_LEFT_OUT[read.isWhole ? 'special' : 'planned'],
          source: fileName,
        });
        continue;
      }
      if (rule === null || performance.now() - startedMs > MAX_WORK_MS) {
        leftOut.push({ name, reason: rule === null ? 'too-often' : 'repeats' });
        continue;
      }
      try {
        const range = { from: new Date(nowMs - BACK_MS), to: new Date(nowMs + AHEAD_MS) };
        const lengthMs = read.minutes * MINUTE_MS;
        const found = expandRecurringEvent(event, range).map(({ start, end, summary }): PlannedDate => {
          const own = toMoment(start, zone);
          const ownEnd = toMoment(end, zone);
          const endMs = ownEnd > own && read.zone === (start.tz ?? read.zone) ? ownEnd : own + lengthMs;
          const text = typeof summary === 'string' && summary !== '' ? cut(summary) : name;
          return { from: toDayClock(own, zone), to: toDayClock(endMs, zone), name: text };
        });
        if (found.length === 0) leftOut.push({ name, reason: 'no-date' });
        (read.isWhole ? whole : timed).push(...found);
      } catch {
        leftOut.push({ name, reason: 'repeats' });
      }
    }
  }
  for (let count = 0; count < broken; count += 1) leftOut.push({ name: '', reason: 'broken' });
  const times = [
    ...toList('special', whole, { zone, fileName, name: findCalendarName(unfolded) ?? fileName }),
    ...toList('planned', timed, { zone, fileName, name: findCalendarName(unfolded) ?? fileName }),
    ...repeated,
  ];
  if (times.length === 0) {
    throw new AppError('planned.no-events', `${fileName} has no event that can be planned.`, {
      fileName,
      leftOut: leftOut.length,
    });
  }
  return { times, leftOut };
}

/** The events by their identifiers: one that was moved belongs to the event that repeats. */
function groupEvents(text: string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  // What was begun and not ended before the next one is none.
  const blocks = text.match(/^BEGIN:VEVENT\s*$(?:(?!^BEGIN:VEVENT)[\s\S])*?^END:VEVENT\s*$/gimu) ?? [];
  for (const [place, block] of blocks.entries()) {
    const uid = /^UID[^:\r\n]*:(.*)$/imu.exec(block)?.[1]?.trim() ?? `#${place}`;
    groups.set(uid, [...(groups.get(uid) ?? []), block.trim()]);
  }
  return groups;
}

/** `20261225`, `20261225T140000` or `20261225T140000Z`. */
const CALENDAR_DATE = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/u;

/**
 * The dates that an event lists one by one (RDATE), which the library leaves out: each as an event of its own, as long as
 * the event, or as its own period says. One that the event excludes (EXDATE) isn't listed.
 */
function listOwnDates(block: string): string[] {
  const lines = block.split(/\r?\n/u);
  const listOf = (name: string): { parameters: string; value: string }[] =>
    lines.flatMap((line) => {
      const [, parameters = '', values = ''] =
        new RegExp(`^${name}((?:;[^:]*)?):(.*)$`, 'iu').exec(line) ?? [];
      return values === '' ? [] : values.split(',').map((value) => ({ parameters, value: value.trim() }));
    });
  const [first] = listOf('DTSTART');
  const [last] = listOf('DTEND');
  const excluded = listOf('EXDATE').map(({ value }) => value);
  const plain = lines.filter((line) => !/^(?:RDATE|EXDATE|RRULE|RECURRENCE-ID|UID|DTSTART)[;:]/iu.test(line));
  return listOf('RDATE').flatMap(({ parameters, value }, place) => {
    const [from = '', to] = value.split('/');
    if (excluded.includes(from) || from === first?.value) return [];
    const own = parameters.replace(/;VALUE=PERIOD/iu, '');
    const inside = [`UID:listed-${place}`, `DTSTART${own}:${from}`];
    const rest = to === undefined ? plain : plain.filter((line) => !/^(?:DTEND|DURATION)[;:]/iu.test(line));
    if (to !== undefined) inside.push(to.startsWith('P') ? `DURATION:${to}` : `DTEND${own}:${to}`);
    else if (first !== undefined && last !== undefined) {
      const end = moveCalendarDate(from, first.value, last.value);
      if (end === null) return [];
      return [
        toBlock([...rest.filter((line) => !/^DTEND[;:]/iu.test(line)), ...inside, `DTEND${own}:${end}`]),
      ];
    }
    return [toBlock([...rest, ...inside])];
  });
}

/** Puts lines in the place of those of an event. */
function toBlock(lines: readonly string[]): string {
  const inner = lines.filter((line) => !/^(?:BEGIN|END):VEVENT/iu.test(line));
  return ['BEGIN:VEVENT', ...inner, 'END:VEVENT'].join('\r\n');
}

/** A date so much later as one is after another, all by their own clocks; null where one of them is none. */
function moveCalendarDate(text: string, from: string, to: string): string | null {
  const [own, first, last] = [text, from, to].map((date) => {
    const [, year, month, day, hour = 0, minute = 0, second = 0] = CALENDAR_DATE.exec(date) ?? [];
    return Date.UTC(
      Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    );
  });
  const endMs = (own ?? NaN) + (last ?? NaN) - (first ?? NaN);
  if (Number.isNaN(endMs)) return null;
  const written = new Date(endMs).toISOString().replaceAll(/[-:]|\.000/gu, '');
  return text.includes('T') ? written.slice(0, text.endsWith('Z') ? 16 : 15) : written.slice(0, 8);
}

interface ReadEvent {
  readonly from: string;
  readonly to: string;
  readonly minutes: number;
  readonly zone: string;
  readonly isWhole: boolean;
}

/** Reads the first time of an event. Throws `planned.calendar-zone` for a zone that nobody knows. */
function readEvent(event: VEvent, zone: string): ReadEvent | LeftOutReason {
  const { start, end } = event;
  if (!isDate(start)) return 'broken';
  const own = start.tz;
  if (own !== undefined && !isTimeZone(own)) {
    throw new AppError('planned.calendar-zone', `"${toName(event, '')}" has an unknown time zone: ${own}.`, {
      zone: own,
      event: toName(event, ''),
    });
  }
  const isWhole = start.dateOnly === true;
  const startMs = toMoment(start, zone);
  const endMs = isDate(end) ? toMoment(end, zone) : startMs;
  if (end !== undefined && !isDate(end)) return 'broken';
  const lastMs = isWhole && endMs <= startMs ? startMs + DAY_MS : endMs;
  if (lastMs <= startMs) return 'no-end';
  const eventZone = own === undefined || own === 'Etc/UTC' ? (own === undefined ? zone : 'UTC') : own;
  // What is written as a list of dates is in the zone of the list.
  const repeats = event.rrule !== undefined;
  const shown = repeats ? eventZone : zone;
  const [from, to] = [toDayClock(startMs, shown), toDayClock(lastMs, shown)];
  const minutes = (civilToUtcMs(parseDayClock(to)) - civilToUtcMs(parseDayClock(from))) / MINUTE_MS;
  if (minutes > MAX_MINUTES && repeats) return 'too-long';
  if (minutes < 1) return 'no-end';
  return { from, to, minutes, zone: shown, isWhole };
}

type CalendarDate = Date & { readonly tz?: string; readonly dateOnly?: true };

function isDate(value: unknown): value is CalendarDate {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

/** The moment of a date of the library, which writes days and times without a zone by the clock of this computer. */
function toMoment(date: CalendarDate, zone: string): number {
  if (date.tz !== undefined && date.dateOnly !== true) return date.getTime();
  return fromCivilTime(
    {
      year: date.getFullYear(),
      month: date.getMonth() + 1,
      day: date.getDate(),
      hour: date.getHours(),
      minute: date.getMinutes(),
      second: 0,
      millisecond: 0,
    },
    zone,
  );
}

interface RuleOptions {
  readonly freq?: string;
  readonly interval?: number;
  readonly count?: number;
  readonly until?: Date;
  readonly byDay?: readonly string[];
  readonly byMonthDay?: readonly number[];
  readonly [other: string]: unknown;
}

interface Rule {
  readonly freq: string;
  readonly days: readonly string[];
  readonly monthDays: readonly number[];
  readonly until: Date | undefined;
  /** It is more than planned times can say. */
  readonly isOther: boolean;
}

/** Null for one that repeats more often than daily. */
function toRule(options: RuleOptions): Rule | null {
  const { freq = '', interval = 1, count, until, byDay = [], byMonthDay = [] } = options;
  if (!['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'].includes(freq)) return null;
  if (Array.isArray(options['byHour']) || Array.isArray(options['byMinute'])) return null;
  const others = ['byMonth', 'byYearDay', 'byWeekNo', 'bySetPos', 'bySecond', 'rDate'];
  const isOther = interval !== 1 || count !== undefined || others.some((name) => options[name] !== undefined);
  return { freq, days: byDay, monthDays: byMonthDay, until, isOther };
}

function toTimes(
  { freq, days, monthDays, isOther }: Rule,
  event: ReadEvent,
): PlannedTimeDraft['times'] | null {
  if (isOther) return null;
  const { minutes } = event;
  const from = event.from.slice(11);
  const first = parseDayClock(event.from);
  if (freq === 'DAILY' && days.length + monthDays.length === 0)
    return { repeats: 'weekly', weekdays: [...WEEKDAYS], from, minutes };
  if (freq === 'WEEKLY' && monthDays.length === 0) {
    const own = WEEKDAYS[(new Date(civilToUtcMs(first)).getUTCDay() + 6) % 7];
    const weekdays = days.length === 0 ? [own] : days.map(toWeekday);
    if (!weekdays.every((day) => day !== undefined)) return null;
    return { repeats: 'weekly', weekdays: WEEKDAYS.filter((day) => weekdays.includes(day)), from, minutes };
  }
  const on = freq === 'MONTHLY' ? toMonthDay(days, monthDays, first.day) : null;
  return on === null ? null : { repeats: 'monthly', on, from, minutes };
}

function toMonthDay(
  days: readonly string[],
  monthDays: readonly number[],
  firstDay: number,
): MonthDay | null {
  if (days.length === 1 && monthDays.length === 0) {
    const [, nth = '', code = ''] = /^([1-5]|-1)([a-z]{2})$/iu.exec(days[0] ?? '') ?? [];
    const weekday = toWeekday(code);
    return weekday === undefined ? null : { nth: nth === '-1' ? 'last' : Number(nth), weekday };
  }
  if (days.length > 0 || monthDays.length > 1) return null;
  const day = monthDays[0] ?? firstDay;
  if (day === -1) return { day: 'last' };
  return day >= 1 ? { day } : null;
}

function toWeekday(code: string): Weekday | undefined {
  return WEEKDAYS[CODES.indexOf(code.toLowerCase())];
}

function toList(
  kind: 'planned' | 'special',
  dates: readonly PlannedDate[],
  { zone, fileName, name }: { readonly zone: string; readonly fileName: string; readonly name: string },
): PlannedTimeDraft[] {
  if (dates.length === 0) return [];
  if (dates.length > MAX_PLANNED_DATES) {
    throw new AppError(
      'planned.too-many-events',
      `The calendar has ${dates.length} dates; at most ${MAX_PLANNED_DATES} are kept.`,
      {
        events: dates.length,
        most: MAX_PLANNED_DATES,
      },
    );
  }
  const sorted = dates.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return [
    {
      name: cut(name),
      kind,
      zone,
      times: { repeats: 'dates', dates: sorted },
      leftOut: DEFAULT_LEFT_OUT[kind],
      source: fileName,
    },
  ];
}

function findCalendarName(text: string): string | null {
  const name = /^X-WR-CALNAME[^:\r\n]*:(.+)$/imu.exec(text)?.[1]?.replace(/\\(.)/gu, '$1').trim();
  return name === undefined || name === '' ? null : name;
}

function findSummary(block: string): string {
  return cut(/^SUMMARY[^:\r\n]*:(.+)$/imu.exec(block)?.[1]?.trim() ?? '');
}

function toName({ summary }: { readonly summary: unknown }, fileName: string): string {
  // With parameters, such as its language, it is an object.
  const text = isPlainObject(summary) ? summary['val'] : summary;
  const name = typeof text === 'string' ? text.replace(/\s+/gu, ' ').trim() : '';
  return cut(name === '' ? fileName : name);
}

function cut(text: string): string {
  return text.slice(0, MAX_PLANNED_NAME_CHARACTERS);
}
