import {
  civilToUtcMs,
  daysInMonth,
  fromCivilTime,
  isRealCivilTime,
  utcMsToCivil,
} from '../../time/civil-time.ts';
import { DAY_MS, MINUTE_MS } from '../../time/durations.ts';

const ISO_LIKE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)? ?(Z|[-+]\d{2}(?::?\d{2})?)?)?$/i;
const DOTNET = /^\/Date\((-?\d{1,17})(?:[-+]\d{4})?\)\/$/;
const ZONE_BLOCK_MS = 15 * MINUTE_MS;
/** Numbers below this are seconds, the others milliseconds. Read as milliseconds it is in 1973, as seconds in 5138. */
const SECONDS_BELOW = 100_000_000_000;
/** Below, a number is no time at all but, say, a date written as 20261120. */
const EPOCH_MIN_SECONDS = 100_000_000;
/** The year 2200; above, digits are a date written without marks, or ticks. */
const EPOCH_MAX_MS = 7_258_118_400_000;

/** Reads what a service wrote as a date: epoch milliseconds, or null. */
type DateReader = (value: unknown) => number | null;

/**
 * A reader of dates in any of the forms of decision 3; those without a zone are in the given one. Never
 * goes through text parsing of Date: a date that does not exist is null, not the day after. Throws
 * RangeError for an unknown zone.
 */
export function createDateReader(zone: string): DateReader {
  const toInstant = createZoneShift(zone);
  return (value) => {
    if (typeof value === 'string') {
      return readExactIso(value) ?? readDateText(value.trim(), toInstant);
    }
    return typeof value === 'number' ? readEpoch(value) : null;
  };
}

/** One date in any of the forms of decision 3: epoch milliseconds, or null. See createDateReader. */
export function readDate(value: unknown, zone: string): number | null {
  return createDateReader(zone)(value);
}

/** True for the ways of writing "no date": nothing, zero, and the first day of the year 1 (.NET's default). */
export function isEmptyDate(value: unknown): boolean {
  if (value === undefined || value === null || value === 0) return true;
  if (typeof value !== 'string') return false;
  return /^\s*(0001-01-01.*|0|\/Date\(-62135\d{9}([-+]\d{4})?\)\/)?\s*$/.test(value);
}

/**
 * Reads the form that nearly every record has, `2026-11-20T10:15:30.123Z`, without a regular expression: epoch
 * milliseconds, which say what the text does; null for any other form and for a date that does not exist.
 */
export function readExactIso(text: string): number | null {
  if (text.length !== 24 || text.charCodeAt(23) !== 90 || text.charCodeAt(10) !== 84) return null;
  if (text[4] !== '-' || text[7] !== '-' || text[13] !== ':' || text[16] !== ':' || text[19] !== '.')
    return null;
  const year = readTwo(text, 0) * 100 + readTwo(text, 2);
  const month = readTwo(text, 5);
  const day = readTwo(text, 8);
  const hour = readTwo(text, 11);
  const minute = readTwo(text, 14);
  const second = readTwo(text, 17);
  const millisecond = readTwo(text, 20) * 10 + readTwo(text, 21) - Math.floor(readTwo(text, 21) / 10) * 10;
  // A character that is no digit makes its sum NaN, which no comparison lets through.
  const isReal =
    year > 1 && month >= 1 && month <= 12 && day >= 1 && hour <= 23 && minute <= 59 && second <= 59;
  if (!isReal || !(millisecond >= 0) || day > daysInMonth(year, month)) return null;
  const seconds = (toDayNumber(year, month, day) * 24 + hour) * 3600 + minute * 60 + second;
  return seconds * 1000 + millisecond;
}

