import type { DeprecationSigns } from '../../src-main/common/model/analysis/deprecation-match.ts';
import {
  civilToUtcMs,
  daysInMonth,
  isRealCivilTime,
  utcMsToCivil,
} from '../../src-main/common/time/civil-time.ts';
import { DAY_MS } from '../../src-main/common/time/durations.ts';

type DateOrder = 'month-first' | 'day-first';

/** One way to read a date; `dayMs` is its midnight in UTC. */
interface DateReading {
  readonly order: DateOrder;
  readonly dayMs: number;
}

/** A date as it was written, with every way to read it. The text is never reformatted. */
export type GivenDate =
  | { readonly kind: 'clear'; readonly text: string; readonly readings: readonly [DateReading] }
  | {
      readonly kind: 'ambiguous';
      readonly text: string;
      readonly readings: readonly [DateReading, DateReading];
    }
  | {
      readonly kind: 'impossible';
      readonly text: string;
      readonly readings: readonly [];
      /** The month that the text names and its days, where one of its numbers can be a month. */
      readonly month: { readonly number: number; readonly days: number } | null;
    };

/** Reads a date of two numbers and a year in both orders (decision 25). */
export function readGivenDate(text: string): GivenDate {
  const parts = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$/.exec(text.trim());
  if (parts === null) return { kind: 'impossible', text, readings: [], month: null };
  const [first, second, year] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const monthFirst = tryRead('month-first', year, first, second);
  const dayFirst = tryRead('day-first', year, second, first);
  if (monthFirst !== null && dayFirst !== null) {
    return monthFirst.dayMs === dayFirst.dayMs
      ? { kind: 'clear', text, readings: [monthFirst] }
      : { kind: 'ambiguous', text, readings: [monthFirst, dayFirst] };
  }
  const only = monthFirst ?? dayFirst;
  if (only !== null) return { kind: 'clear', text, readings: [only] };
  const month = [second, first].find((number) => number >= 1 && number <= 12);
  return {
    kind: 'impossible',
    text,
    readings: [],
    month: month === undefined ? null : { number: month, days: daysInMonth(year, month) },
  };
}

/** Returns the order that the other date of the same row proves, or null. */
export function findRowOrder(date: GivenDate, other: GivenDate): DateOrder | null {
  if (date.kind !== 'ambiguous' || other.kind !== 'clear') return null;
  const [first, second] = other.text.split(/[/-]/);
  // The same number twice reads the same in both orders.
  return first === second ? null : other.readings[0].order;
}

function tryRead(order: DateOrder, year: number, month: number, day: number): DateReading | null {
  const civil = { year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0 };
  return isRealCivilTime(civil) ? { order, dayMs: civilToUtcMs(civil) } : null;
}

/** One row of the announcements, its dates as they were written. */
interface Announcement {
  readonly id: string;
  readonly functionality: string;
  readonly announced: string;
  readonly applicableFrom: string;
  readonly effect: string;
  readonly action: string;
  /** Days that the row's text names, as YYYY-MM-DD. */
  readonly datesInText: readonly string[];
  /** What records show that use it, as far as the announcement says; empty where they can't. */
  readonly signs: DeprecationSigns;
}

export interface Deprecation {
  readonly announcement: Announcement;
  readonly announced: GivenDate;
  readonly announcedOrder: DateOrder | null;
  readonly applicable: GivenDate;
  readonly applicableOrder: DateOrder | null;
  /** Days of the text, at midnight in UTC. */
  readonly textDaysMs: readonly number[];
  /** `undecided`: in effect under one reading only. */
  readonly state: 'in-effect' | 'upcoming' | 'undecided';
  /** The last day on which it can have begun. */
  readonly latestStartMs: number | null;
}

