import { isShownTwice, toCivilTime, toOffsetLabel } from './time-zones.ts';

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
