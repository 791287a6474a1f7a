import { FINDING_KIND_ROWS } from '../../../common/model/analysis/finding-kinds.ts';
import {
  compareWithUsual,
  countKnownDays,
  DAY_SLOTS,
  SHORT_SLOTS,
  toMiddle,
  type LongMeasure,
  type LongResiduals,
  type LongSeries,
} from './long-series.ts';
import type { TrafficKind } from './expect-traffic.ts';
import { findRare, SHORT, type Rare, judgeOnAndOff, type OnAndOff } from './rare-sizes.ts';

/** What lasts for hours or days is told of these kinds. */
export const LONG_KINDS = ['volume-down', 'slower', 'volume-up'] as const satisfies readonly TrafficKind[];
export type LongKind = (typeof LONG_KINDS)[number];

/** Something unusual, in slots of a series. */
export interface LongRun {
  readonly kind: LongKind;
  /** What lasts for minutes is compared with the days before, as it is when minutes tell it. */
  readonly source: 'days' | 'weeks';
  readonly from: number;
  /** The slot after it; null while it goes on. */
  readonly to: number | null;
  /** How many times the least size that is told it has. */
  readonly strength: number;
  /** Requests, and how many were usual. */
  readonly seen: number;
  readonly usual: number;
}

/** How a place's traffic of hours and days compares with its own weeks before. */
export interface LongJudge {
  /** What of a kind is rare in so many slots; null where too little is known. */
  readonly readRare: (kind: LongKind, slots: number) => Rare | null;
  readonly read: (kind: LongKind) => LongResiduals;
  /** True where slots [from, to) have what is told of hours and days. */
  readonly isLarge: (kind: LongKind, from: number, to: number) => boolean;
  readonly scan: () => LongRun[];
  /** What judges its silences; null where there are none. */
  readonly readOnAndOff: () => OnAndOff | null;
}

/** The most unusual five minutes of a slot stand for what is shorter than one. */
const WINDOWS = [SHORT, 1, 2, 4, 12, 24, 48];
/** What is shorter is told by the minutes. */
const SCANNED = [4, 12, 24, 48];
/** A run begins and ends with this long of at least half the size. */
const EDGE = 4;
const OF_EDGE = 0.5;
/** A smaller size is not worth telling however rare it is: in windows shorter than six hours, and from then on. */
const toLeast = (kind: 'volume-down' | 'volume-up'): readonly [short: number, long: number] => {
  const { minutes, weeks } = FINDING_KIND_ROWS[kind].ratio;
  return [Math.abs(Math.log(minutes)), Math.abs(Math.log(weeks))];
};
const LEAST: Readonly<Record<LongKind, readonly [short: number, long: number]>> = {
  'volume-down': toLeast('volume-down'),
  slower: [Math.log(1.25), Math.log(1.25)],
  'volume-up': toLeast('volume-up'),
};
/** What is compared of each. */
export const MEASURES: Readonly<Record<LongKind, LongMeasure>> = {
  'volume-down': 'volume',
  slower: 'time',
  'volume-up': 'volume',
};
const LONG_FROM = 12;
export const SIGN: Readonly<Record<LongKind, 1 | -1>> = { 'volume-down': -1, slower: 1, 'volume-up': 1 };
/** Hours and days are told of by themselves once so many are known. */
const MIN_SCAN_DAYS = 26;
/** What is told is rarer than the rarest of two months by this factor. */
const LEAST_STRENGTH = 1.3;
/** Runs with less than this between them are one. */
const JOIN_SLOTS = 12;
/** So much more likely, as a logarithm, are requests to be fewer or more than usual than to be as usual. */
const CERTAIN = 12;
/** As six standard deviations of the mean of times whose logarithms vary by 0.8. */
const CERTAIN_TIME = 5;

