import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';

/** The last and, as a negative number, the first instant that a Date can be; clocks show up to a day beyond. */
const LAST_DATE_MS = 8_640_000_000_000_000;
/** The calendar repeats itself after so many years. */
const CYCLE_YEARS = 400;
const CYCLE_MS = 146_097 * DAY_MS;
/** Years up to this one lie within the limits of a Date. */
const LAST_WHOLE_YEAR = 271_000;

/** A date and time of day with no zone attached. Months and days count from 1. */
export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/** Days of a month of the Gregorian calendar. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** True when every field is in range and the day exists; a leap second does not. */
export function isRealCivilTime(time: CivilTime): boolean {
  return (
    time.year >= 1 &&
    time.year <= 9999 &&
    time.month >= 1 &&
    time.month <= 12 &&
    time.day >= 1 &&
    time.day <= daysInMonth(time.year, time.month) &&
    time.hour <= 23 &&
    time.minute <= 59 &&
    time.second <= 59 &&
    time.millisecond <= 999
  );
}

/** Milliseconds since 1970 of a civil time taken as UTC. Never goes through text parsing. */
export function civilToUtcMs(time: CivilTime): number {
  const date = new Date(0);
  const cycles = Math.abs(time.year) > LAST_WHOLE_YEAR ? -Math.sign(time.year) : 0;
  // setUTCFullYear, unlike Date.UTC, takes the years 1 to 99 at their word.
  date.setUTCFullYear(time.year + cycles * CYCLE_YEARS, time.month - 1, time.day);
  return date.setUTCHours(time.hour, time.minute, time.second, time.millisecond) - cycles * CYCLE_MS;
}

/** The civil time that a UTC clock shows at this instant. */
export function utcMsToCivil(epochMs: number): CivilTime {
  // Beyond the limits of a Date its clock is that of four hundred years earlier or later.
  const cycles = Math.abs(epochMs) > LAST_DATE_MS ? -Math.sign(epochMs) : 0;
  const date = new Date(epochMs + cycles * CYCLE_MS);
  return {
    year: date.getUTCFullYear() - cycles * CYCLE_YEARS,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
  };
}

/** 2 January of the year 1 in UTC: in no zone a day of the year before. */
const YEAR_ONE_MS = -62_135_510_400_000;
/** The runtime knows no instant beyond the limits of a Date, though days around one may be asked for. */
const LAST_KNOWN_MS = LAST_DATE_MS - 2 * DAY_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}

/** True for an IANA zone name or a fixed offset such as `-05:00` that this runtime knows. */
export function isTimeZone(zone: string): boolean {
  // A format takes 30 ms of a start; the list of zones has no other names of one, and no offsets.
  if (zone === 'UTC' || Intl.supportedValuesOf('timeZone').includes(zone)) return true;
  try {
    formatFor(zone);
    return true;
  } catch {
    return false;
  }
}

/** The civil time that a clock in the zone shows at this instant. Throws RangeError for an unknown zone. */
export function toCivilTime(epochMs: number, zone: string): CivilTime {
  if (zone === 'UTC') return utcMsToCivil(epochMs);
  // The runtime counts the years before 1 backwards, without a sign.
  if (epochMs < YEAR_ONE_MS) return utcMsToCivil(epochMs + toOffsetMs(YEAR_ONE_MS, zone));
  if (epochMs > LAST_KNOWN_MS) return utcMsToCivil(epochMs + toOffsetMs(LAST_KNOWN_MS, zone));
  const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const part of formatFor(zone).formatToParts(epochMs)) {
    if (part.type in parts) parts[part.type as keyof typeof parts] = Number(part.value);
  }
  return { ...parts, millisecond: ((epochMs % 1000) + 1000) % 1000 };
}

/** Offset of the zone from UTC at an instant, in milliseconds; east is positive. */
export function toOffsetMs(epochMs: number, zone: string): number {
  return zone === 'UTC' ? 0 : civilToUtcMs(toCivilTime(epochMs, zone)) - epochMs;
}

