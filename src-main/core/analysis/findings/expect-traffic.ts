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
/** No smaller share of failures is usual. */
export const LEAST_FAILING = 0.005;
const LEAST_SLOW = 0.03;
/** Turns a median absolute deviation into a standard deviation. */
const MAD_TO_DEVIATION = 1.4826;

/** Requests of a kind, and all that could have been: running sums over the hours. */
interface SummedShare {
  readonly hits: Float64Array;
  readonly all: Float64Array;
  /** No smaller share is ever called usual. */
  readonly least: number;
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
  const failing = { hits: whole.failures, all: whole.requests, least: LEAST_FAILING };
  const toSums = (day: number): Sums => ({
    requests: whole.requests,
    failing,
    slow: { hits: slows[day] ?? whole.timed, all: whole.timed, least: LEAST_SLOW },
    late: { hits: lates[day] ?? summedReached, all: summedReached, least: LEAST_SLOW },
  });
  let sums = toSums(0);
  return Array.from({ length: hoursCovered.length - firstOfWindow }, (_, place) => {
    const hour = firstOfWindow + place;
    if (place > 0 && place % 24 === 0) sums = toSums(place / 24);
    const failingOfAll = ofAll[place]?.failing ?? null;
    const days: number[] = [];
    for (let day = 1; day <= USUAL_DAYS; day += 1) if (isCovered(hour - 24 * day)) days.push(hour - 24 * day);
    if (days.length >= MIN_DAYS) return expectFrom(sums, days, hour, { isCovered, failingOfAll });
    const before: number[] = [];
    for (let back = 1; back <= HOURS_BEFORE; back += 1) if (isCovered(hour - back)) before.push(hour - back);
    if (before.length < MIN_HOURS) return null;
    for (const [at, of] of before.entries()) VALUES[at] = add(sums.requests, of, of) / 60;
    const rate = takeMedian(before.length);
    return {
      source: 'hours',
      failing: toUsualShare(sums.failing, before, 0, failingOfAll),
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
  {
    isCovered,
    failingOfAll,
  }: { readonly isCovered: (hour: number) => boolean; readonly failingOfAll: number | null },
): Expectation {
  const { requests } = sums;
  const { length } = days;
  for (let at = 0; at < length; at += 1) VALUES[at] = toRate(requests, days[at] as number);
  const rate = takeMedian(length);
  for (let at = 0; at < length; at += 1) VALUES[at] = Math.abs((VALUES[at] as number) - rate);
  const spread = MAD_TO_DEVIATION * takeMedian(length);
  // Weekends repeat after a week. Five hours together say it: one of them may have been unusual itself.
  let [known, weekly, usual] = [0, 0, 0];
  for (let by = -2; by <= 2; by += 1) {
    const of = hour + by - 24 * USUAL_DAYS;
    if (!isCovered(of)) continue;
    known += 1;
    weekly += toRate(requests, of);
    for (let at = 0; at < length; at += 1) VALUES[at] = toRate(requests, by + (days[at] as number));
    usual += takeMedian(length);
  }
  const isWeekKnown = known >= 3 && usual > 0;
  const weekday = isWeekKnown ? weekly / usual : 1;
  const weekBefore = hour - 24 * USUAL_DAYS;
  return {
    source: 'days',
    failing: toUsualShare(sums.failing, days, 1, failingOfAll),
    slow: toUsualShare(sums.slow, days, 1),
    late: toUsualShare(sums.late, days, 1),
    rate,
    spread,
    weekday,
    weekdayPeak: Math.max(
      weekday,
      rate > 0 && isCovered(weekBefore) ? toRate(requests, weekBefore) / rate : 0,
    ),
    isWeekKnown,
  };
}

function toRate(requests: Float64Array, hour: number): number {
  return add(requests, hour, hour) / 60;
}

/**
 * The usual share of hits: the larger of the median over whole days and the median over the hours around this one,
 * and at least `least`. Small numbers are pulled towards the daily share. With too few requests it is `ofAll`, the usual
 * share of all traffic, or more where those few suggest it; null where that isn't known either.
 */
function toUsualShare(
  { hits, all, least }: SummedShare,
  hours: readonly number[],
  around: number,
  ofAll: number | null = null,
): number | null {
  const [back, ahead] = around > 0 ? [11, 12] : [0, 0];
  let seen = 0;
  let own = 0;
  let shares = 0;
  for (let at = 0; at < hours.length; at += 1) {
    const hour = hours[at] as number;
    const dayAll = add(all, hour - back, hour + ahead);
    if (dayAll <= 0) continue;
    const dayHits = add(hits, hour - back, hour + ahead);
    seen += dayAll;
    own += dayHits;
    VALUES[shares] = (dayHits + 0.5) / (dayAll + 1);
    shares += 1;
  }
  if (seen < MIN_REQUESTS) {
    if (ofAll === null) return null;
    return Math.max(least, ofAll, (own + 0.5 + OF_ALL_REQUESTS * ofAll) / (seen + 1 + OF_ALL_REQUESTS));
  }
  const daily = takeMedian(shares);
  for (let at = 0; at < hours.length; at += 1) {
    const [from, to] = [(hours[at] as number) - around, (hours[at] as number) + around];
    VALUES[at] = (add(hits, from, to) + 30 * daily) / (add(all, from, to) + 30);
  }
  return Math.max(least, daily, takeMedian(hours.length));
}

/** Values to find the middle of, at most one for each day of a week: hundreds of thousands are looked for in a list of days. */
const VALUES = new Float64Array(Math.max(USUAL_DAYS, HOURS_BEFORE));

/** The middle of the first of `VALUES`, which are sorted in place: quicker than a call for each pair. 0 of none. */
function takeMedian(count: number): number {
  for (let next = 1; next < count; next += 1) {
    const value = VALUES[next] as number;
    let place = next;
    for (; place > 0 && (VALUES[place - 1] as number) > value; place -= 1)
      VALUES[place] = VALUES[place - 1] as number;
    VALUES[place] = value;
  }
  if (count === 0) return 0;
  return ((VALUES[Math.ceil(count / 2) - 1] as number) + (VALUES[Math.floor(count / 2)] as number)) / 2;
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
