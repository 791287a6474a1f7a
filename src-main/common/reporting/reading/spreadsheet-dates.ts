import { isRealCivilTime } from '../../time/civil-time.ts';

/** Orders in which spreadsheets and people write the parts of a date. */
export const DATE_ORDERS = ['day-month', 'month-day', 'year-month'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const FORM =
  /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?\s?m\.?)?)?$/iu;

/** What a text says as a date in one order: its ISO form without a zone, and whether it names seconds. */
interface SpreadsheetDate {
  readonly iso: string;
  readonly hasSeconds: boolean;
}

/**
 * Reads a date as a spreadsheet writes it in the local form of its user, such as `20.11.2026 10:00:00` or
 * `11/20/2026 10:00 PM`, its parts in this order; null for any other text and for a date that doesn't exist. Nobody
 * writes the month first where dots separate the parts.
 */
export function readSpreadsheetDate(text: string, order: DateOrder): SpreadsheetDate | null {
  const match = FORM.exec(text.trim());
  if (match === null) return null;
  const [, first = '', mark, second = '', third = '', hours, minutes = '00', seconds, fraction = '', half] =
    match;
  if (order === 'month-day' && mark === '.') return null;
  if ((order === 'year-month') !== first.length > 2) return null;
  const [year, month, day] = {
    'day-month': [third, second, first],
    'month-day': [third, first, second],
    'year-month': [first, second, third],
  }[order] as [string, string, string];
  if ((year.length !== 4 && year.length !== 2) || day.length > 2) return null;
  const hour = toHour(Number(hours ?? 0), half);
  if (hour === null) return null;
  const civil = {
    year: Number(year.length === 2 ? `20${year}` : year),
    month: Number(month),
    day: Number(day),
    hour,
    minute: Number(minutes),
    second: Number(seconds ?? 0),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, '0')),
  };
  if (!isRealCivilTime(civil)) return null;
  const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
  const date = `${pad(civil.year, 4)}-${pad(civil.month)}-${pad(civil.day)}`;
  const time = `${pad(hour)}:${pad(civil.minute)}:${pad(civil.second)}.${pad(civil.millisecond, 3)}`;
  return { iso: `${date}T${time}`, hasSeconds: seconds !== undefined };
}

/** The hour of 24; null for one that a clock of twelve hours doesn't show. */
function toHour(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** The orders in which all texts of a file that look like a spreadsheet's dates can be read. */
export interface FoundOrders {
  readonly orders: readonly DateOrder[];
  /** Texts that are a date in at least one order, and those in none. */
  readonly readCount: number;
  readonly unreadCount: number;
  /** The first of each; null where there is none. */
  readonly sample: string | null;
  readonly unreadSample: string | null;
  readonly hasSeconds: boolean;
}

/** Collects how the dates of a file are written. One day above 12 among them settles which part is the month. */
export function createOrderFinder() {
  const counts = new Map<DateOrder, number>();
  let readCount = 0;
  let unreadCount = 0;
  let sample: string | null = null;
  let unreadSample: string | null = null;
  let hasSeconds = true;
  return {
    /** Returns the ISO form of the text by each order in which it is a date. */
    add(text: string): ReadonlyMap<DateOrder, string> {
      const forms = new Map<DateOrder, string>();
      for (const order of DATE_ORDERS) {
        const date = readSpreadsheetDate(text, order);
        if (date === null) continue;
        forms.set(order, date.iso);
        counts.set(order, (counts.get(order) ?? 0) + 1);
        hasSeconds &&= date.hasSeconds;
      }
      if (forms.size > 0) {
        readCount += 1;
        sample ??= text;
      } else {
        unreadCount += 1;
        unreadSample ??= text;
      }
      return forms;
    },
    find(): FoundOrders {
      const orders = DATE_ORDERS.filter((order) => readCount > 0 && counts.get(order) === readCount);
      return { orders, readCount, unreadCount, sample, unreadSample, hasSeconds };
    },
  };
}
