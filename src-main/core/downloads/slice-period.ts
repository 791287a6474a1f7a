import { AppError } from '../../common/contract/errors.ts';
import type { DownloadPlan } from '../../common/model/cache/download.ts';
import { isSensibleInstant, type Period } from '../../common/model/period.ts';
import { readPage } from '../../common/reporting/reading/read-page.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import {
  formatWireDate,
  fromWireDate,
  parseWireDate,
  toWireDate,
} from '../../common/reporting/wire-documents.ts';
import { civilToUtcMs, isShownTwice, isTimeZone, utcMsToCivil } from '../../common/time/civil-time.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { DownloadPace } from '../cache/read/download-rows.ts';
import type { NewSlice } from '../cache/write/slice-writes.ts';
import type { ReportingClient } from '../client/reporting-client.ts';

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

/** The first and the last second of a span, as periods name their ends. */
export function toWholeSeconds({ fromMs, toMs }: TimeSpan): TimeSpan {
  const toSecond = (atMs: number): number => Math.floor(atMs / SECOND_MS) * SECOND_MS;
  return { fromMs: toSecond(fromMs), toMs: toSecond(toMs - 1) };
}

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

/** Throws `app.invalid-input` for a period whose texts and instants are not the same times, or whose end is before its beginning. */
export function requireAgreement({ startDate, endDate, fromMs, toMs, zone }: Period): void {
  if (isAgreed(startDate, fromMs, zone) && isAgreed(endDate, toMs, zone) && fromMs <= toMs) return;
  throw new AppError('app.invalid-input', 'The texts and the instants of the period disagree.', {
    startDate,
    endDate,
    fromMs,
    toMs,
    zone,
  });
}

/** A time that a clock skips or shows twice may stand for either of two instants. */
function isAgreed(text: string, atMs: number, zone: string): boolean {
  if (!isSensibleInstant(atMs) || !isTimeZone(zone)) return false;
  return fromWireDate(text, zone) === atMs || toWireDate(atMs, zone) === text;
}

/** An inclusive span at whole seconds. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The beginning that a request which fills a gap asks for: the second before it (decision 5). What is cached before the
 * gap ends there, and left out what lay at the gap's first instant: a service that excludes the beginning would leave
 * it out a second time.
 */
export function toAskedStart({ fromMs, toMs, zone }: Period): string {
  return toPeriod({ fromMs: fromMs - SECOND_MS, toMs }, zone).startDate;
}

/**
 * The period of a request that holds the span. Where the service's clock shows an end twice, the period is made an hour
 * longer there, whichever of the two the service takes it for: a record twice in the cache counts once, one left out is
 * lost.
 */
export function toPeriod({ fromMs, toMs }: Span, zone: string): Period {
  const isExact = (ms: number): boolean => fromWireDate(toWireDate(ms, zone), zone) === ms;
  const from = isShownTwice(fromMs, zone) ? fromMs - HOUR_MS : fromMs;
  const to = isExact(toMs) ? toMs : toMs + HOUR_MS;
  return {
    startDate: toWireDate(from, zone),
    endDate: toWireDate(to, zone),
    fromMs: from,
    toMs: to,
    zone,
  };
}

/** Earlier downloads of fewer records are no measure of speed. */
const MIN_MEASURED_RECORDS = 1000;
/** The cache keeps about what it receives, with indexes. */
const ASSUMED_DISK_SHARE = 1.2;
/** A service and a disk of common speed. */
const ASSUMED_RECORDS_PER_SECOND = 5_000;
/** Records of common length, where the period's first page holds none. */
const ASSUMED_RECORD_BYTES = 600;
/** Services often stop counting at such figures. */
const ROUND_TOTALS = new Set([1_000, 5_000, 10_000, 20_000, 50_000, 65_535, 65_536, 100_000, 1_000_000]);

