import { formatWireDate } from '../reporting/wire-documents.ts';
import { civilToUtcMs, toCivilTime, toOffsetLabel, toOffsetMs } from '../time/civil-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time/durations.ts';
import type { TimeSpan } from '../time/time-span.ts';

/** How a locale writes numbers, dates and lists, and in which order it sorts texts. */
export interface Formats extends NumberFormats, DateFormats {
  /** BCP 47. */
  readonly locale: string;
  /** `inbound and outbound`. */
  formatList(texts: readonly string[]): string;
  /** Orders two texts as a dictionary does, their numbers by size. */
  compareTexts(first: string, second: string): number;
}

/** Makes the formats of a locale (BCP 47). Throws RangeError for what is none. */
export function createFormats(locale: string): Formats {
  Intl.getCanonicalLocales(locale);
  const collator = createOnce(() => new Intl.Collator(locale, { numeric: true }));
  const list = createOnce(() => new Intl.ListFormat(locale, { type: 'conjunction' }));
  return {
    ...createNumberFormats(locale),
    ...createDateFormats(locale),
    locale,
    formatList: (texts) => list().format(texts),
    compareTexts: (first, second) => collator().compare(first, second),
  };
}

const MIN_SECONDS_FORM_MS = 100_000;
const MAX_DIGITS = 3;
/** The most that a format takes. */
const MAX_FRACTION = 100;
const DECIMAL = /^-?\d+(?:\.(\d+))?$/;
const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Numbers as people read them; examples are those of English. Units are the international symbols in every language. */
export interface NumberFormats {
  /** A number with thousands separators, and up to three decimals: `412,331`. */
  formatCount(value: number, digits?: number): string;
  /** A number as it was given, with thousands separators: `1,000.5`; of a fraction at most three digits are shown. */
  formatMeasure(value: number): string;
  /** A number with all of its digits, however many, and thousands separators; anything else as it is. */
  formatDigits(value: number | string): string;
  /** A measured time: milliseconds up to five digits, then seconds. */
  formatDuration(durationMs: number): string;
  /** A share from 0 to 1 as a percentage; a share that is not zero never reads as zero. */
  formatPercent(share: number, digits?: number): string;
  /** A share as a percentage as it was given, with up to three decimals: `2.5%`. */
  formatExactPercent(share: number): string;
  /** A share as a percentage that is only rounded, as on an axis: `20%`; negative ones and those above 1 too. */
  formatRoundPercent(share: number, digits: number): string;
  /** A size in decimal units, as disks are sold: `386 MB`, `4.6 GB`. */
  formatBytes(sizeBytes: number): string;
  /** Units a second: `41,200/s`; below ten with one digit. */
  formatRate(perSecond: number): string;
  /** A span of time in its two largest units: `7 s`, `5 min 20 s`, `9 h 24 min`, `3 d 4 h`. */
  formatSpan(spanMs: number): string;
  /** How old something is, in its largest unit: `12 s`, `5 min`, `3 h`, `2 d`. Future times count as now. */
  formatAge(thenMs: number, nowMs: number): string;
}