/**
 * The instant at which a clock in the zone shows this civil time. Where the clock shows it twice, the
 * earlier instant; where it never does (spring forward), the instant as if the clock had not been moved.
 */
export function fromCivilTime(civil: CivilTime, zone: string): number {
  const asUtc = civilToUtcMs(civil);
  if (zone === 'UTC') return asUtc;
  const before = toOffsetMs(asUtc - DAY_MS, zone);
  const after = toOffsetMs(asUtc + DAY_MS, zone);
  const candidates = [asUtc - before, asUtc - after].filter((at) => at + toOffsetMs(at, zone) === asUtc);
  return candidates.length > 0 ? Math.min(...candidates) : asUtc - before;
}

/** The instants at which the clock in the zone shows what it shows at this one, in order: two where it was set back over it. */
export function listInstants(epochMs: number, zone: string): number[] {
  if (zone === 'UTC') return [epochMs];
  const offset = toOffsetMs(epochMs, zone);
  const others = [epochMs - DAY_MS, epochMs + DAY_MS].flatMap((nearMs) => {
    // The instant that would be shown the same with the offset of the day before or after.
    const otherMs = epochMs + offset - toOffsetMs(nearMs, zone);
    return otherMs !== epochMs && otherMs + toOffsetMs(otherMs, zone) === epochMs + offset ? [otherMs] : [];
  });
  return [...new Set([epochMs, ...others])].sort((a, b) => a - b);
}

/** True when the clock in the zone was set back over this instant: it shows the same civil time twice. */
export function isShownTwice(epochMs: number, zone: string): boolean {
  return listInstants(epochMs, zone).length > 1;
}

/** The offset as people write it: `UTC`, `UTC−05:00`, `UTC+05:45`. */
export function toOffsetLabel(epochMs: number, zone: string): string {
  const minutes = Math.round(toOffsetMs(epochMs, zone) / MINUTE_MS);
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  const hours = String(Math.floor(size / 60)).padStart(2, '0');
  return `UTC${minutes < 0 ? '−' : '+'}${hours}:${String(size % 60).padStart(2, '0')}`;
}

/** Spans of more days than this are looked at in longer steps. */
const MAX_STEPS = 20_000;

/** How far a zone's clock is ahead of UTC from an instant on. */
export interface ZoneOffset {
  readonly fromMs: number;
  readonly offsetMs: number;
}

/**
 * Returns the offsets of a zone in [fromMs, toMs), the first one from `fromMs` on, each change to the millisecond. A
 * change that is undone within a day is not seen; of spans beyond 50 years, one that is undone within weeks or months.
 */
export function listZoneOffsets(fromMs: number, toMs: number, zone: string): ZoneOffset[] {
  const offsets: ZoneOffset[] = [{ fromMs, offsetMs: toOffsetMs(fromMs, zone) }];
  const stepMs = Math.max(DAY_MS, Math.ceil((toMs - fromMs) / MAX_STEPS));
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs) {
    const nextMs = Math.min(atMs + stepMs, toMs);
    const offsetMs = toOffsetMs(nextMs, zone);
    if (offsetMs !== offsets.at(-1)?.offsetMs)
      offsets.push({ fromMs: findChange(atMs, nextMs, zone), offsetMs });
  }
  return offsets;
}

/** The first instant of (fromMs, toMs] with the offset that `toMs` has. */
function findChange(fromMs: number, toMs: number, zone: string): number {
  const offsetMs = toOffsetMs(toMs, zone);
  let [before, after] = [fromMs, toMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (toOffsetMs(middle, zone) === offsetMs) after = middle;
    else before = middle;
  }
  return after;
}

/**
 * Returns an instant as the clock in the zone shows it: `2026-11-20 15:51:36`, with milliseconds where there are some.
 * A time that this clock shows twice has its offset: `2026-10-25 02:30:00+01:00`.
 */
export function formatMoment(epochMs: number, zone: string): string {
  return writeMoment(epochMs, zone, epochMs % 1000 !== 0);
}

