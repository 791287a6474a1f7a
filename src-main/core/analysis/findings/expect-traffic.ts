import { FINDING_KINDS, type FindingKind } from '../../../common/model/analysis/finding-kinds.ts';
import { USUAL_DAYS, type HourCounts, type TrafficCoverage, type TrafficCounts } from './traffic-grid.ts';

/** Usual shares of requests, 0 to 1; null with too few of them. */
export type UsualShares = Readonly<Record<'failing' | 'slow' | 'late', number | null>>;

/** What is usual in an hour. */
export interface Expectation extends UsualShares {
  /** Where it was learned: from the same hour on earlier days, or from the hours just before. */
  readonly source: 'days' | 'hours';
  /** Requests a minute. */
  readonly rate: number;
  /** Standard deviation of the rate from day to day. */
  readonly spread: number;
  /**
   * The rate a week before, relative to the usual one: over the hours around, and at its highest. 1 where it is not
   * known.
   */
  readonly weekday: number;
  readonly weekdayPeak: number;
  readonly isWeekKnown: boolean;
}

const MIN_DAYS = 3;
const HOURS_BEFORE = 6;
const MIN_HOURS = 2;
/** An hour of a day counts if at least this share of it is cached. */
const MIN_COVERED = 0.95;
/** With fewer earlier requests than this, no share is called usual. */
const MIN_REQUESTS = 50;
/** Smaller numbers of requests are taken together with this many of all traffic. */
const OF_ALL_REQUESTS = 10;
const LEAST_FAILING = 0.005;
const LEAST_SLOW = 0.03;
/** Turns a median absolute deviation into a standard deviation. */
const MAD_TO_DEVIATION = 1.4826;

/** Requests of a kind, and all that could have been: running sums over the hours. */
interface SummedShare {
  readonly hits: Float64Array;
  readonly all: Float64Array;
  /** No smaller share is ever called usual. */
  readonly least: number;
  /** The usual share of all traffic; null where that is not known. */
  readonly ofAll: number | null;
}

/** Running sums over the hours. */
interface Sums {
  readonly requests: Float64Array;
  readonly failing: SummedShare;
  readonly slow: SummedShare;
  readonly late: SummedShare;
}

/**
 * Returns what is usual in each hour of the window; null where neither earlier days nor the hours before are known
 * well enough. Medians over days keep an incident of one day from becoming usual. `ofAll` is what is usual in all
 * traffic: where there are too few requests to tell which share fails, that of all traffic counts.
 */
export function expectTraffic(
  { firstHour, firstMinute, hoursCovered }: TrafficCoverage,
  { requests, failures, timed, reached, slowFor, lateFor }: HourCounts,
  ofAll: readonly (Expectation | null)[] = [],
): (Expectation | null)[] {
  const firstOfWindow = Math.floor(firstMinute / 60) - firstHour;
  const whole = { requests: sumUp(requests), failures: sumUp(failures), timed: sumUp(timed) };
  const [slows, lates, summedReached] = [slowFor.map(sumUp), lateFor.map(sumUp), sumUp(reached)];
  const isCovered = (of: number): boolean => (hoursCovered[of] ?? 0) >= MIN_COVERED;
  return Array.from({ length: hoursCovered.length - firstOfWindow }, (_, place) => {
    const hour = firstOfWindow + place;
    const sums: Sums = {
      requests: whole.requests,
      failing: {
        hits: whole.failures,
        all: whole.requests,
        least: LEAST_FAILING,
        ofAll: ofAll[place]?.failing ?? null,
      },
      slow: {
        hits: slows[Math.floor(place / 24)] ?? whole.timed,
        all: whole.timed,
        least: LEAST_SLOW,
        ofAll: null,
      },
      late: {
        hits: lates[Math.floor(place / 24)] ?? summedReached,
        all: summedReached,
        least: LEAST_SLOW,
        ofAll: null,
      },
    };
    const days = Array.from({ length: USUAL_DAYS }, (_day, day) => hour - 24 * (day + 1)).filter(isCovered);
    if (days.length >= MIN_DAYS) return expectFrom(sums, days, hour, isCovered);
    const before = Array.from({ length: HOURS_BEFORE }, (_hour, back) => hour - 1 - back).filter(isCovered);
    if (before.length < MIN_HOURS) return null;
    const rate = toMedian(before.map((of) => add(sums.requests, of, of) / 60));
    return {
      source: 'hours',
      failing: toUsualShare(sums.failing, before, 0),
      slow: toUsualShare(sums.slow, before, 0),
      late: toUsualShare(sums.late, before, 0),
      rate,
      spread: 0,
      weekday: 1,
      weekdayPeak: 1,
      isWeekKnown: false,
    };
  });
}

function sumUp(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let hour = 0; hour < values.length; hour += 1)
    sums[hour + 1] = (sums[hour] ?? 0) + (values[hour] ?? 0);
  return sums;
}

