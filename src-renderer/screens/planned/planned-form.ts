import {
  DEFAULT_LEFT_OUT,
  findPlannedFault,
  type MonthDay,
  type PlannedDate,
  type PlannedSuggestion,
  type PlannedTime,
  type PlannedTimeDraft,
  type PlannedTimes,
  toDayClock,
} from '../../../src-main/common/model/connections/planned.ts';
import type { Weekday } from '../../../src-main/common/model/schedules/schedule.ts';
import { DAY_MS, HOUR_MS } from '../../../src-main/common/time/durations.ts';
import { useI18n } from 'vue-i18n';
import { formatCount, formatSpan } from '../../format/formats.ts';
import { useNames } from '../../names/use-names.ts';

const DAY_MINUTES = 1_440;
/** More digits are no number of minutes, channel or service. */
const NUMBER = /^-?\d{1,9}$/u;

type Repeats = PlannedTimes['repeats'];
export const REPEATS: readonly Repeats[] = ['dates', 'weekly', 'monthly', 'cron'];
/** How the day of a month is chosen. */
export const MONTH_WAYS = ['day', 'last-day', 'last-working-day', 'weekday'] as const;

/** A planned time as it is typed. */
interface PlannedFields {
  name: string;
  kind: PlannedTime['kind'];
  repeats: Repeats;
  /** One date a line. */
  dates: string;
  weekdays: Weekday[];
  monthWay: (typeof MONTH_WAYS)[number];
  monthDay: string;
  nth: string;
  weekday: Weekday;
  from: string;
  to: string;
  cron: string;
  minutes: string;
  zone: string;
  firstDay: string;
  lastDay: string;
  channels: string;
  services: string;
  leftOut: PlannedTime['leftOut'];
}

export type FieldFault =
  | 'name'
  | 'dates'
  | 'weekdays'
  | 'monthDay'
  | 'clock'
  | 'cron'
  | 'minutes'
  | 'days'
  | 'places'
  | 'zone';

/** Returns the fields of a planned time; those of a new one are for a maintenance once a week. */
export function toFields(time: PlannedTimeDraft | null, zone: string): PlannedFields {
  const times = time?.times;
  const on = times?.repeats === 'monthly' ? times.on : null;
  const from = times !== undefined && 'from' in times ? times.from : '21:00';
  const minutes = times !== undefined && 'minutes' in times ? times.minutes : 180;
  return {
    name: time?.name ?? '',
    kind: time?.kind ?? 'planned',
    repeats: times?.repeats ?? 'weekly',
    dates: times?.repeats === 'dates' ? times.dates.map(writeDate).join('\n') : '',
    weekdays: times?.repeats === 'weekly' ? [...times.weekdays] : ['thursday'],
    monthWay:
      on === null || ('day' in on && on.day !== 'last')
        ? 'day'
        : 'day' in on
          ? 'last-day'
          : 'workingDay' in on
            ? 'last-working-day'
            : 'weekday',
    monthDay: on !== null && 'day' in on && on.day !== 'last' ? String(on.day) : '1',
    nth: on !== null && 'nth' in on ? String(on.nth) : '1',
    weekday: on !== null && 'nth' in on ? on.weekday : 'monday',
    from,
    to: addMinutes(from, minutes),
    cron: times?.repeats === 'cron' ? times.cron : '0 2 * * 0',
    minutes: String(minutes),
    zone: time?.zone ?? zone,
    firstDay: time?.firstDay ?? '',
    lastDay: time?.lastDay ?? '',
    channels: time?.channels?.join(', ') ?? '',
    services: time?.services?.join(', ') ?? '',
    leftOut: { ...(time?.leftOut ?? DEFAULT_LEFT_OUT.planned) },
  };
}

/** True where the length is typed in minutes: a cron line has no end, and an end can't say more than a day. */
export function hasLength({ repeats, minutes }: Pick<PlannedFields, 'repeats' | 'minutes'>): boolean {
  return repeats === 'cron' || (repeats !== 'dates' && Number(minutes) > DAY_MINUTES);
}