/** Returns the date of a record as `formatMoment` does, always with its milliseconds: dates below one another line up. */
export function formatRecordMoment(epochMs: number, zone: string): string {
  return writeMoment(epochMs, zone, true);
}

function writeMoment(epochMs: number, zone: string, hasFraction: boolean): string {
  const { year, month, day, hour, minute, second, millisecond } = toCivilTime(epochMs, zone);
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  const fraction = hasFraction ? `.${pad(millisecond, 3)}` : '';
  const text = `${date} ${pad(hour)}:${pad(minute)}:${pad(second)}${fraction}`;
  return isShownTwice(epochMs, zone) ? `${text}${toOffset(epochMs, zone)}` : text;
}

/** Returns the name of a field of dates that are written in a zone: `Date (America/Bogota)`. */
export function nameZonedField(name: string, zone: string): string {
  return `${name} (${zone})`;
}

function toOffset(epochMs: number, zone: string): string {
  const label = toOffsetLabel(epochMs, zone);
  return label === 'UTC' ? '+00:00' : label.slice(3).replace('−', '-');
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}

/** Lengths that a bucket may have: those that people count in. */
export const BUCKET_WIDTHS_MS: readonly number[] = [
  ...[1, 5, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 7, 28, 91].map((days) => days * DAY_MS),
  // Years of whole weeks.
  ...[1, 5, 10, 50, 100, 500].map((years) => years * 364 * DAY_MS),
];

/** The shortest length of which at most `maxBuckets` fill a span; the longest where none is long enough. */
export function pickBucketWidth(spanMs: number, maxBuckets: number): number {
  return (
    BUCKET_WIDTHS_MS.find((widthMs) => spanMs / widthMs <= maxBuckets) ?? BUCKET_WIDTHS_MS.at(-1) ?? DAY_MS
  );
}

/**
 * Edges of buckets that cover [fromMs, toMs) and begin at round times of a zone's clock: the first at or before `fromMs`,
 * the last at or after `toMs`. Where the clock changes, a bucket of hours or days is an hour longer or shorter.
 */
export function listBucketEdges(fromMs: number, toMs: number, widthMs: number, zone: string): number[] {
  const edges = [floorToBucket(fromMs, widthMs, zone)];
  for (;;) {
    const last = edges.at(-1) ?? toMs;
    if (last >= toMs) return edges;
    // From within the next bucket, so that an hour more or less leads to its edge all the same.
    const probeMs = last + widthMs + (widthMs > HOUR_MS ? widthMs / 2 : 0);
    const next = floorToBucket(probeMs, widthMs, zone);
    edges.push(next > last ? next : last + widthMs);
  }
}

function floorToBucket(atMs: number, widthMs: number, zone: string): number {
  if (widthMs < HOUR_MS) {
    const { minute, second, millisecond } = toCivilTime(atMs, zone);
    const sinceHourMs = minute * MINUTE_MS + second * SECOND_MS + millisecond;
    return atMs - (sinceHourMs % widthMs);
  }
  const civil = toCivilTime(atMs, zone);
  const start = { ...civil, minute: 0, second: 0, millisecond: 0 };
  if (widthMs < DAY_MS) {
    const hours = widthMs / HOUR_MS;
    const edge = fromCivilTime({ ...start, hour: civil.hour - (civil.hour % hours) }, zone);
    // Of an hour that the clock shows twice, the second one begins a bucket of its own.
    return hours === 1 && atMs - edge >= HOUR_MS ? edge + HOUR_MS : edge;
  }
  const days = widthMs / DAY_MS;
  const dayNumber = Math.floor(civilToUtcMs({ ...start, hour: 0 }) / DAY_MS);
  // 5 January 1970 was a Monday: weeks begin with it.
  const first = new Date((dayNumber - ((((dayNumber - 4) % days) + days) % days)) * DAY_MS);
  return fromCivilTime(
    {
      ...start,
      year: first.getUTCFullYear(),
      month: first.getUTCMonth() + 1,
      day: first.getUTCDate(),
      hour: 0,
    },
    zone,
  );
}
