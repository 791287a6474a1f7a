import type { DifferenceReason, DifferingGroup } from '../../common/model/analysis/comparison.ts';
import { RISING_PARTS, type TimePart, type TimeRise } from '../../common/model/records/conversation.ts';
import type { SummaryGroup } from '../../common/model/records/histogram.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';

const AVERAGES = ['averageResponseTimeMs', 'averageBotLatencyMs'] as const;
type AverageName = (typeof AVERAGES)[number];
type Averages = Readonly<Record<AverageName, number>>;
type Figure = DifferingGroup['figures'][number];
type Reason = DifferingGroup['reasons'][number];

/** A group computed from cached records, with how many of them may be counted otherwise by the service. */
export interface ReconcilableGroup {
  readonly channel: number | null;
  readonly service: number | null;
  readonly origin: string | null;
  readonly responseCode: number | null;
  readonly count: number;
  readonly averageResponseTimeMs: number | null;
  readonly averageBotLatencyMs: number | null;
  /** Records without the figure. */
  readonly untimed: Averages;
  readonly firstSecond: number;
  readonly lastSecond: number;
  /** Dated after the summary was fetched. */
  readonly later: number;
  readonly undated: number;
}

/** What is known about the whole period and may make any group differ. */
export interface Circumstances {
  readonly hasGaps: boolean;
  /** The records were fetched before the summary was, and late ones may have come in between. */
  readonly isFetchedEarlier: boolean;
  /** The summary was fetched when late records could still come. */
  readonly isUnsettled: boolean;
  readonly setAside: number;
  /** Cached records of the period have values that could not be read. */
  readonly hasUnreadValues: boolean;
}

/** Joins what a service reports of one group in several pieces; averages are weighted by the counts (decision 32). */
interface ReportedGroup extends Pick<SummaryGroup, 'channel' | 'service' | 'origin' | 'responseCode'> {
  readonly count: number;
  readonly averageResponseTimeMs: number | null;
  readonly averageBotLatencyMs: number | null;
  readonly pieces: number;
  readonly hasUnread: boolean;
}

/** A group of which figures differ, as either side has it; null where that one lacks it. */
interface ComparedGroup {
  readonly one: ReportedGroup | null;
  readonly other: ReconcilableGroup | null;
  readonly figures: readonly Figure[];
}

/**
 * Returns how far averages may differ and still be equal: a step of the last decimal that the service gives, since it
 * may round or cut. In milliseconds.
 */
export function toTolerances(reported: readonly SummaryGroup[]): Averages {
  const toStep = (name: AverageName): number =>
    10 ** -reported.reduce((most, group) => Math.max(most, countDecimals(group[name])), 0);
  return {
    averageResponseTimeMs: toStep('averageResponseTimeMs'),
    averageBotLatencyMs: toStep('averageBotLatencyMs'),
  };
}

/** Thousandths of a millisecond: what a service gives beyond them is its arithmetic. */
const MAX_DECIMALS = 3;

function countDecimals(value: number | null): number {
  const text = value === null ? '' : String(value);
  const decimals = text.includes('e') ? MAX_DECIMALS : (text.split('.')[1]?.length ?? 0);
  return Math.min(MAX_DECIMALS, decimals);
}

/** Returns the groups of which a count or an average differs, the largest difference of counts first, and all groups. */
export function findDifferences(
  reported: readonly SummaryGroup[],
  computed: readonly ReconcilableGroup[],
  circumstances: Circumstances,
): { readonly differences: readonly DifferingGroup[]; readonly groupCount: number } {
  const tolerances = toTolerances(reported);
  const left = new Map([...Map.groupBy(reported, toKey)].map(([key, pieces]) => [key, joinPieces(pieces)]));
  const right = new Map(computed.map((group) => [toKey(group), group]));
  const keys = new Set([...left.keys(), ...right.keys()]);
  const differences: DifferingGroup[] = [];
  for (const key of keys) {
    const [one, other] = [left.get(key) ?? null, right.get(key) ?? null];
    const group = one ?? other;
    const figures = compareFigures(one, other, tolerances);
    if (group === null || figures.length === 0) continue;
    const { channel, service, origin, responseCode } = group;
    differences.push({
      channel,
      service,
      origin,
      responseCode,
      figures,
      ...explain({ one, other, figures }, circumstances, tolerances),
    });
  }
  const sizeOf = (group: DifferingGroup): number => Math.abs(toCountDifference(group.figures));
  return { differences: differences.sort((a, b) => sizeOf(b) - sizeOf(a)), groupCount: keys.size };
}

