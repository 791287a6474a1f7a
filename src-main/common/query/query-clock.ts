import { isRealCivilTime } from '../time/civil-time.ts';
import { fromCivilTime, toCivilTime } from '../time/time-zones.ts';
import type { QueryClock } from './parse-query.ts';

const MOMENT = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(Z)?)?$/;

/**
 * Creates the clock that a query's dates are read and written in. Dates look like `2026-11-20`, `2026-11-20T10:15` or
 * `2026-11-20 10:15:30.250`; a `Z` at the end means UTC in every clock.
 */
export function createQueryClock(zone: string): QueryClock {
  function read(text: string): number | null {
    const found = MOMENT.exec(text);
    if (found === null) return null;
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
      .slice(1, 7)
      .map((part: string | undefined) => Number(part ?? '0'));
    const millisecond = Number((found[7] ?? '').padEnd(3, '0'));
    const civil = { year, month, day, hour, minute, second, millisecond };
    return isRealCivilTime(civil) ? fromCivilTime(civil, found[8] === undefined ? zone : 'UTC') : null;
  }

  function write(atMs: number): string {
    const { year, month, day, hour, minute, second, millisecond } = toCivilTime(atMs, zone);
    const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}`;
    const fraction = millisecond === 0 ? '' : `.${pad(millisecond, 3)}`;
    const text = second + millisecond === 0 ? date : `${date}:${pad(second)}${fraction}`;
    // Where the clock was set back it shows a time twice, and the later one can't be written in it.
    return read(text) === atMs ? text : new Date(atMs).toISOString();
  }

  return { read, write };
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}
