import type { Latency } from '../../../../common/model/analysis/grouping.ts';
import { toQuantileRanks, type Interval } from '../../../../common/statistics/interval.ts';

/** Values and how often each occurs, in any order; one that comes again is added up. Without counts each occurs once. */
export interface CountedValues {
  readonly values: Float64Array;
  readonly counts: Float64Array | null;
}

/** Rising values, and how many there are up to each. */
export interface RankedValues {
  readonly values: Float64Array;
  readonly upto: Float64Array;
}

/** Whole numbers that lie so much closer together than there are values are counted by their place, without sorting. */
const MAX_PLACES_PER_VALUE = 8;

/** Returns values as they rise. */
export function rankValues(counted: CountedValues): RankedValues {
  return rankByPlace(counted) ?? rankBySorting(counted);
}

function rankByPlace({ values, counts }: CountedValues): RankedValues | null {
  let least = Infinity;
  let most = -Infinity;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    if (!Number.isInteger(value)) return null;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (values.length === 0 || most - least >= values.length * MAX_PLACES_PER_VALUE) return null;
  const places = new Float64Array(most - least + 1);
  for (let at = 0; at < values.length; at += 1) {
    const place = (values[at] ?? 0) - least;
    places[place] = (places[place] ?? 0) + (counts === null ? 1 : (counts[at] ?? 0));
  }
  return accumulate(places, (place) => least + place);
}

function rankBySorting({ values, counts }: CountedValues): RankedValues {
  const sorted = values.toSorted();
  const places = new Float64Array(sorted.length);
  for (let at = 0; at < values.length; at += 1) {
    const place = findFirst(sorted, values[at] ?? 0);
    places[place] = (places[place] ?? 0) + (counts === null ? 1 : (counts[at] ?? 0));
  }
  return accumulate(places, (place) => sorted[place] ?? 0);
}

/** Returns the values of several, as they rise. */
export function joinRanked(parts: readonly RankedValues[]): RankedValues {
  const length = parts.reduce((sum, { values }) => sum + values.length, 0);
  const [values, counts] = [new Float64Array(length), new Float64Array(length)];
  let at = 0;
  for (const part of parts) {
    values.set(part.values, at);
    for (let place = 0; place < part.upto.length; place += 1)
      counts[at + place] = (part.upto[place] ?? 0) - (part.upto[place - 1] ?? 0);
    at += part.values.length;
  }
  return rankValues({ values, counts });
}

/** Leaves out what occurs nowhere. */
function accumulate(counts: Float64Array, toValue: (place: number) => number): RankedValues {
  const values = new Float64Array(counts.length);
  const upto = new Float64Array(counts.length);
  let [length, sum] = [0, 0];
  for (let place = 0; place < counts.length; place += 1) {
    const count = counts[place] ?? 0;
    if (count === 0) continue;
    sum += count;
    values[length] = toValue(place);
    upto[length] = sum;
    length += 1;
  }
  return { values: values.subarray(0, length), upto: upto.subarray(0, length) };
}

/** Returns the first place of rising numbers whose number is not below a value; their length where all are. */
function findFirst(rising: Float64Array, value: number): number {
  let [from, until] = [0, rising.length];
  while (from < until) {
    const middle = (from + until) >>> 1;
    if ((rising[middle] ?? 0) < value) from = middle + 1;
    else until = middle;
  }
  return from;
}

/** Returns the value at a rank, from 1 to the number of values. */
function findAtRank({ values, upto }: RankedValues, rank: number): number {
  return values[findFirst(upto, rank)] ?? NaN;
}

/** Returns how many values there are. */
export function countRanked({ upto }: RankedValues): number {
  return upto.at(-1) ?? 0;
}

/** Returns the percentile that a quantile names, as a Latency has it; null of no values. */
export function toPercentile(ranked: RankedValues, quantile: number): number | null {
  const count = countRanked(ranked);
  if (count === 0) return null;
  const place = quantile * (count - 1);
  const low = findAtRank(ranked, Math.floor(place) + 1);
  const high = findAtRank(ranked, Math.ceil(place) + 1);
  const share = place % 1;
  const between = low + (high - low) * share;
  // The difference of the largest numbers is beyond any.
  return Number.isFinite(between) ? between : low * (1 - share) + high * share;
}

/** Returns the interval that a quantile of what the values are a sample of lies in; null of too few values. */
export function toQuantileInterval(ranked: RankedValues, quantile: number, level?: number): Interval | null {
  const ranks = toQuantileRanks(countRanked(ranked), quantile, level);
  return ranks === null ? null : { low: findAtRank(ranked, ranks.low), high: findAtRank(ranked, ranks.high) };
}

/** Returns the average; null of no values. */
function toAverage({ values, upto }: RankedValues): number | null {
  const total = upto.at(-1) ?? 0;
  if (total === 0) return null;
  const addUp = (divisor: number): number => {
    let sum = 0;
    let before = 0;
    for (let place = 0; place < upto.length; place += 1) {
      const count = upto[place] ?? 0;
      sum += (values[place] ?? 0) * ((count - before) / divisor);
      before = count;
    }
    return sum;
  };
  const average = addUp(1) / total;
  // The sum of the largest numbers is beyond any.
  return Number.isFinite(average) ? average : addUp(total);
}

/** Returns the figures of values that are times in milliseconds. */
export function measureRanked(ranked: RankedValues): Latency {
  return {
    count: countRanked(ranked),
    averageMs: toAverage(ranked),
    medianMs: toPercentile(ranked, 0.5),
    p90Ms: toPercentile(ranked, 0.9),
    p95Ms: toPercentile(ranked, 0.95),
    p99Ms: toPercentile(ranked, 0.99),
    maxMs: ranked.values.at(-1) ?? null,
  };
}
