import { formatWireDate } from '../reporting/wire-dates.ts';
import { toCivilTime, toOffsetLabel } from '../time/time-zones.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `20 Nov` in the zone. */
export function formatDay(epochMs: number, zone: string): string {
  const time = toCivilTime(epochMs, zone);
  return `${time.day} ${formatMonth(time.month)}`;
}

/** `20 Nov 2026` in the zone. */
export function formatFullDay(epochMs: number, zone: string): string {
  return `${formatDay(epochMs, zone)} ${toCivilTime(epochMs, zone).year}`;
}

/** `15:52` in the zone. */
export function formatClock(epochMs: number, zone: string): string {
  const time = toCivilTime(epochMs, zone);
  return `${pad(time.hour)}:${pad(time.minute)}`;
}

/** `15:51:56` in the zone. */
export function formatClockSeconds(epochMs: number, zone: string): string {
  return `${formatClock(epochMs, zone)}:${pad(toCivilTime(epochMs, zone).second)}`;
}

/** `20 Nov 15:52` in the zone. */
export function formatDayClock(epochMs: number, zone: string): string {
  return `${formatDay(epochMs, zone)} ${formatClock(epochMs, zone)}`;
}

/** `15:51:56` in the zone, or `19 Nov 15:51:56` for another day than today's. */
export function formatRecentClock(epochMs: number, nowMs: number, zone: string): string {
  const clock = formatClockSeconds(epochMs, zone);
  const isToday = formatFullDay(epochMs, zone) === formatFullDay(nowMs, zone);
  return isToday ? clock : `${formatDay(epochMs, zone)} ${clock}`;
}

/** `2026-11-20 15:51:36` in the zone, as requests write it. */
export function formatExact(epochMs: number, zone: string): string {
  return formatWireDate(toCivilTime(epochMs, zone));
}

/** `19 Nov 15:52 – 20 Nov 15:52`; the day is written once when both ends share it. */
export function formatRange(fromMs: number, toMs: number, zone: string): string {
  const sameDay = formatFullDay(fromMs, zone) === formatFullDay(toMs, zone);
  const end = sameDay ? formatClock(toMs, zone) : formatDayClock(toMs, zone);
  return `${formatDayClock(fromMs, zone)} – ${end}`;
}

/** `UTC+02:00` for a span in the zone, or `UTC+02:00 – UTC+01:00` where its clock was moved meanwhile. */
export function formatOffsets(fromMs: number, toMs: number, zone: string): string {
  const [from, to] = [toOffsetLabel(fromMs, zone), toOffsetLabel(toMs, zone)];
  return from === to ? from : `${from} – ${to}`;
}

/** Short name of a month that counts from 1. */
export function formatMonth(month: number): string {
  return MONTHS[month - 1] ?? '';
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