function toKey(group: Pick<SummaryGroup, 'channel' | 'service' | 'origin' | 'responseCode'>): string {
  return JSON.stringify([group.channel, group.service, group.origin ?? '', group.responseCode]);
}

function joinPieces(pieces: readonly SummaryGroup[]): ReportedGroup {
  const [first] = pieces as readonly [SummaryGroup];
  const average = (name: AverageName): number | null => {
    const known = pieces.filter((piece) => piece[name] !== null);
    const weight = known.reduce((sum, { count }) => sum + count, 0);
    if (known.length === 1 || weight === 0) return known[0]?.[name] ?? null;
    return known.reduce((sum, piece) => sum + (piece[name] ?? 0) * piece.count, 0) / weight;
  };
  return {
    channel: first.channel,
    service: first.service,
    origin: first.origin,
    responseCode: first.responseCode,
    count: pieces.reduce((sum, { count }) => sum + count, 0),
    averageResponseTimeMs: average('averageResponseTimeMs'),
    averageBotLatencyMs: average('averageBotLatencyMs'),
    pieces: pieces.length,
    hasUnread: pieces.some(({ extra, responseCode }) => extra !== undefined || responseCode === null),
  };
}

function compareFigures(
  one: ReportedGroup | null,
  other: ReconcilableGroup | null,
  tolerances: Averages,
): Figure[] {
  const figures: Figure[] = [];
  const [reported, computed] = [one?.count ?? 0, other?.count ?? 0];
  if (reported !== computed) figures.push({ name: 'count', reported, computed });
  // Of a group that one side lacks, the counts say everything.
  if (one === null || other === null) return figures;
  for (const name of AVERAGES) {
    if (!isSame(one[name], other[name], tolerances[name]))
      figures.push({ name, reported: one[name], computed: other[name] });
  }
  return figures;
}

/** A service gives 0 where no request of a group was timed. */
function isSame(reported: number | null, computed: number | null, tolerance: number): boolean {
  if (reported === null || computed === null) return (reported ?? 0) === 0 && (computed ?? 0) === 0;
  return Math.abs(reported - computed) <= tolerance + 1e-9 * Math.abs(reported);
}

function toCountDifference(figures: readonly Figure[]): number {
  const count = figures.find(({ name }) => name === 'count');
  return (count?.computed ?? 0) - (count?.reported ?? 0);
}

function explain(
  { one, other, figures }: ComparedGroup,
  circumstances: Circumstances,
  tolerances: Averages,
): Pick<DifferingGroup, 'reasons' | 'isExplained'> {
  const difference = toCountDifference(figures);
  const joined: Reason[] =
    one !== null && one.pieces > 1 ? [{ code: 'reported-twice', count: one.pieces }] : [];
  const unread: Reason[] =
    one?.hasUnread === true || circumstances.hasUnreadValues ? [{ code: 'unread-values', count: null }] : [];
  if (difference > 0) {
    const counted = listCounted(other);
    const exact = findExact(counted, difference);
    if (exact !== null) return { reasons: exact, isExplained: true };
    return {
      reasons: [...counted, ...listTimes(circumstances, 'not-settled'), ...joined, ...unread],
      isExplained: false,
    };
  }
  if (difference < 0) {
    const gaps: Reason[] = circumstances.hasGaps ? [{ code: 'gaps', count: null }] : [];
    const { setAside } = circumstances;
    const aside: Reason[] = setAside > 0 ? [{ code: 'set-aside', count: setAside }] : [];
    const times = listTimes(circumstances, 'fetched-earlier');
    return { reasons: [...gaps, ...times, ...aside, ...joined, ...unread], isExplained: false };
  }
  const untimed = figures.flatMap((figure) => listUntimed(figure, other, tolerances));
  const isExplained = untimed.length > 0 && untimed.every(({ isExact }) => isExact);
  const reasons = untimed.map(({ count }): Reason => ({ code: 'untimed', count }));
  return { reasons: isExplained ? reasons : [...reasons, ...joined, ...unread], isExplained };
}

function listCounted(other: ReconcilableGroup | null): Reason[] {
  const counts: readonly (readonly [DifferenceReason, number])[] = [
    ['later-records', other?.later ?? 0],
    ['last-second', other?.lastSecond ?? 0],
    ['first-second', other?.firstSecond ?? 0],
    ['undated', other?.undated ?? 0],
  ];
  return counts.flatMap(([code, count]) => (count > 0 ? [{ code, count }] : []));
}

