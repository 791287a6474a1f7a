import { civilToUtcMs, daysInMonth, isRealCivilTime } from '../../src-main/common/time/civil-time.ts';

export type DateOrder = 'month-first' | 'day-first';

/** One way to read a date; `dayMs` is its midnight in UTC. */
export interface DateReading {
  readonly order: DateOrder;
  readonly dayMs: number;
}

/** A date as it was written, with every way to read it. The text is never reformatted. */
export type GivenDate =
  | { readonly kind: 'clear'; readonly text: string; readonly readings: readonly [DateReading] }
  | {
      readonly kind: 'ambiguous';
      readonly text: string;
      readonly readings: readonly [DateReading, DateReading];
    }
  | {
      readonly kind: 'impossible';
      readonly text: string;
      readonly readings: readonly [];
      /** The month that the text names and its days, where one of its numbers can be a month. */
      readonly month: { readonly number: number; readonly days: number } | null;
    };

/** Reads a date of two numbers and a year in both orders (decision 25). */
export function readGivenDate(text: string): GivenDate {
  const parts = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$/.exec(text.trim());
  if (parts === null) return { kind: 'impossible', text, readings: [], month: null };
  const [first, second, year] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const monthFirst = tryRead('month-first', year, first, second);
  const dayFirst = tryRead('day-first', year, second, first);
  if (monthFirst !== null && dayFirst !== null) {
    return monthFirst.dayMs === dayFirst.dayMs
      ? { kind: 'clear', text, readings: [monthFirst] }
      : { kind: 'ambiguous', text, readings: [monthFirst, dayFirst] };
  }
  const only = monthFirst ?? dayFirst;
  if (only !== null) return { kind: 'clear', text, readings: [only] };
  const month = [second, first].find((number) => number >= 1 && number <= 12);
  return {
    kind: 'impossible',
    text,
    readings: [],
    month: month === undefined ? null : { number: month, days: daysInMonth(year, month) },
  };
}

/** Returns the order that the other date of the same row proves, or null. */
export function findRowOrder(date: GivenDate, other: GivenDate): DateOrder | null {
  if (date.kind !== 'ambiguous' || other.kind !== 'clear') return null;
  const [first, second] = other.text.split(/[/-]/);
  // The same number twice reads the same in both orders.
  return first === second ? null : other.readings[0].order;
}

function tryRead(order: DateOrder, year: number, month: number, day: number): DateReading | null {
  const civil = { year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0 };
  return isRealCivilTime(civil) ? { order, dayMs: civilToUtcMs(civil) } : null;
}
