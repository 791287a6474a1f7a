import type { Period } from '../../common/model/period.ts';
import type { NewSlice } from '../cache/write/slice-writes.ts';
import { formatWireDate, fromWireDate, parseWireDate } from '../../common/reporting/wire-dates.ts';
import { civilToUtcMs, utcMsToCivil } from '../../common/time/civil-time.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../common/time/durations.ts';

/** Longer periods are better fetched day by day: shorter walks, and less to repeat after a failure. */
const LONG_PERIOD_DAYS = 7;
const HOURS_OF_DAY = 24;
/** Hours that a slice of a day may have. */
const SLICE_HOURS = [1, 2, 3, 4, 6, 8, 12, 24];
/**
 * More slices than these take longer to count than to fetch: eleven years by the day. Those of a longer period are made
 * as long as it takes.
 */
const MAX_SLICES = 4_000;
/** A slice of fewer pages is hardly worth its first request. */
const PAGES_OF_SLICE = 4;
/** Fewer pages than these are not worth more requests than a longer walk makes. */
const MIN_CUT_PAGES = 24;

/**
 * Cuts a period into slices of whole days of the service's clock, or of whole hours where `days` is a part of one; the first
 * and the last are as long as they happen to be. Both ends of a slice are included at whole seconds, so each begins one second after the last
 * one's end; what is asked for reaches up to that second (`toAskedEnd`). The cuts are made on the texts of the request: a day that a clock change makes
 * longer or shorter is cut as its midnights are written. Null days, or texts that are no dates, leave it whole.
 */
export function slicePeriod(period: Period, days: number | null): Period[] {
  const start = parseWireDate(period.startDate);
  const end = parseWireDate(period.endDate);
  if (days === null || typeof start === 'string' || typeof end === 'string') return [period];
  const slices: Period[] = [];
  const lastMs = civilToUtcMs(end);
  const firstMs = civilToUtcMs(start);
  const lengthMs = Math.max(Math.round(days * DAY_MS), findLeastMs(lastMs - firstMs));
  const gridMs = Math.min(lengthMs, DAY_MS);
  for (let fromMs = firstMs; fromMs <= lastMs;) {
    const toMs = Math.min(lastMs, Math.floor(fromMs / gridMs) * gridMs + lengthMs - SECOND_MS);
    slices.push(toSlice(period, fromMs, toMs));
    fromMs = toMs + SECOND_MS;
  }
  return slices.length === 0 ? [period] : slices;
}

/** The least that a slice of so long a period may hold: whole hours that part a day evenly, or whole days. */
function findLeastMs(periodMs: number): number {
  // The first and the last slice are shorter than the others.
  const evenMs = periodMs / (MAX_SLICES - 2);
  const hours = SLICE_HOURS.find((each) => each * HOUR_MS >= evenMs);
  return hours === undefined ? Math.ceil(evenMs / DAY_MS) * DAY_MS : hours * HOUR_MS;
}

/**
 * The slices of a download as they are asked for, but for the seconds that they share at their ends, in the order in which
 * they are walked: the most recent one first, which is what people look at. That of the period's beginning may begin
 * earlier than it: in the second that filling a gap shares with what is cached before it.
 */
export function cutDownload(
  period: Period,
  { sliceDays, askedStart }: { readonly sliceDays: number | null; readonly askedStart: string },
): NewSlice[] {
  const [first, ...others] = slicePeriod(period, sliceDays).map(toNewSlice);
  if (first === undefined) return [];
  return [askedStart === '' ? first : { ...first, startDate: askedStart }, ...others].reverse();
}

/**
 * The end that a request for details of a period asks for: the second after its last one (decision 5). A service that
 * excludes the end, or compares to the millisecond, then loses nothing; what lies beyond the period is left out.
 */
export function toAskedEnd({ endDate }: Pick<Period, 'endDate'>): string {
  const end = parseWireDate(endDate);
  return typeof end === 'string' ? endDate : formatWireDate(utcMsToCivil(civilToUtcMs(end) + SECOND_MS));
}

/**
 * Days to fetch at a time, or the part of one at whole hours where `pages` are many; null where the period is best
 * fetched in one piece, as one of an hour always is.
 */
export function suggestSliceDays(period: Period, pages: number | null = null): number | null {
  const hours = (period.toMs - period.fromMs) / HOUR_MS;
  const longest = hours > LONG_PERIOD_DAYS * HOURS_OF_DAY ? HOURS_OF_DAY : hours;
  const wanted =
    pages === null || pages < MIN_CUT_PAGES ? longest : (hours * PAGES_OF_SLICE) / Math.max(1, pages);
  const found = SLICE_HOURS.find((candidate) => candidate >= Math.min(wanted, longest)) ?? Infinity;
  return found < hours ? found / HOURS_OF_DAY : null;
}

/** A period as the slice that is responsible for it. */
function toNewSlice({ startDate, endDate, fromMs, toMs }: Period): NewSlice {
  return { startDate, endDate, fromMs, toMs: toMs + SECOND_MS };
}

/** The given times are those of the service's clock, written as if it were UTC. */
function toSlice(period: Period, fromMs: number, toMs: number): Period {
  const startDate = formatWireDate(utcMsToCivil(fromMs));
  const endDate = formatWireDate(utcMsToCivil(toMs));
  const from = startDate === period.startDate ? period.fromMs : fromWireDate(startDate, period.zone);
  const to = endDate === period.endDate ? period.toMs : fromWireDate(endDate, period.zone);
  return {
    startDate,
    endDate,
    fromMs: typeof from === 'number' ? from : period.fromMs,
    toMs: typeof to === 'number' ? to : period.toMs,
    zone: period.zone,
  };
}