/** What lies in hours [from, to], as far as there are any. */
function add(sums: Float64Array, from: number, to: number): number {
  const last = Math.min(to + 1, sums.length - 1);
  const first = Math.max(0, from);
  return last <= first ? 0 : (sums[last] ?? 0) - (sums[first] ?? 0);
}

function expectFrom(
  sums: Sums,
  days: readonly number[],
  hour: number,
  isCovered: (hour: number) => boolean,
): Expectation {
  const toRate = (of: number): number => add(sums.requests, of, of) / 60;
  const rates = days.map(toRate);
  const rate = toMedian(rates);
  const spread = MAD_TO_DEVIATION * toMedian(rates.map((of) => Math.abs(of - rate)));
  // Weekends repeat after a week. Five hours together say it: one of them may have been unusual itself.
  const around = [-2, -1, 0, 1, 2].map((by) => hour + by - 24 * USUAL_DAYS).filter(isCovered);
  const weekly = around.map(toRate);
  const usual = around.map((of) => toMedian(days.map((day) => toRate(of - hour + 24 * USUAL_DAYS + day))));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const isWeekKnown = around.length >= 3 && sum(usual) > 0;
  const weekday = isWeekKnown ? sum(weekly) / sum(usual) : 1;
  const weekBefore = hour - 24 * USUAL_DAYS;
  return {
    source: 'days',
    failing: toUsualShare(sums.failing, days, 1),
    slow: toUsualShare(sums.slow, days, 1),
    late: toUsualShare(sums.late, days, 1),
    rate,
    spread,
    weekday,
    weekdayPeak: Math.max(weekday, rate > 0 && isCovered(weekBefore) ? toRate(weekBefore) / rate : 0),
    isWeekKnown,
  };
}

/**
 * The usual share of hits: the larger of the median over whole days and the median over the hours around this one,
 * and at least `least`. Small numbers are pulled towards the daily share. With too few requests it is `ofAll`, or
 * more where those few suggest it.
 */
function toUsualShare(
  { hits, all, least, ofAll }: SummedShare,
  hours: readonly number[],
  around: number,
): number | null {
  const [back, ahead] = around > 0 ? [11, 12] : [0, 0];
  let seen = 0;
  let own = 0;
  const shares: number[] = [];
  for (const hour of hours) {
    const [dayHits, dayAll] = [add(hits, hour - back, hour + ahead), add(all, hour - back, hour + ahead)];
    seen += dayAll;
    own += dayHits;
    if (dayAll > 0) shares.push((dayHits + 0.5) / (dayAll + 1));
  }
  if (seen < MIN_REQUESTS) {
    if (ofAll === null) return null;
    return Math.max(least, ofAll, (own + 0.5 + OF_ALL_REQUESTS * ofAll) / (seen + 1 + OF_ALL_REQUESTS));
  }
  const daily = toMedian(shares);
  const near = hours.map(
    (hour) =>
      (add(hits, hour - around, hour + around) + 30 * daily) / (add(all, hour - around, hour + around) + 30),
  );
  return Math.max(least, daily, toMedian(near));
}

/** The middle of some values; 0 of none. There are a week of them: sorting in place is quicker than a call for each pair. */
function toMedian(values: readonly number[]): number {
  const sorted = values.slice();
  for (let next = 1; next < sorted.length; next += 1) {
    const value = sorted[next] as number;
    let place = next;
    for (; place > 0 && (sorted[place - 1] as number) > value; place -= 1)
      sorted[place] = sorted[place - 1] as number;
    sorted[place] = value;
  }
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return (lower + upper) / 2;
}

/** What is found in counted traffic: all but what the status and what texts of errors tell. */
export type TrafficKind = Exclude<FindingKind, 'down' | 'unreachable' | 'recovered-late' | 'new-errors'>;

interface Counted {
  /** The requests that it is about, and all that could have been. */
  readonly hits: keyof TrafficCounts;
  readonly all: keyof TrafficCounts;
  /** The usual share of them; null where their number is compared. */
  readonly usual: keyof UsualShares | null;
}

/** Which of the counted requests a kind is about. */
export const COUNTED = {
  'errors-up': { hits: 'failures', all: 'requests', usual: 'failing' },
  'volume-down': { hits: 'requests', all: 'requests', usual: null },
  slower: { hits: 'slow', all: 'timed', usual: 'slow' },
  'slow-connector': { hits: 'late', all: 'reached', usual: 'late' },
  'volume-up': { hits: 'requests', all: 'requests', usual: null },
} as const satisfies Readonly<Record<TrafficKind, Counted>>;

/** The kinds, what matters more first. */
export const TRAFFIC_KINDS = FINDING_KINDS.filter((kind): kind is TrafficKind => kind in COUNTED);

/** Kinds that are shares of requests: a larger part of them fails, or takes long. */
export type ShareKind = {
  [Kind in TrafficKind]: (typeof COUNTED)[Kind]['usual'] extends null ? never : Kind;
}[TrafficKind];

export function isShareKind(kind: TrafficKind): kind is ShareKind {
  return COUNTED[kind].usual !== null;
}
