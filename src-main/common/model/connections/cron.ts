/** The fields of a cron line, as what they allow. */
export interface CronFields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** Sunday is 0. */
  readonly weekdays: ReadonlySet<number>;
  readonly isAnyDay: boolean;
  readonly isAnyWeekday: boolean;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Reads the five fields of a cron line: `*`, values, ranges, steps, lists and English names. Null for anything else. */
export function parseCron(text: string): CronFields | null {
  const parts = text.trim().toLowerCase().split(/\s+/u);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  if (parts.length !== 5) return null;
  const minutes = parseField(minute, 0, 59);
  const hours = parseField(hour, 0, 23);
  const days = parseField(day, 1, 31);
  const months = parseField(month, 1, 12, MONTHS);
  const weekdays = parseField(weekday, 0, 7, WEEKDAYS);
  if (minutes === null || hours === null || days === null || months === null || weekdays === null)
    return null;
  return {
    minutes,
    hours,
    days,
    months,
    weekdays: new Set([...weekdays].map((value) => value % 7)),
    isAnyDay: day.startsWith('*'),
    isAnyWeekday: weekday.startsWith('*'),
  };
}

function parseField(
  text: string,
  min: number,
  max: number,
  names: readonly string[] = [],
): Set<number> | null {
  const values = new Set<number>();
  const toValue = (word: string): number => {
    const place = names.indexOf(word);
    if (place >= 0) return place + min;
    return /^\d{1,2}$/u.test(word) ? Number(word) : NaN;
  };
  for (const part of text.split(',')) {
    const [range = '', step = '1', ...more] = part.split('/');
    const ends = range.split('-');
    const isAny = range === '*';
    const from = isAny ? min : toValue(ends[0] ?? '');
    const openEnd = part.includes('/') ? max : from;
    const to = isAny ? max : ends.length === 1 ? openEnd : toValue(ends[1] ?? '');
    const by = /^\d{1,2}$/u.test(step) ? Number(step) : NaN;
    const isValid =
      from >= min && to <= max && from <= to && by >= 1 && more.length === 0 && ends.length <= 2;
    if (!isValid) return null;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}