/** One reason that makes up the difference, or all together. */
function findExact(reasons: readonly Reason[], difference: number): Reason[] | null {
  const single = reasons.find(({ count }) => count === difference);
  if (single !== undefined) return [single];
  const sum = reasons.reduce((total, { count }) => total + (count ?? 0), 0);
  return sum === difference ? [...reasons] : null;
}

function listTimes(
  { isFetchedEarlier, isUnsettled }: Circumstances,
  code: 'not-settled' | 'fetched-earlier',
): Reason[] {
  const applies = code === 'not-settled' ? isUnsettled && !isFetchedEarlier : isFetchedEarlier;
  return applies ? [{ code, count: null }] : [];
}

/** A service that counts a missing figure as 0 gives an average that is smaller by their share. */
function listUntimed(
  { name, reported }: Figure,
  other: ReconcilableGroup | null,
  tolerances: Averages,
): { readonly count: number; readonly isExact: boolean }[] {
  if (name === 'count' || other === null || other.untimed[name] === 0) return [];
  const count = other.untimed[name];
  const diluted = ((other[name] ?? 0) * (other.count - count)) / other.count;
  return [{ count, isExact: isSame(reported, diluted, tolerances[name]) }];
}

/** Fewer messages say little about how long they take. */
const MIN_COUNT = 20;
/** A place with fewer in a bucket is looked at in longer ones, up to so many buckets together. */
const WANTED_COUNT = 40;
const MAX_TOGETHER = 12;
/** Buckets that say what is usual before anything can have risen. */
const MIN_USUAL = 6;
/** What has risen is so many times the usual, and longer by so much. */
const MIN_RATIO = 1.4;
const MIN_RISE_MS = 10;
/** And so many standard errors above it in each of two buckets that follow each other, and in both together. */
const MIN_DEVIATION = 2.5;
const MIN_JOINT_DEVIATION = 4.5;
/** It is over where two buckets are back below this share of the rise. */
const BACK_SHARE = 1 / 3;
/** The spread of a normal distribution by its median deviation. */
const SPREAD = 1.4826;
const MAX_RISES = 5;

/** The time of a place in each bucket: of its messages, or of its requests. */
export interface TimedPlace {
  readonly field: TimeRise['field'];
  readonly value: number | null;
  readonly part: TimePart;
  readonly points: readonly TimedPoint[];
}

interface TimedPoint {
  readonly count: number;
  readonly ms: number;
  /** The sum of the squares of the single times. */
  readonly squares: number;
}

interface Point extends TimedPoint, TimeSpan {}

/**
 * Finds the places and parts whose time for each message rose above what it was in the buckets before, the first one
 * first. Where several rose together, a service and the channels that use it, the one with the steepest rise comes first.
 * Nothing is said of a place with too few messages, and of one that was slow from the beginning on: it did not become so.
 */
export function findRises(places: readonly TimedPlace[], buckets: readonly TimeSpan[]): TimeRise[] {
  const found = places.flatMap((place) => {
    const part = RISING_PARTS.find((one) => one === place.part);
    if (part === undefined) return [];
    const points = joinPoints(place.points, buckets);
    const rise = findRise(points);
    if (rise === null) return [];
    const { field, value } = place;
    const widthMs = points.reduce((most, { fromMs, toMs }) => Math.max(most, toMs - fromMs), 0);
    return [{ rise: { field, value, part, ...rise }, widthMs }];
  });
  const rest = found.sort((a, b) => a.rise.fromMs - b.rise.fromMs);
  const ordered: TimeRise[] = [];
  while (rest.length > 0) {
    const [first] = rest;
    if (first === undefined) break;
    // Longer buckets begin earlier or end later than what happened in them.
    const together = rest.filter(
      ({ rise, widthMs }) => rise.fromMs - first.rise.fromMs <= Math.max(widthMs, first.widthMs),
    );
    for (const one of together) rest.splice(rest.indexOf(one), 1);
    ordered.push(...together.map(({ rise }) => rise).sort((a, b) => toSteepness(b) - toSteepness(a)));
  }
  return ordered.slice(0, MAX_RISES);
}

