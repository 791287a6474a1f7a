import { RISING_PARTS, type TimePart, type TimeRise } from '../../common/model/records/conversation.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';

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