/** Reads every announcement as of a day. In place of an impossible date, the days that the text names count. */
export function readDeprecations(announcements: readonly Announcement[], todayMs: number): Deprecation[] {
  return announcements.map((announcement) => {
    const announced = readGivenDate(announcement.announced);
    const applicable = readGivenDate(announcement.applicableFrom);
    const textDaysMs = announcement.datesInText.map((day) => Date.parse(`${day}T00:00:00Z`));
    const starts = startDays(applicable, textDaysMs);
    return {
      announcement,
      announced,
      announcedOrder: findRowOrder(announced, applicable),
      applicable,
      applicableOrder: findRowOrder(applicable, announced),
      textDaysMs,
      state: toState(starts, todayMs),
      latestStartMs: starts.length === 0 ? null : Math.max(...starts),
    };
  });
}

/** Returns the days on which it can begin: each reading, or the first day that the text names. */
function startDays(applicable: GivenDate, textDaysMs: readonly number[]): number[] {
  return applicable.kind === 'impossible'
    ? textDaysMs.slice(0, 1)
    : applicable.readings.map((reading) => reading.dayMs);
}

/** Returns the whole years and months between two days, by the UTC calendar. */
export function countMonths(fromMs: number, toMs: number): { years: number; months: number } {
  const from = utcMsToCivil(fromMs);
  const to = utcMsToCivil(toMs);
  const whole = (to.year - from.year) * 12 + to.month - from.month - (to.day < from.day ? 1 : 0);
  const months = Math.max(0, whole);
  return { years: Math.floor(months / 12), months: months % 12 };
}

function toState(starts: readonly number[], todayMs: number): Deprecation['state'] {
  if (starts.length === 0) return 'undecided';
  if (starts.every((day) => day <= todayMs)) return 'in-effect';
  return starts.every((day) => day > todayMs) ? 'upcoming' : 'undecided';
}

const MARGIN_DAYS = 30;

/** Places are shares from 0 to 1 of the timeline's width. */
interface TimelineRow {
  readonly id: string;
  readonly announced: readonly number[];
  readonly applicable: readonly number[];
  /** Taken from the text because the written date is impossible. */
  readonly fromText: number | null;
  readonly lineFrom: number;
  readonly lineTo: number;
}

interface Timeline {
  readonly rows: readonly TimelineRow[];
  readonly years: readonly { readonly year: number; readonly at: number }[];
  readonly today: number;
}

/** Places the announcements from the first date to today, or to the last date when that is later. */
export function placeTimeline(deprecations: readonly Deprecation[], todayMs: number): Timeline {
  const days = deprecations.flatMap((item) => [...announcedDays(item), ...startsOf(item)]);
  const fromMs = Math.min(todayMs, ...days) - MARGIN_DAYS * DAY_MS;
  const toMs = Math.max(todayMs, ...days) + MARGIN_DAYS * DAY_MS;
  const place = (dayMs: number): number => (dayMs - fromMs) / (toMs - fromMs);
  const firstYear = new Date(fromMs).getUTCFullYear() + 1;
  const lastYear = new Date(toMs).getUTCFullYear();
  const years = Array.from({ length: lastYear - firstYear + 1 }, (_, index) => {
    return { year: firstYear + index, at: place(Date.UTC(firstYear + index, 0, 1)) };
  });
  return {
    rows: deprecations.map((item) => toRow(item, place)),
    years,
    today: place(todayMs),
  };
}

function toRow(item: Deprecation, place: (dayMs: number) => number): TimelineRow {
  const announced = announcedDays(item).map(place).sort(ascending);
  const starts = startsOf(item).map(place).sort(ascending);
  const isImpossible = item.applicable.kind === 'impossible';
  return {
    id: item.announcement.id,
    announced,
    applicable: isImpossible ? [] : starts,
    fromText: isImpossible ? (starts[0] ?? null) : null,
    lineFrom: announced[0] ?? starts[0] ?? 0,
    lineTo: starts.at(-1) ?? announced.at(-1) ?? 0,
  };
}

function announcedDays(item: Deprecation): number[] {
  return item.announced.readings.map((reading) => reading.dayMs);
}

function startsOf(item: Deprecation): number[] {
  return startDays(item.applicable, item.textDaysMs);
}

function ascending(a: number, b: number): number {
  return a - b;
}