function readTwo(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March. */
function toDayNumber(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function readDateText(text: string, toInstant: (asUtcMs: number) => number): number | null {
  const match = ISO_LIKE.exec(text);
  if (match === null) {
    const dotnet = DOTNET.exec(text);
    if (dotnet !== null) return isEmptyDate(text) ? null : toValidInstant(Number(dotnet[1]));
    return /^\d{9,13}(\.\d+)?$/.test(text) ? readEpoch(Number(text)) : null;
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? 0));
  // Digits beyond milliseconds are cut: rounding could move a record into the next day.
  const millisecond = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const civil = { year, month, day, hour, minute, second, millisecond };
  if (!isRealCivilTime(civil) || (year === 1 && month === 1 && day === 1)) return null;
  const asUtcMs = civilToUtcMs(civil);
  const zone = match[8];
  if (zone === undefined) return toInstant(asUtcMs);
  const offsetMs = readOffset(zone);
  return offsetMs === null ? null : asUtcMs - offsetMs;
}

function readOffset(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', ''));
  if (hours > 18 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

function readEpoch(value: number): number | null {
  if (!(value >= EPOCH_MIN_SECONDS)) return null;
  const epochMs = Math.round(value < SECONDS_BELOW ? value * 1000 : value);
  return epochMs < EPOCH_MAX_MS ? epochMs : null;
}

function toValidInstant(epochMs: number): number | null {
  return Math.abs(epochMs) <= 100_000_000 * DAY_MS ? epochMs : null;
}

/** From a civil time taken as UTC to its instant in a zone; asks the zone once for each quarter of an hour. */
function createZoneShift(zone: string): (asUtcMs: number) => number {
  const shiftAt = (asUtcMs: number): number => fromCivilTime(utcMsToCivil(asUtcMs), zone) - asUtcMs;
  let blockStart = Number.NaN;
  let blockShift = 0;
  shiftAt(0);
  return (asUtcMs) => {
    if (zone === 'UTC') return asUtcMs;
    const start = Math.floor(asUtcMs / ZONE_BLOCK_MS) * ZONE_BLOCK_MS;
    if (start !== blockStart) {
      const shift = shiftAt(start);
      // Clocks move on quarters; where one ever moved inside of a quarter, each time is asked for.
      if (shift !== shiftAt(start + ZONE_BLOCK_MS - 1)) return asUtcMs + shiftAt(asUtcMs);
      blockStart = start;
      blockShift = shift;
    }
    return asUtcMs + blockShift;
  };
}

/** Orders in which spreadsheets and people write the parts of a date. */
export const DATE_ORDERS = ['day-month', 'month-day', 'year-month'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const FORM =
  /^(\d{1,4})([./-])\s?(\d{1,2})\2\s?(\d{1,4})\.?(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?\s?m\.?)?(?:\s*(Z|UTC|GMT|[-+]\d{2}(?::?\d{2})?))?)?$/iu;

/** What a text says as a date in one order: its ISO form, and whether it names seconds. */
interface SpreadsheetDate {
  readonly iso: string;
  readonly hasSeconds: boolean;
}

/**
 * Reads a date as a spreadsheet writes it in the local form of its user, such as `20.11.2026 10:00:00` or
 * `11/20/2026 10:00 PM`, its parts in this order; null for any other text and for a date that doesn't exist. Nobody
 * writes the month first where dots separate the parts, nor a year of two digits.
 */
export function readSpreadsheetDate(text: string, order: DateOrder): SpreadsheetDate | null {
  const match = FORM.exec(text.trim());
  if (match === null) return null;
  const [
    ,
    first = '',
    mark,
    second = '',
    third = '',
    hours,
    minutes = '00',
    seconds,
    fraction = '',
    half,
    at,
  ] = match;
  if (order === 'month-day' && mark === '.') return null;
  const isYear = first.length === 4 || (first.length === 2 && third.length <= 2 && mark !== '.');
  if (order === 'year-month' ? !isYear : first.length > 2) return null;
  const [year, month, day] = {
    'day-month': [third, second, first],
    'month-day': [third, first, second],
    'year-month': [first, second, third],
  }[order] as [string, string, string];
  if ((year.length !== 4 && year.length !== 2) || day.length > 2) return null;
  const hour = toHour(Number(hours ?? 0), half);
  const zone = at === undefined || /^[-+]/.test(at) ? (at ?? '') : 'Z';
  if (hour === null || (zone !== '' && readOffset(zone) === null)) return null;
  const civil = {
    year: Number(year.length === 2 ? `20${year}` : year),
    month: Number(month),
    day: Number(day),
    hour,
    minute: Number(minutes),
    second: Number(seconds ?? 0),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, '0')),
  };
  if (!isRealCivilTime(civil)) return null;
  const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
  const date = `${pad(civil.year, 4)}-${pad(civil.month)}-${pad(civil.day)}`;
  const time = `${pad(hour)}:${pad(civil.minute)}:${pad(civil.second)}.${pad(civil.millisecond, 3)}`;
  return { iso: `${date}T${time}${zone}`, hasSeconds: seconds !== undefined };
}

/** The hour of 24; null for one that a clock of twelve hours doesn't show. */
function toHour(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** The orders in which all texts of a file that look like a spreadsheet's dates can be read. */
export interface FoundOrders {
  readonly orders: readonly DateOrder[];
  /** Texts that are a date in at least one order, and those in none. */
  readonly readCount: number;
  readonly unreadCount: number;
  /** The first of each; null where there is none. */
  readonly sample: string | null;
  readonly unreadSample: string | null;
  readonly hasSeconds: boolean;
}

/** Collects how the dates of a file are written. One day above 12 among them settles which part is the month. */
export function createOrderFinder() {
  const counts = new Map<DateOrder, number>();
  let readCount = 0;
  let unreadCount = 0;
  let sample: string | null = null;
  let unreadSample: string | null = null;
  let hasSeconds = true;
  return {
    /** Returns the ISO form of the text by each order in which it is a date. */
    add(text: string): ReadonlyMap<DateOrder, string> {
      const forms = new Map<DateOrder, string>();
      for (const order of DATE_ORDERS) {
        const date = readSpreadsheetDate(text, order);
        if (date === null) continue;
        forms.set(order, date.iso);
        counts.set(order, (counts.get(order) ?? 0) + 1);
        hasSeconds &&= date.hasSeconds;
      }
      if (forms.size > 0) {
        readCount += 1;
        sample ??= text;
      } else {
        unreadCount += 1;
        unreadSample ??= text;
      }
      return forms;
    },
    find(): FoundOrders {
      const orders = DATE_ORDERS.filter((order) => readCount > 0 && counts.get(order) === readCount);
      return { orders, readCount, unreadCount, sample, unreadSample, hasSeconds };
    },
  };
}