/** Joins as many neighbours as a place with little traffic needs. */
function joinPoints(points: readonly TimedPoint[], buckets: readonly TimeSpan[]): Point[] {
  const counts = points.map(({ count }) => count).filter((count) => count > 0);
  const typical = findMedian(counts);
  const together = Math.min(MAX_TOGETHER, Math.max(1, Math.ceil(WANTED_COUNT / Math.max(1, typical))));
  const joined: Point[] = [];
  for (let start = 0; start < buckets.length; start += together) {
    const [first, last] = [buckets[start], buckets[Math.min(start + together, buckets.length) - 1]];
    if (first === undefined || last === undefined) break;
    const own = points.slice(start, start + together);
    const sum = (name: keyof TimedPoint): number => own.reduce((all, point) => all + point[name], 0);
    joined.push({
      fromMs: first.fromMs,
      toMs: last.toMs,
      count: sum('count'),
      ms: sum('ms'),
      squares: sum('squares'),
    });
  }
  return joined;
}

function findRise(
  points: readonly Point[],
): Pick<TimeRise, 'fromMs' | 'toMs' | 'usualMs' | 'risenMs' | 'count'> | null {
  const told = points.filter(({ count }) => count >= MIN_COUNT);
  const usual: Point[] = [];
  for (let place = 0; place < told.length - 1; place += 1) {
    const [own, next] = [told[place], told[place + 1]];
    if (own === undefined || next === undefined) break;
    const level = usual.length < MIN_USUAL ? null : measureUsual(usual);
    const both = joinBoth(own, next);
    if (
      level !== null &&
      [own, next].every((point) => isRisen(point, level, MIN_DEVIATION)) &&
      isRisen(both, level, MIN_JOINT_DEVIATION)
    ) {
      const end = findEnd(told.slice(place), level.meanMs);
      const lasting = told.slice(place, end === null ? undefined : place + end);
      const count = lasting.reduce((all, point) => all + point.count, 0);
      return {
        fromMs: own.fromMs,
        toMs: end === null ? null : (told[place + end]?.fromMs ?? null),
        usualMs: level.meanMs,
        risenMs: lasting.reduce((all, { ms }) => all + ms, 0) / count,
        count,
      };
    }
    // One bucket by itself is neither a rise nor usual.
    if (level === null || !isRisen(own, level, MIN_DEVIATION)) usual.push(own);
  }
  return null;
}

interface Level {
  readonly meanMs: number;
  /** How far buckets are from it by themselves. */
  readonly spreadMs: number;
  readonly variance: number;
}

function measureUsual(points: readonly Point[]): Level {
  const means = points.map(({ ms, count }) => ms / count);
  const count = points.reduce((all, point) => all + point.count, 0);
  const middle = findMedian(means);
  return {
    meanMs: points.reduce((all, { ms }) => all + ms, 0) / count,
    spreadMs: SPREAD * findMedian(means.map((mean) => Math.abs(mean - middle))),
    variance: points.reduce((all, point) => all + toVariance(point) * point.count ** 2, 0) / count ** 2,
  };
}

/** Of the mean of a bucket, by how its times differ. */
function toVariance({ count, ms, squares }: Point): number {
  return Math.max(0, squares - ms ** 2 / count) / count ** 2;
}

function joinBoth(one: Point, other: Point): Point {
  return {
    fromMs: one.fromMs,
    toMs: other.toMs,
    count: one.count + other.count,
    ms: one.ms + other.ms,
    squares: one.squares + other.squares,
  };
}

function isRisen(point: Point, { meanMs, spreadMs, variance }: Level, deviation: number): boolean {
  const mean = point.ms / point.count;
  const error = Math.sqrt(toVariance(point) + variance + spreadMs ** 2);
  return mean >= meanMs * MIN_RATIO && mean >= meanMs + MIN_RISE_MS && mean >= meanMs + deviation * error;
}

/** The place of the first of two points that are back near the usual; null where there are none. */
function findEnd(points: readonly Point[], usualMs: number): number | null {
  const highest = points.slice(0, 2).reduce((most, { ms, count }) => Math.max(most, ms / count), 0);
  const isBack = (point: Point | undefined): boolean =>
    point !== undefined && point.ms / point.count < usualMs + (highest - usualMs) * BACK_SHARE;
  const end = points.findIndex(
    (point, place) => isBack(point) && (points[place + 1] === undefined || isBack(points[place + 1])),
  );
  return end < 0 ? null : end;
}

function findMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** How many times the usual, of a usual of nothing too. */
function toSteepness({ risenMs, usualMs }: Pick<TimeRise, 'risenMs' | 'usualMs'>): number {
  return risenMs / Math.max(1, usualMs);
}