/** Formats of numbers in a locale. */
function createNumberFormats(locale: string): NumberFormats {
  const create = (style: 'decimal' | 'percent', digits: number): (() => Intl.NumberFormat) =>
    createOnce(
      () =>
        new Intl.NumberFormat(locale, {
          style,
          numberingSystem: 'latn',
          minimumFractionDigits: digits,
          maximumFractionDigits: digits,
        }),
    );
  const digitCounts = Array.from({ length: MAX_DIGITS + 1 }, (_, digits) => digits);
  const counts = digitCounts.map((digits) => create('decimal', digits));
  const percents = digitCounts.map((digits) => create('percent', digits));
  const createExact = (style: 'decimal' | 'percent'): (() => Intl.NumberFormat) =>
    createOnce(
      () =>
        new Intl.NumberFormat(locale, { style, numberingSystem: 'latn', maximumFractionDigits: MAX_DIGITS }),
    );
  const exact = new Map<number, () => Intl.NumberFormat>();
  const measures = createExact('decimal');
  const exactPercents = createExact('percent');

  const formatCount = (value: number, digits = 0): string =>
    counts[digits]?.().format(value) ?? value.toFixed(digits);
  const toPercent = (share: number, digits: number): string =>
    percents[digits]?.().format(share) ?? `${(share * 100).toFixed(digits)}%`;

  return {
    formatCount,
    formatMeasure: (value) => measures().format(value),
    formatDigits(value) {
      const [text, fraction = ''] = DECIMAL.exec(String(value)) ?? [];
      if (text === undefined || fraction.length > MAX_FRACTION) return String(value);
      const digits = exact.get(fraction.length) ?? create('decimal', fraction.length);
      exact.set(fraction.length, digits);
      // As text: it may have more digits than a number keeps.
      return digits().format(text as Intl.StringNumericLiteral);
    },
    formatDuration(durationMs) {
      const rounded = Math.round(durationMs);
      if (Math.abs(rounded) < MIN_SECONDS_FORM_MS) return `${formatCount(rounded)} ms`;
      return `${formatCount(durationMs / SECOND_MS, 1)} s`;
    },
    formatPercent(share, digits = 1) {
      const smallest = 10 ** -digits / 100;
      if (share > 0 && share < smallest / 2) return `<${toPercent(smallest, digits)}`;
      if (share < 1 && share > 1 - smallest / 2) return `>${toPercent(1 - smallest, digits)}`;
      return toPercent(share, digits);
    },
    formatExactPercent: (share) => exactPercents().format(share),
    formatRoundPercent: toPercent,
    formatBytes(sizeBytes) {
      let value = sizeBytes;
      let unit = 0;
      while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
        value /= 1000;
        unit += 1;
      }
      const digits = unit > 0 && value < 9.95 ? 1 : 0;
      return `${formatCount(value, digits)} ${BYTE_UNITS[unit] ?? 'B'}`;
    },
    formatRate: (perSecond) => `${formatCount(perSecond, perSecond > 0 && perSecond < 9.95 ? 1 : 0)}/s`,
    formatSpan,
    formatAge,
  };
}

function formatSpan(spanMs: number): string {
  const span = Math.max(0, spanMs);
  if (span > 0 && span < SECOND_MS) return '<1 s';
  if (span < MINUTE_MS) return `${Math.floor(span / SECOND_MS)} s`;
  if (span < HOUR_MS) return joinUnits(span, MINUTES, SECONDS);
  if (span < DAY_MS) return joinUnits(span, HOURS, MINUTES);
  return joinUnits(span, DAYS, HOURS);
}