/** Forecasts a download from the service's total of the period and the speed of earlier downloads. */
export function planDownload(input: {
  readonly asked: AskedTotal;
  readonly pace: DownloadPace;
  readonly pageSize: number;
  readonly period: Period;
  readonly freeBytes: number | null;
}): DownloadPlan {
  const { asked, pace, pageSize, period, freeBytes } = input;
  const { totalDocument, roundTripMs } = asked;
  const isMeasured = pace.recordCount >= MIN_MEASURED_RECORDS && pace.durationMs > 0;
  const recordBytes = isMeasured
    ? pace.receivedBytes / pace.recordCount
    : (asked.bytesPerRecord ?? ASSUMED_RECORD_BYTES);
  const recordsPerMs = isMeasured ? pace.recordCount / pace.durationMs : ASSUMED_RECORDS_PER_SECOND / 1000;
  const pageCount = totalDocument === null ? null : Math.max(1, Math.ceil(totalDocument / pageSize));
  const receivedBytes = totalDocument === null ? null : Math.round(totalDocument * recordBytes);
  const waitsMs = isMeasured ? 0 : (pageCount ?? 0) * roundTripMs;
  return {
    recordCount: totalDocument,
    isAtLeast: totalDocument !== null && ROUND_TOTALS.has(totalDocument),
    pageCount,
    receivedBytes,
    diskBytes:
      receivedBytes === null ? null : Math.round(receivedBytes * (pace.diskShare ?? ASSUMED_DISK_SHARE)),
    freeBytes,
    durationMs: totalDocument === null ? null : Math.round(totalDocument / recordsPerMs + waitsMs),
    basis: isMeasured ? 'measured' : 'assumed',
    roundTripMs,
    suggestedSliceDays: suggestSliceDays(period, pageCount),
  };
}

/** What a small page of a period shows. */
interface AskedTotal {
  readonly totalDocument: number | null;
  /** Bytes of the response per record; null when it held none. */
  readonly bytesPerRecord: number | null;
  readonly roundTripMs: number;
}

/** Records enough for an average, few enough to be small. */
const SAMPLE_SIZE = 20;

/** Fetches a few records of a period, to read its `totalDocument`. Rejects as fetching and reading a page do. */
export async function askTotal(
  client: Pick<ReportingClient, 'fetchPage'>,
  report: DetailKind,
  period: Period,
  signal: AbortSignal,
): Promise<AskedTotal> {
  const { startDate, zone } = period;
  const request = { report, startDate, endDate: toAskedEnd(period), size: SAMPLE_SIZE, lastDocument: '' };
  const { bytes, requestedAtMs, receivedAtMs } = await client.fetchPage(request, { signal });
  const { totalDocument, recordCount } = readPage(new Uint8Array(bytes), { report, zone });
  return {
    totalDocument,
    bytesPerRecord: recordCount === 0 ? null : bytes.byteLength / recordCount,
    roundTripMs: receivedAtMs - requestedAtMs,
  };
}

/** How a request for a page ended: it failed for its size, or the response took some time. */
export type PageOutcome =
  | { readonly kind: 'too-much' }
  | { readonly kind: 'received'; readonly durationMs: number };

/** Records to request next, and the most that is tried for now. */
export interface PageSizing {
  readonly size: number;
  readonly ceiling: number;
}

const MIN_RECORDS = 100;
const MAX_RECORDS = 10_000;
/** A response faster than the first leaves room for more records; one slower than the second risks a timeout. */
const QUICK_MS = 2_000;
const SLOW_MS = 15_000;
const GROWTH = 1.5;
/** After a failure the ceiling comes back slowly, so that a size which failed isn't tried again at once. */
const CEILING_SHARE = 0.75;
const CEILING_GROWTH = 1.05;

/** The sizing that a download begins with; `known` is the size that an earlier run ended with. */
export function toFirstSizing(connectionPageSize: number, known: number | null = null): PageSizing {
  const ceiling = Math.min(connectionPageSize, MAX_RECORDS);
  return { size: Math.min(known ?? ceiling, ceiling), ceiling };
}

/**
 * The next page size: half after 413, 500 or a timeout, a third less when slow, half as much again while
 * quick. Between 100 and the connection's page size, at most 10,000.
 */
export function adaptPageSize(
  { size, ceiling }: PageSizing,
  outcome: PageOutcome,
  connectionPageSize: number,
): PageSizing {
  const largest = toFirstSizing(connectionPageSize).ceiling;
  const limit = (value: number, most: number): number =>
    Math.max(Math.min(MIN_RECORDS, largest), Math.min(most, Math.round(value)));
  if (outcome.kind === 'too-much') {
    return { size: limit(size / 2, largest), ceiling: limit(size * CEILING_SHARE, largest) };
  }
  if (outcome.durationMs > SLOW_MS) return { size: limit((size * 2) / 3, largest), ceiling };
  if (outcome.durationMs >= QUICK_MS) return { size: limit(size, largest), ceiling };
  const raised = limit(Math.ceil(ceiling * CEILING_GROWTH), largest);
  return { size: limit(size * GROWTH, raised), ceiling: raised };
}

/** False once a page is as small as is tried. */
export function canShrink({ size }: PageSizing, connectionPageSize: number): boolean {
  return size > Math.min(MIN_RECORDS, connectionPageSize);
}