/** Reads what was typed, or says which field is at fault. */
export function readFields(fields: PlannedFields): PlannedTimeDraft | FieldFault {
  const { kind, zone, leftOut } = fields;
  const name = fields.name.trim();
  if (name === '') return 'name';
  const times = readTimes(fields);
  if (typeof times === 'string') return times;
  const [channels, services] = [readNumbers(fields.channels), readNumbers(fields.services)];
  if (channels === null || services === null) return 'places';
  const [firstDay, lastDay] = [fields.firstDay.trim(), fields.lastDay.trim()];
  const draft: PlannedTimeDraft = {
    name: name.slice(0, 80),
    kind,
    zone,
    times,
    leftOut,
    ...(firstDay === '' || times.repeats === 'dates' ? {} : { firstDay }),
    ...(lastDay === '' || times.repeats === 'dates' ? {} : { lastDay }),
    ...(channels.length === 0 ? {} : { channels }),
    ...(services.length === 0 ? {} : { services }),
  };
  if (![firstDay, lastDay].every((day) => day === '' || /^\d{4}-\d\d-\d\d$/u.test(day))) return 'days';
  const fault = findPlannedFault(draft);
  if (fault === null) return draft;
  if (fault === 'zone' || fault === 'cron') return fault;
  return times.repeats === 'dates' && fault !== 'days' ? 'dates' : 'days';
}

function readTimes(fields: PlannedFields): PlannedTimes | FieldFault {
  const { repeats } = fields;
  if (repeats === 'dates') {
    const lines = fields.dates.split('\n').filter((line) => line.trim() !== '');
    const dates = lines.map(readDate);
    return dates.length === 0 || dates.length > 1_000 || !dates.every((date) => date !== null)
      ? 'dates'
      : { repeats, dates };
  }
  const from = readClock(fields.from);
  const to = readClock(fields.to);
  const length = NUMBER.test(fields.minutes.trim()) ? Number(fields.minutes) : 0;
  const isTyped = hasLength(fields);
  if (isTyped && (length < 1 || length > 28 * DAY_MINUTES)) return 'minutes';
  if (repeats === 'cron') return { repeats, cron: fields.cron.trim().replace(/\s+/gu, ' '), minutes: length };
  if (from === null || from >= DAY_MINUTES || to === null) return 'clock';
  const minutes = isTyped ? length : to > from ? to - from : to - from + DAY_MINUTES;
  const clock = writeClock(from);
  if (repeats === 'weekly') {
    if (fields.weekdays.length === 0) return 'weekdays';
    return { repeats, weekdays: fields.weekdays, from: clock, minutes };
  }
  const on = readMonthDay(fields);
  return on === null ? 'monthDay' : { repeats, on, from: clock, minutes };
}

function readMonthDay({ monthWay, monthDay, nth, weekday }: PlannedFields): MonthDay | null {
  if (monthWay === 'last-day') return { day: 'last' };
  if (monthWay === 'last-working-day') return { workingDay: 'last' };
  if (monthWay === 'weekday') return { nth: nth === 'last' ? 'last' : Number(nth), weekday };
  const day = NUMBER.test(monthDay.trim()) ? Number(monthDay) : 0;
  return day >= 1 && day <= 31 ? { day } : null;
}

