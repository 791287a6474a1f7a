import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time/durations.ts';

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
export function createNumberFormats(locale: string): NumberFormats {
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
export function createOnce<Format extends object>(create: () => Format): () => Format {
  let made: Format | undefined;
  return () => (made ??= create());
}
