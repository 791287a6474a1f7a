/** A confidence interval, both ends included. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The level of every interval that a screen prints. */
export const DEFAULT_LEVEL = 0.95;

/**
 * Returns the interval of the difference `after - before` of two independent estimates, from the interval of each: the
 * square-and-add method of Newcombe (1998), which Zou and Donner (2008) extend to any two estimates.
 */
export function subtractIntervals(
  before: { readonly value: number; readonly interval: Interval },
  after: { readonly value: number; readonly interval: Interval },
): Interval {
  const difference = after.value - before.value;
  return {
    low: difference - Math.hypot(after.value - after.interval.low, before.interval.high - before.value),
    high: difference + Math.hypot(after.interval.high - after.value, before.value - before.interval.low),
  };
}

/** Returns whether an interval lies on one side of a value: then the difference from it is not chance alone. */
export function isOutside({ low, high }: Interval, value: number): boolean {
  return low > value || high < value;
}

/**
 * Returns the ranks, counted from 1, of the two values of a sorted sample between which a quantile of what was sampled
 * lies, whatever its distribution (Campbell and Gardner, 1988). Null where the sample is too small to tell.
 */
export function toQuantileRanks(count: number, quantile: number, level = DEFAULT_LEVEL): Interval | null {
  const spread = toDeviations(level) * Math.sqrt(count * quantile * (1 - quantile));
  const low = Math.round(count * quantile - spread);
  const high = Math.round(1 + count * quantile + spread);
  return low < 1 || high > count ? null : { low, high };
}

/** Coefficients of Acklam's rational approximation; its relative error is below 1.2e-9. */
const CENTRE_TOP = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
  2.506628277459239,
];
const CENTRE_BOTTOM = [
  -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1,
];
const TAIL_TOP = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const TAIL_BOTTOM = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];
const TAIL_BELOW = 0.02425;

function evaluate(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}

function toNormalQuantile(share: number): number {
  if (share > 0.5) return -toNormalQuantile(1 - share);
  if (share < TAIL_BELOW) {
    const x = Math.sqrt(-2 * Math.log(share));
    return evaluate(TAIL_TOP, x) / evaluate(TAIL_BOTTOM, x);
  }
  const x = share - 0.5;
  return (x * evaluate(CENTRE_TOP, x * x)) / evaluate(CENTRE_BOTTOM, x * x);
}

/** Returns how many standard deviations about its centre hold the given share of a normal distribution: 1.96 for 0.95. */
export function toDeviations(level: number): number {
  return -toNormalQuantile((1 - level) / 2);
}

/** Coefficients of Lanczos' approximation with g = 7; its relative error is below 1e-14. */
const LANCZOS = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
  12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];
const MAX_STEPS = 100_000;
const PRECISION = 1e-14;
const TINY = 1e-300;

/** The logarithm of the gamma function, for x of 0.5 or more. */
function toLogGamma(x: number): number {
  const sum = LANCZOS.reduce((total, coefficient, place) =>
    place === 0 ? coefficient : total + coefficient / (x - 1 + place),
  );
  const shifted = x + 6.5;
  return Math.log(2 * Math.PI) / 2 + (x - 0.5) * Math.log(shifted) - shifted + Math.log(sum);
}

/** The regularised incomplete beta function, by its continued fraction (Lentz' method). */
function toIncompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast on one side of the mean only.
  if (x > (a + 1) / (a + b + 2)) return 1 - toIncompleteBeta(1 - x, b, a);
  const front = Math.exp(
    toLogGamma(a + b) - toLogGamma(a) - toLogGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  let c = 1;
  let d = 1 / keepFromZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= MAX_STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const term of [even, odd]) {
      d = 1 / keepFromZero(1 + term * d);
      c = keepFromZero(1 + term / c);
      step = c * d;
      fraction *= step;
    }
    if (Math.abs(step - 1) < PRECISION) break;
  }
  return (front * fraction) / a;
}

function keepFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/** Returns the chance of at least so many successes in so many trials, each with the same chance. */
export function toBinomialTail(successes: number, trials: number, chance: number): number {
  if (successes <= 0) return 1;
  return successes > trials ? 0 : toIncompleteBeta(chance, successes, trials - successes + 1);
}

/**
 * Returns the chance that a value of `inside + outside` records falls at least as unevenly on two sides of so many records
 * if it has nothing to do with them: twice the smaller tail. Exact for rare values, too large for frequent ones.
 */
export function toUnevenChance(
  value: { readonly inside: number; readonly outside: number },
  sides: { readonly inside: number; readonly outside: number },
): number {
  const all = sides.inside + sides.outside;
  const having = value.inside + value.outside;
  // Of a value that most records have, the records without it tell more.
  const isRare = having <= all / 2;
  const count = isRare ? having : all - having;
  const inside = isRare ? value.inside : sides.inside - value.inside;
  const share = sides.inside / all;
  const more = toBinomialTail(inside, count, share);
  const fewer = toBinomialTail(count - inside, count, 1 - share);
  return Math.min(1, 2 * Math.min(more, fewer));
}

/**
 * Returns the share of Student's distribution beyond so many deviations about its centre, which is wider than the normal
 * one the fewer degrees of freedom their size was estimated with: 0.05 for 2.571 and 5.
 */
export function toStudentTails(deviations: number, freedom: number): number {
  return Math.min(1, toIncompleteBeta(freedom / (freedom + deviations * deviations), freedom / 2, 0.5));
}