/** Returns what judges the last days of a place by its weeks before. */
export function judgeWeeks(series: LongSeries): LongJudge {
  const compared = new Map<LongKind, ReturnType<typeof compareWithUsual>>();
  const compare = (kind: LongKind): ReturnType<typeof compareWithUsual> => {
    const known = compared.get(kind) ?? compareWithUsual(series, MEASURES[kind], SIGN[kind]);
    compared.set(kind, known);
    return known;
  };
  const levels = new Map<string, Rare | null>();
  const readRare = (kind: LongKind, slots: number): Rare | null => {
    const window = WINDOWS.findLast((own) => own <= slots) ?? SHORT;
    const key = `${kind} ${String(window)}`;
    const known = levels.get(key);
    if (known !== undefined) return known;
    const past = compare(kind).readPast();
    const measure = (to: number): number | null => {
      const own = window === SHORT ? past.compareShort(to - 1) : past.compare(to - window, to);
      return own === null ? null : SIGN[kind] * own;
    };
    const level = findRare(measure, window, series.judged);
    levels.set(key, level);
    return level;
  };
  let onAndOff: OnAndOff | null | undefined = undefined;
  return {
    readRare,
    readOnAndOff: () => (onAndOff === undefined ? (onAndOff = judgeOnAndOff(series)) : onAndOff),
    read: (kind) => compare(kind).recent,
    isLarge: (kind, from, to) => SIGN[kind] * (compare(kind).recent.compare(from, to) ?? 0) >= LEAST[kind][1],
    scan: () => [
      ...(countKnownDays(series) < MIN_SCAN_DAYS
        ? []
        : LONG_KINDS.flatMap((kind) => scanKind(series, kind, compare(kind).recent, readRare))),
      ...(countKnownDays(series) < MIN_PEAK_DAYS
        ? []
        : PEAK_KINDS.flatMap((kind) => findPeaks(series, kind, () => compare(kind).recent))),
      ...findLeak(series),
    ],
  };
}

function scanKind(
  { judged, requests }: LongSeries,
  kind: LongKind,
  { compare, count }: LongResiduals,
  readRare: LongJudge['readRare'],
): LongRun[] {
  const sign = SIGN[kind];
  const length = requests.length;
  const spans: { from: number; to: number; strength: number }[] = [];
  for (const window of SCANNED) {
    const least = LEAST[kind][window < LONG_FROM ? 0 : 1];
    for (let to = judged + 1; to <= length; to += 1) {
      const own = sign * (compare(to - window, to) ?? 0);
      if (own < least || !isCertain(kind, own, count(to - window, to))) continue;
      // Only now, since it takes the whole of the weeks before.
      const rare = readRare(kind, window);
      if (rare === null || rare.days < MIN_SCAN_DAYS) break;
      const size = Math.max(rare.rare, rare.reached);
      if (own >= size) spans.push({ from: to - window, to, strength: own / Math.max(size, least) });
    }
  }
  spans.sort((a, b) => a.from - b.from);
  const joined: typeof spans = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last === undefined || span.from > last.to + JOIN_SLOTS) joined.push({ ...span });
    else {
      last.to = Math.max(last.to, span.to);
      last.strength = Math.max(last.strength, span.strength);
    }
  }
  let most = LEAST_STRENGTH;
  return joined.flatMap(({ from, to, strength }) => {
    // What came once in these days is rare no more, unless it is larger.
    if (strength <= most) return [];
    most = strength;
    const isLarge = (slot: number): boolean =>
      sign * (compare(slot, slot + EDGE) ?? 0) >= OF_EDGE * LEAST[kind][1];
    let [first, last] = [from, to];
    while (first < to - EDGE && !isLarge(first)) first += 1;
    while (last > first + EDGE && !isLarge(last - EDGE)) last -= 1;
    const { seen, usual } = count(first, last);
    const end = last >= length ? null : last;
    return [{ kind, source: 'weeks', from: first, to: end, strength, seen, usual }];
  });
}

function isCertain(
  kind: LongKind,
  size: number,
  { seen, usual, timed }: ReturnType<LongResiduals['count']>,
): boolean {
  if (MEASURES[kind] === 'time') return size * Math.sqrt(timed) >= CERTAIN_TIME;
  return seen * Math.log(Math.max(seen, 0.5) / Math.max(usual, 0.5)) - (seen - usual) >= CERTAIN;
}

const PEAK_KINDS = ['slower', 'volume-up'] as const satisfies readonly LongKind[];
/** A whole week is known, its busiest day among it. */
const MIN_PEAK_DAYS = 7;
/** A peak is at least so much larger than the largest before it. */
const LEAST_PEAK = Math.log(1.3);
/**
 * It is so by this many standard deviations of what chance makes of so few requests: times are far from normal, and differ
 * more by chance than their spread says.
 */
const PEAK_DEVIATIONS = { volume: 2, time: 3 } as const;
/** Half an hour with fewer requests says nothing, and small numbers say little. */
const MIN_PEAK = 20;
const SMALL_PEAK = 5;
const SMALL_SHORT_PEAK = 3;

