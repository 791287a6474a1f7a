import { shallowRef } from 'vue';
import {
  createFormats,
  type DateFormats,
  type Formats,
  type NumberFormats,
} from '../../src-main/common/words/formats.ts';
import { isTimeZone } from '../../src-main/common/time/civil-time.ts';

/**
 * Formats of the language that the window speaks. Numbers and dates are written by plain functions everywhere, so these
 * stand here and not in a component; whatever was rendered with them is rendered again when they change.
 */
const formats = shallowRef(createFormats('en-GB'));

/** Returns the formats in use, and lets what is rendered with them follow them. */
export function readFormats(): Formats {
  return formats.value;
}

/** Writes everything from now on as a locale (BCP 47) does. */
export function setFormats(locale: string): void {
  if (locale !== formats.value.locale) formats.value = createFormats(locale);
}

export const formatClock: DateFormats['formatClock'] = (...given) => readFormats().formatClock(...given);
export const formatClockSeconds: DateFormats['formatClockSeconds'] = (...given) =>
  readFormats().formatClockSeconds(...given);
export const formatDay: DateFormats['formatDay'] = (...given) => readFormats().formatDay(...given);
export const formatDayClock: DateFormats['formatDayClock'] = (...given) =>
  readFormats().formatDayClock(...given);
export const formatExact: DateFormats['formatExact'] = (...given) => readFormats().formatExact(...given);
export const formatFullDay: DateFormats['formatFullDay'] = (...given) =>
  readFormats().formatFullDay(...given);
export const formatMonth: DateFormats['formatMonth'] = (...given) => readFormats().formatMonth(...given);
export const formatMonthName: DateFormats['formatMonthName'] = (...given) =>
  readFormats().formatMonthName(...given);
export const formatMonths: DateFormats['formatMonths'] = (...given) => readFormats().formatMonths(...given);
export const formatOffsets: DateFormats['formatOffsets'] = (...given) =>
  readFormats().formatOffsets(...given);
export const formatRange: DateFormats['formatRange'] = (...given) => readFormats().formatRange(...given);
export const formatRecentClock: DateFormats['formatRecentClock'] = (...given) =>
  readFormats().formatRecentClock(...given);

/** The zone of this computer. */
export function getLocalZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  // A computer without a known zone has a name that no clock can be asked for.
  return isTimeZone(timeZone) ? timeZone : 'UTC';
}

export const formatAge: NumberFormats['formatAge'] = (...given) => readFormats().formatAge(...given);
export const formatBytes: NumberFormats['formatBytes'] = (...given) => readFormats().formatBytes(...given);
export const formatCount: NumberFormats['formatCount'] = (...given) => readFormats().formatCount(...given);
export const formatDigits: NumberFormats['formatDigits'] = (...given) => readFormats().formatDigits(...given);
export const formatDuration: NumberFormats['formatDuration'] = (...given) =>
  readFormats().formatDuration(...given);
export const formatExactPercent: NumberFormats['formatExactPercent'] = (...given) =>
  readFormats().formatExactPercent(...given);
export const formatMeasure: NumberFormats['formatMeasure'] = (...given) =>
  readFormats().formatMeasure(...given);
export const formatPercent: NumberFormats['formatPercent'] = (...given) =>
  readFormats().formatPercent(...given);
export const formatRate: NumberFormats['formatRate'] = (...given) => readFormats().formatRate(...given);
export const formatRoundPercent: NumberFormats['formatRoundPercent'] = (...given) =>
  readFormats().formatRoundPercent(...given);
export const formatSpan: NumberFormats['formatSpan'] = (...given) => readFormats().formatSpan(...given);

/** True for a number of which no digit but zeros is printed. */
function isShownAsZero(value: number, digits: number): boolean {
  return Number(Math.abs(value).toFixed(digits)) === 0;
}

/** The sign of a number as it is printed: none before what reads as zero. */
export function toSign(value: number, digits = 0): string {
  if (isShownAsZero(value, digits)) return '';
  return value > 0 ? '+' : '−';
}

/** A number with its sign: `+57.8`, `−0.1`, `0.0`. */
export function formatSigned(value: number, digits = 0): string {
  return `${toSign(value, digits)}${formatCount(Math.abs(value), digits)}`;
}

/** Returns how much of a total is done, 0 to 1; null while the total is not known. There is nothing to do of none. */
export function toDoneShare(done: number, total: number | null): number | null {
  if (total === null) return null;
  return total === 0 ? 1 : Math.min(1, done / total);
}