/** So many of a whole. */
interface Share {
  readonly part: number;
  readonly whole: number;
}

/** Returns Wilson's score interval of a share; null where there is no whole. It never leaves [0, 1]. */
export function toWilsonInterval({ part, whole }: Share, level = DEFAULT_LEVEL): Interval | null {
  if (whole <= 0) return null;
  const z = toDeviations(level);
  const centre = part + (z * z) / 2;
  const spread = z * Math.sqrt((part * (whole - part)) / whole + (z * z) / 4);
  const divisor = whole + z * z;
  // The ends are exact where nothing or everything is a part; the arithmetic would miss them by a rounding error.
  return {
    low: part === 0 ? 0 : (centre - spread) / divisor,
    high: part === whole ? 1 : (centre + spread) / divisor,
  };
}

/**
 * Returns Newcombe's interval of the difference of two shares, `after - before` (his method 10, from Wilson's intervals);
 * null where either has no whole.
 */
export function toNewcombeInterval(before: Share, after: Share, level = DEFAULT_LEVEL): Interval | null {
  const one = toWilsonInterval(before, level);
  const other = toWilsonInterval(after, level);
  if (one === null || other === null) return null;
  return subtractIntervals(
    { value: before.part / before.whole, interval: one },
    { value: after.part / after.whole, interval: other },
  );
}

/** What was counted in a stretch of time, in any unit of length that both sides of a comparison use. */
interface CountOverTime {
  readonly count: number;
  readonly length: number;
}

function toScoreInterval(count: number, level: number): Interval {
  const z = toDeviations(level);
  const spread = z * Math.sqrt(count + (z * z) / 4);
  return { low: count === 0 ? 0 : count + (z * z) / 2 - spread, high: count + (z * z) / 2 + spread };
}

/**
 * Returns the interval of the difference of two counts, `after - before`, both over the length of `after`, of events that
 * come independently of each other, or so many at a time (`perEvent`). Null where a side has no length.
 */
export function toCountDifferenceInterval(
  before: CountOverTime,
  after: CountOverTime,
  { level = DEFAULT_LEVEL, perEvent = 1 } = {},
): Interval | null {
  if (after.length <= 0 || before.length <= 0) return null;
  const toPart = ({ count, length }: CountOverTime): { value: number; interval: Interval } => {
    const scale = (perEvent * after.length) / length;
    const { low, high } = toScoreInterval(count / perEvent, level);
    return { value: (count / perEvent) * scale, interval: { low: low * scale, high: high * scale } };
  };
  return subtractIntervals(toPart(before), toPart(after));
}

/** What a group adds to a mean: so many, and the sum of their values. Of a share, those that count are the sum. */
export interface Weighed {
  readonly weight: number;
  readonly sum: number;
}

export interface BeforeAndAfter {
  readonly before: Weighed;
  readonly after: Weighed;
}

/** A group's part of the change of a mean; `rate` and `mix` add up to it. */
export interface Contribution {
  readonly sum: number;
  /** Because the group's own mean changed. */
  readonly rate: number;
  /** Because the group became a larger or smaller part of the whole. */
  readonly mix: number;
}

function divide(sum: number, weight: number): number {
  return weight === 0 ? 0 : sum / weight;
}

/**
 * Returns what a group contributes to the change of the mean of `total`; null where either side of it has no weight. Over
 * all groups the sums make up the change exactly, and those of a group's own parts make up its own. Both sides are
 * weighed alike, so that swapping them turns every sign and nothing else; moving weight to a group whose mean is that of
 * all changes nothing.
 */
export function decomposeMean(group: BeforeAndAfter, total: BeforeAndAfter): Contribution | null {
  if (total.before.weight <= 0 || total.after.weight <= 0) return null;
  const [shareBefore, shareAfter] = [
    group.before.weight / total.before.weight,
    group.after.weight / total.after.weight,
  ];
  // A group that one side lacks came or went: its mean changed nothing.
  const meanBefore = divide(...(group.before.weight > 0 ? toPair(group.before) : toPair(group.after)));
  const meanAfter = divide(...(group.after.weight > 0 ? toPair(group.after) : toPair(group.before)));
  const middle = (divide(...toPair(total.before)) + divide(...toPair(total.after))) / 2;
  const rate = ((shareBefore + shareAfter) / 2) * (meanAfter - meanBefore);
  const mix = (shareAfter - shareBefore) * ((meanBefore + meanAfter) / 2 - middle);
  return { sum: rate + mix, rate, mix };
}

function toPair({ sum, weight }: Weighed): [number, number] {
  return [sum, weight];
}

/**
 * Returns the parts rounded to the given decimals, so that they sum to their rounded sum: each is rounded down, and what
 * is left goes to those with the largest remainders. No part moves by a whole step. `sum` is given where it was rounded
 * already, up or down, as a part of something else.
 */
export function roundParts(parts: readonly number[], decimals: number, sum?: number): number[] {
  const scale = 10 ** decimals;
  const scaled = parts.map((part) => part * scale);
  const floors = scaled.map(Math.floor);
  const whole = Math.round(sum === undefined ? addUp(scaled) : sum * scale);
  const left = whole - addUp(floors);
  const ranked = scaled
    .map((part, index) => ({ index, remainder: part - Math.floor(part) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  const raised = new Set(ranked.slice(0, left).map(({ index }) => index));
  // Zero is added so that nothing is printed as minus zero.
  return floors.map((part, index) => (part + (raised.has(index) ? 1 : 0)) / scale + 0);
}

function addUp(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