/**
 * Half hours beyond all of the days before, whatever is usual at their hour: with more requests than any, or in which they
 * took longer. Those or their worst five minutes are so by far.
 */
function findPeaks(
  series: LongSeries,
  kind: (typeof PEAK_KINDS)[number],
  readRecent: () => LongResiduals,
): LongRun[] {
  const { judged, covered, requests, timed, logTimes, most, slowest } = series;
  const isVolume = MEASURES[kind] === 'volume';
  const isKnown = (slot: number): boolean =>
    covered[slot] === 1 && ((isVolume ? requests : timed)[slot] as number) >= MIN_PEAK;
  const readLong = (slot: number): number => {
    if (!isKnown(slot)) return -Infinity;
    return isVolume ? (requests[slot] as number) : (logTimes[slot] as number) / (timed[slot] as number);
  };
  let [before, since] = [-Infinity, -Infinity];
  for (let slot = 0; slot < judged; slot += 1) before = Math.max(before, readLong(slot));
  for (let slot = judged; slot < requests.length; slot += 1) since = Math.max(since, readLong(slot));
  if (since <= before) return [];
  const readShort = (slot: number): number => {
    const own = (isVolume ? most : slowest)[slot] as number;
    return isKnown(slot) && !Number.isNaN(own) ? own : -Infinity;
  };
  const toLog = (small: number) => (value: number) => (isVolume ? Math.log(value + small) : value);
  let spread: number | null = null;
  /** What chance makes of the logarithm in a part of a slot. */
  const toError = (part: number) => (slot: number, largest: number) => {
    if (isVolume) return 1 / Math.sqrt(largest);
    spread ??= measureSpread(series);
    return spread / Math.sqrt((timed[slot] as number) * part);
  };
  const deviations = PEAK_DEVIATIONS[MEASURES[kind]];
  const long = judgePeaks(readLong, judged, { toLog: toLog(SMALL_PEAK), toError: toError(1), deviations });
  const short = judgePeaks(readShort, judged, {
    toLog: toLog(SMALL_SHORT_PEAK),
    toError: toError(1 / SHORT_SLOTS),
    deviations,
  });
  const at = isVolume ? series.mostAt : series.slowestAt;
  const runs: LongRun[] = [];
  let [last, least] = [-1, Infinity];
  for (let slot = judged; slot < requests.length; slot += 1) {
    const [whole, worst] = [long(slot), short(slot)];
    const isMore = last === slot - 1 && readLong(slot) > least;
    if (!isMore && !(whole.size > 0 && (whole.isFar || worst.isFar))) continue;
    if (!isMore) least = whole.largest;
    last = slot;
    const seen = requests[slot] as number;
    const usual = toUsualRequests(series, slot, readRecent());
    const to = slot + 1 < requests.length ? slot + 1 : null;
    const run = runs.at(-1);
    if (isMore && run !== undefined) {
      runs[runs.length - 1] = { ...run, to, seen: run.seen + seen, usual: run.usual + usual };
      continue;
    }
    const strength = Math.exp(Math.max(whole.size, worst.size));
    const own: LongRun = { kind, source: 'days', from: slot, to, strength, seen, usual };
    const from = slot + (at[slot] as number) / SHORT_SLOTS;
    const ofMinutes = {
      from,
      to: from + 1 / SHORT_SLOTS,
      seen: most[slot] as number,
      usual: usual / SHORT_SLOTS,
    };
    runs.push(whole.isFar ? own : { ...own, ...ofMinutes });
  }
  return runs;
}

interface Peak {
  /** The largest before it, and how much larger it is itself: a logarithm. */
  readonly largest: number;
  readonly size: number;
  /** True for what is larger than that by as much as that is larger than the largest of a usual day. */
  readonly isFar: boolean;
}

/** Returns what judges slots, one after the other, against all before them. */
function judgePeaks(
  read: (slot: number) => number,
  judged: number,
  {
    toLog,
    toError,
    deviations,
  }: {
    /** The logarithm of what is read. */
    readonly toLog: (value: number) => number;
    readonly toError: (slot: number, largest: number) => number;
    readonly deviations: number;
  },
): (slot: number) => Peak {
  const days: number[] = [];
  for (let to = judged; to >= DAY_SLOTS; to -= DAY_SLOTS) {
    let most = -Infinity;
    for (let slot = to - DAY_SLOTS; slot < to; slot += 1) most = Math.max(most, read(slot));
    if (most > -Infinity) days.push(most);
  }
  const isEnough = days.length >= MIN_PEAK_DAYS;
  const ofDay = isEnough ? toLog(toMiddle(days)) : 0;
  let sofar = Math.max(...days);
  return (slot) => {
    const [own, largest] = [read(slot), sofar];
    if (!isEnough || own <= largest) return { largest, size: -Infinity, isFar: false };
    sofar = own;
    const size = toLog(own) - toLog(largest);
    const isFar =
      size >= Math.max(LEAST_PEAK, toLog(largest) - ofDay) && size >= deviations * toError(slot, largest);
    return { largest, size, isFar };
  };
}

