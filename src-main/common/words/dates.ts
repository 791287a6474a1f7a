import { formatWireDate } from '../reporting/wire-dates.ts';
import { civilToUtcMs } from '../time/civil-time.ts';
import { MINUTE_MS } from '../time/durations.ts';
import { toCivilTime, toOffsetLabel } from '../time/time-zones.ts';
import { createOnce } from './numbers.ts';

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
export function createDateFormats(locale: string): DateFormats {
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