function formatAge(thenMs: number, nowMs: number): string {
  const age = Math.max(0, nowMs - thenMs);
  if (age < MINUTE_MS) return `${Math.floor(age / SECOND_MS)} s`;
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h`;
  return `${Math.floor(age / DAY_MS)} d`;
}

interface TimeUnit {
  readonly ms: number;
  readonly name: string;
}
const SECONDS: TimeUnit = { ms: SECOND_MS, name: 's' };
const MINUTES: TimeUnit = { ms: MINUTE_MS, name: 'min' };
const HOURS: TimeUnit = { ms: HOUR_MS, name: 'h' };
const DAYS: TimeUnit = { ms: DAY_MS, name: 'd' };

function joinUnits(span: number, large: TimeUnit, small: TimeUnit): string {
  const whole = Math.floor(span / large.ms);
  const rest = Math.floor((span - whole * large.ms) / small.ms);
  return rest === 0 ? `${whole} ${large.name}` : `${whole} ${large.name} ${rest} ${small.name}`;
}

/**
 * Returns a function that makes a format at its first use and keeps it: a scroll formats hundreds of values, a format
 * costs more to create than to use, and a start needs two or three of twenty.
 */
function createOnce<Format extends object>(create: () => Format): () => Format {
  let made: Format | undefined;
  return () => (made ??= create());
}

/** Dates and times as people read them; examples are those of English. Instants are in milliseconds. */
export interface DateFormats {
  /** `20 Nov` in the zone. */
  formatDay(epochMs: number, zone: string): string;
  /** `20 Nov 2026` in the zone. */
  formatFullDay(epochMs: number, zone: string): string;
  /** `15:52` in the zone. */
  formatClock(epochMs: number, zone: string): string;
  /** `15:51:56` in the zone. */
  formatClockSeconds(epochMs: number, zone: string): string;
  /** `20 Nov 15:52` in the zone. */
  formatDayClock(epochMs: number, zone: string): string;
  /** `15:51:56` in the zone, or `19 Nov 15:51:56` for another day than today's. */
  formatRecentClock(epochMs: number, nowMs: number, zone: string): string;
  /** `2026-11-20 15:51:36` in the zone, as requests write it, whatever the language. */
  formatExact(epochMs: number, zone: string): string;
  /**
   * `19 Nov 15:52 – 20 Nov 15:52`; the day is written once when both ends share it. A few minutes that don't begin and
   * end with one have their seconds: `20 Nov 15:52:05 – 15:52:20`.
   */
  formatRange(fromMs: number, toMs: number, zone: string): string;
  /** `UTC+02:00` for a span in the zone, or `UTC+02:00 – UTC+01:00` where its clock was moved meanwhile. */
  formatOffsets(fromMs: number, toMs: number, zone: string): string;
  /** `Nov 2026`; months count from 1. */
  formatMonth(month: number, year: number): string;
  /** `November`; months count from 1. */
  formatMonthName(month: number): string;
  /** `October – November 2026`, the months of two days in UTC. */
  formatMonths(fromMs: number, toMs: number): string;
}

const ANY_YEAR = 2000;
/** Spans shorter than that say little without seconds. */
const MAX_FINE_MS = 10 * MINUTE_MS;

/** Formats of dates in a locale. A clock counts to 24 in every language of the application. */
function createDateFormats(locale: string): DateFormats {
  const create = (options: Intl.DateTimeFormatOptions): (() => Intl.DateTimeFormat) =>
    createOnce(
      // A civil time is written as it is: the zone was applied before.
      () =>
        new Intl.DateTimeFormat(locale, {
          ...options,
          calendar: 'gregory',
          numberingSystem: 'latn',
          timeZone: 'UTC',
        }),
    );
  const day = create({ day: 'numeric', month: 'short' });
  const fullDay = create({ day: 'numeric', month: 'short', year: 'numeric' });
  const month = create({ month: 'short', year: 'numeric' });
  const monthName = create({ month: 'long' });
  const months = create({ month: 'long', year: 'numeric' });
  // Short forms stand in tables, headers and axes, where Portuguese leaves its two prepositions out.
  const write = (format: () => Intl.DateTimeFormat, epochMs: number): string =>
    format().format(epochMs).replaceAll(' de ', ' ');
  const toCivilMs = (epochMs: number, zone: string): number => civilToUtcMs(toCivilTime(epochMs, zone));

  const formatDay = (epochMs: number, zone: string): string => write(day, toCivilMs(epochMs, zone));
  const formatFullDay = (epochMs: number, zone: string): string => write(fullDay, toCivilMs(epochMs, zone));
  const formatDayClock = (epochMs: number, zone: string): string =>
    `${formatDay(epochMs, zone)} ${formatClock(epochMs, zone)}`;

  return {
    formatDay,
    formatFullDay,
    formatClock,
    formatClockSeconds,
    formatDayClock,
    formatRecentClock(epochMs, nowMs, zone) {
      const clock = formatClockSeconds(epochMs, zone);
      return isSameDay(epochMs, nowMs, zone) ? clock : `${formatDay(epochMs, zone)} ${clock}`;
    },
    formatExact: (epochMs, zone) => formatWireDate(toCivilTime(epochMs, zone)),
    formatRange(fromMs, toMs, zone) {
      const isFine = toMs - fromMs < MAX_FINE_MS && (fromMs % MINUTE_MS !== 0 || toMs % MINUTE_MS !== 0);
      const toClock = isFine ? formatClockSeconds : formatClock;
      const toDayClock = (atMs: number): string => `${formatDay(atMs, zone)} ${toClock(atMs, zone)}`;
      const end = isSameDay(fromMs, toMs, zone) ? toClock(toMs, zone) : toDayClock(toMs);
      return `${toDayClock(fromMs)} – ${end}`;
    },
    formatOffsets(fromMs, toMs, zone) {
      const [from, to] = [toOffsetLabel(fromMs, zone), toOffsetLabel(toMs, zone)];
      return from === to ? from : `${from} – ${to}`;
    },
    formatMonth: (number, year) => write(month, Date.UTC(year, number - 1)),
    formatMonthName: (number) => monthName().format(Date.UTC(ANY_YEAR, number - 1)),
    formatMonths: (fromMs, toMs) => months().formatRange(fromMs, toMs),
  };
}

function formatClock(epochMs: number, zone: string): string {
  const time = toCivilTime(epochMs, zone);
  return `${pad(time.hour)}:${pad(time.minute)}`;
}

function formatClockSeconds(epochMs: number, zone: string): string {
  return `${formatClock(epochMs, zone)}:${pad(toCivilTime(epochMs, zone).second)}`;
}

function isSameDay(firstMs: number, secondMs: number, zone: string): boolean {
  const [first, second] = [toCivilTime(firstMs, zone), toCivilTime(secondMs, zone)];
  return first.year === second.year && first.month === second.month && first.day === second.day;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

const STEPS_MS: readonly number[] = [
  1_000,
  5_000,
  15_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  2 * DAY_MS,
  7 * DAY_MS,
  14 * DAY_MS,
  28 * DAY_MS,
];
/** From this step on a day without its year would be ambiguous; from that one on only the year counts. */
const MONTHS_STEP_MS = 28 * DAY_MS;
const YEARS_STEP_MS = 364 * DAY_MS;

interface TimeTick {
  readonly atMs: number;
  readonly label: string;
}

/** How ticks of a step are labelled; midnight is told apart. */
function chooseLabel(
  stepMs: number,
  zone: string,
  formats: DateFormats,
): (atMs: number, isMidnight: boolean) => string {
  if (stepMs >= YEARS_STEP_MS) return (atMs) => String(toCivilTime(atMs, zone).year);
  if (stepMs >= MONTHS_STEP_MS) {
    return (atMs) => {
      const { month, year } = toCivilTime(atMs, zone);
      return formats.formatMonth(month, year);
    };
  }
  const formatTime = stepMs < MINUTE_MS ? formats.formatClockSeconds : formats.formatClock;
  return (atMs, isMidnight) => (isMidnight ? formats.formatDay(atMs, zone) : formatTime(atMs, zone));
}

/** Ticks at round times of the zone, at most `maxTicks`; midnight shows its day instead of 00:00. */
export function toTimeTicks(
  { fromMs, toMs }: TimeSpan,
  zone: string,
  maxTicks: number,
  formats: DateFormats,
): readonly TimeTick[] {
  const spanMs = toMs - fromMs;
  if (!(spanMs > 0) || maxTicks < 1) return [];
  const stepMs =
    STEPS_MS.find((step) => spanMs / step <= maxTicks) ?? Math.ceil(spanMs / maxTicks / DAY_MS) * DAY_MS;
  const toLabel = chooseLabel(stepMs, zone, formats);
  const ticks: TimeTick[] = [];
  let localMs = Math.ceil((fromMs + toOffsetMs(fromMs, zone)) / stepMs) * stepMs;
  for (;;) {
    const atMs = localMs - toOffsetMs(localMs - toOffsetMs(localMs, zone), zone);
    if (atMs > toMs || ticks.length > maxTicks) return ticks;
    const isMidnight = localMs % DAY_MS === 0;
    if (atMs >= fromMs) ticks.push({ atMs, label: toLabel(atMs, isMidnight) });
    localMs += stepMs;
  }
}