/** How much the logarithms of times differ from request to request, by the means of half hours that follow one another. */
function measureSpread({ judged, covered, timed, logTimes }: LongSeries): number {
  const differences: number[] = [];
  for (let slot = 1; slot < judged; slot += 1) {
    const [before, own] = [timed[slot - 1] as number, timed[slot] as number];
    if (covered[slot - 1] !== 1 || covered[slot] !== 1 || before === 0 || own === 0) continue;
    const change = (logTimes[slot] as number) / own - (logTimes[slot - 1] as number) / before;
    differences.push(Math.abs(change) / Math.sqrt(1 / own + 1 / before));
  }
  return MAD_TO_DEVIATION * toMiddle(differences);
}

/** Requests that are usual in a slot, of any day of the week where few weeks are known. */
function toUsualRequests(
  { judged, covered, requests }: LongSeries,
  slot: number,
  recent: LongResiduals,
): number {
  const { usual } = recent.count(slot, slot + 1);
  if (usual > 0) return usual;
  const days: number[] = [];
  for (let own = slot % DAY_SLOTS; own < judged; own += DAY_SLOTS)
    if (covered[own] === 1) days.push(requests[own] ?? 0);
  return toMiddle(days);
}

/** Days just before are left out of what a slow change is compared with. */
const LEAK_REFERENCE_FROM = 12;
const MIN_REFERENCE_DAYS = 9;
const MIN_DAY_TIMED = 20;
const LEAST_LEAK = Math.log(1.22);
const LEAK_DEVIATIONS = 5;
const MAD_TO_DEVIATION = 1.4826;
const LEAST_DEVIATION = 0.01;

/** Of fewer days nothing is told by weeks: each day of those that a slow change is compared with is half known at least. */
export const LEAST_DAYS = Math.min(MIN_SCAN_DAYS, MIN_PEAK_DAYS, MIN_REFERENCE_DAYS / 2);

/** Times that grow day by day, each day a little: the last two days against days of weeks ago, and those between. */
function findLeak(series: LongSeries): LongRun[] {
  const { requests, timed, logTimes, covered } = series;
  const length = requests.length;
  const days: number[] = [];
  for (let to = length; to >= DAY_SLOTS; to -= DAY_SLOTS) {
    let [known, sum, count] = [0, 0, 0];
    for (let slot = to - DAY_SLOTS; slot < to; slot += 1) {
      if (covered[slot] !== 1) continue;
      known += 1;
      sum += logTimes[slot] ?? 0;
      count += timed[slot] ?? 0;
    }
    days.push(known < DAY_SLOTS / 2 || count < MIN_DAY_TIMED ? NaN : sum / count);
  }
  const reference = days.slice(LEAK_REFERENCE_FROM).filter((value) => !Number.isNaN(value));
  if (reference.length < MIN_REFERENCE_DAYS) return [];
  const usual = toMiddle([...reference]);
  const deviation = Math.max(
    LEAST_DEVIATION,
    MAD_TO_DEVIATION * toMiddle(reference.map((value) => Math.abs(value - usual))),
  );
  const mean = (from: number): number => ((days[from] ?? NaN) + (days[from + 1] ?? NaN)) / 2;
  const size = mean(0) - usual;
  const isGrowing =
    mean(0) > mean(3) + deviation && mean(3) > mean(6) + deviation && mean(6) > usual + deviation;
  if (!(size >= LEAST_LEAK && size >= LEAK_DEVIATIONS * deviation && isGrowing)) return [];
  let day = 0;
  while (day + 1 < days.length && (days[day + 1] ?? NaN) > usual + 2 * deviation) day += 1;
  const from = length - (day + 1) * DAY_SLOTS;
  const strength = size / LEAST_LEAK;
  return [{ kind: 'slower', source: 'weeks', from, to: null, strength, seen: 0, usual: 0 }];
}