/** Reads `2026-12-25 Christmas`, or `2026-12-24 14:00 – 2026-12-25 00:00 Christmas Eve`; null for anything else. */
export function readDate(line: string): PlannedDate | null {
  const found =
    /^\s*(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?(?:\s*[–-]\s*(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?)?(?:\s+(.*\S))?\s*$/u.exec(
      line,
    );
  if (found === null) return null;
  const [, first = '', from, last, to, name] = found;
  if ((from === undefined) !== (to === undefined)) return null;
  const own = name === undefined ? {} : { name: name.slice(0, 80) };
  if (from !== undefined) return { from: `${first}T${from}`, to: `${last ?? first}T${to ?? ''}`, ...own };
  const next = Date.parse(`${last ?? first}T00:00:00Z`) + DAY_MS;
  if (Number.isNaN(next)) return null;
  return { from: `${first}T00:00`, to: `${new Date(next).toISOString().slice(0, 10)}T00:00`, ...own };
}

function writeDate({ from, to, name }: PlannedDate): string {
  const words = name === undefined ? '' : ` ${name}`;
  const isWhole = from.endsWith('T00:00') && to.endsWith('T00:00');
  if (!isWhole) return `${from.replace('T', ' ')} – ${to.replace('T', ' ')}${words}`;
  const last = new Date(Date.parse(`${to.slice(0, 10)}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10);
  return `${from.slice(0, 10)}${last === from.slice(0, 10) ? '' : ` – ${last}`}${words}`;
}

function readNumbers(text: string): number[] | null {
  const words = text.split(/[\s,;]+/u).filter((word) => word !== '');
  const numbers = [...new Set(words.map(Number))];
  return words.every((word) => NUMBER.test(word)) && numbers.length <= 50 ? numbers : null;
}

function readClock(text: string): number | null {
  const [, hour = '', minute = ''] = /^\s*(\d{1,2}):(\d\d)\s*$/u.exec(text) ?? [];
  const value = Number(hour) * 60 + Number(minute);
  return hour === '' || Number(minute) > 59 || value > DAY_MINUTES ? null : value;
}

function addMinutes(clock: string, minutes: number): string {
  return writeClock(((readClock(clock) ?? 0) + minutes) % DAY_MINUTES);
}

function writeClock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}

/** Says when planned times are, and what of them is left out. */
export function usePlannedWords() {
  const { t } = useI18n();
  const names = useNames();
  const toEnd = (from: string, minutes: number): string => {
    const [hour = 0, minute = 0] = from.split(':').map(Number);
    return toDayClock((hour * 60 + minute + minutes) * 60_000, 'UTC').slice(11);
  };
  const toClocks = ({ from, minutes }: { readonly from: string; readonly minutes: number }): string =>
    minutes < 1_440 ? `${from} – ${toEnd(from, minutes)}` : `${from}, ${formatSpan(minutes * 60_000)}`;
  const toWhen = (times: PlannedTimes): string => {
    if (times.repeats === 'dates') {
      const [first] = times.dates;
      if (times.dates.length > 1 || first === undefined)
        return t('planned.when.dates', { count: formatCount(times.dates.length) }, times.dates.length);
      return `${first.from.replace('T', ' ')} – ${first.to.replace('T', ' ')}`;
    }
    if (times.repeats === 'cron') return `${times.cron}, ${formatSpan(times.minutes * 60_000)}`;
    if (times.repeats === 'weekly') {
      const days = times.weekdays.map((day) => t(`planned.weekdays.${day}`)).join(', ');
      return t('planned.when.weekly', { days, clocks: toClocks(times) });
    }
    const { on } = times;
    const day =
      'workingDay' in on
        ? t('planned.monthWays.last-working-day')
        : 'nth' in on
          ? t('planned.when.nth', {
              nth: t(`planned.nth.${on.nth}`),
              weekday: t(`planned.weekdays.${on.weekday}`),
            })
          : on.day === 'last'
            ? t('planned.monthWays.last-day')
            : t('planned.when.day', { day: on.day });
    return t('planned.when.monthly', { day, clocks: toClocks(times) });
  };
  const toWhere = ({ channels, services }: PlannedTime): string => {
    const parts = [
      channels === undefined
        ? ''
        : t('planned.where.channels', {
            list: channels.map((one) => names.toText('channel', one)).join(', '),
          }),
      services === undefined
        ? ''
        : t('planned.where.services', {
            list: services.map((one) => names.toText('service', one)).join(', '),
          }),
    ].filter((part) => part !== '');
    return parts.length === 0 ? t('planned.where.all') : parts.join(', ');
  };
  const toEffect = ({ leftOut }: PlannedTime): string => {
    const parts = [
      leftOut.findings ? t('planned.effects.findings') : '',
      leftOut.uptime ? t('planned.effects.uptime') : '',
      t(`planned.effects.${leftOut.alerts}`),
    ].filter((part) => part !== '');
    return parts.join(', ');
  };
  const toSuggestion = (one: PlannedSuggestion): string => {
    const words = {
      count: formatCount(one.spans.length),
      weekday: t(`planned.weekdays.${one.weekday}`),
      from: one.from,
      to: toEnd(one.from, one.minutes),
    };
    return one.channel === undefined
      ? t('planned.suggestion.all', words, one.spans.length)
      : t(
          'planned.suggestion.channel',
          { ...words, channel: names.toText('channel', one.channel) },
          one.spans.length,
        );
  };
  const toNext = (fromMs: number, nowMs: number): string =>
    fromMs <= nowMs
      ? t('planned.now')
      : t('planned.in', { span: formatSpan(Math.max(HOUR_MS / 60, fromMs - nowMs)) });
  return { toWhen, toWhere, toEffect, toSuggestion, toNext };
}
