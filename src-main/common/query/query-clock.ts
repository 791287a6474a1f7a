import { isRealCivilTime, type CivilTime } from '../time/civil-time.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../time/durations.ts';
import { fromCivilTime, toCivilTime } from '../time/time-zones.ts';
import type { QueryClock } from './query-values.ts';

const MOMENT = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(Z)?)?$/;

/**
 * Creates the clock that a query's dates are read and written in. Dates look like `2026-11-20`, `2026-11-20T10:15` or
 * `2026-11-20 10:15:30.250`; a `Z` at the end means UTC in every clock.
 */
export function createQueryClock(zone: string): QueryClock {
  function read(text: string): number | null {
    const found = MOMENT.exec(text);
    if (found === null) return null;
    const civil = toCivil(found);
    return isRealCivilTime(civil) ? fromCivilTime(civil, found[8] === undefined ? zone : 'UTC') : null;
  }

  function readEnd(text: string): number | null {
    const [atMs, found] = [read(text), MOMENT.exec(text)];
    if (atMs === null || found === null) return null;
    if (found[4] === undefined) {
      // Where clocks change, a day has another length.
      const { year, month, day } = toCivil(found);
      const next = toCivilTime(Date.UTC(year, month - 1, day) + DAY_MS, 'UTC');
      return fromCivilTime(next, zone);
    }
    return atMs + (found[6] === undefined ? MINUTE_MS : found[7] === undefined ? SECOND_MS : 1);
  }

  function write(atMs: number): string {
    const { year, month, day, hour, minute, second, millisecond } = toCivilTime(atMs, zone);
    const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}`;
    const fraction = millisecond === 0 ? '' : `.${pad(millisecond, 3)}`;
    const text = second + millisecond === 0 ? date : `${date}:${pad(second)}${fraction}`;
    // Where the clock was set back it shows a time twice, and the later one can't be written in it.
    return read(text) === atMs ? text : new Date(atMs).toISOString();
  }

  return { read, readEnd, write };
}

/** The parts of a text that has the form of a moment; those that it leaves out are 0. */
function toCivil(found: RegExpExecArray): CivilTime {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? '0'));
  return { year, month, day, hour, minute, second, millisecond: Number((found[7] ?? '').padEnd(3, '0')) };
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}
