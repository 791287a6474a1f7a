import type { Certainty, ExplainedTerm, ExplainedValue } from '../../common/model/analysis/comparison.ts';
import { type Interval, toNewcombeInterval, toUnevenChance } from '../../common/statistics.ts';

/** Values that are shown. */
const MAX_SHOWN = 40;
/** Pairs that are shown. */
const MAX_PAIRS = 3;
/** Values that pairs are made of. */
const MAX_PAIRED = 10;
/** A pair says more than its parts alone only if it tells the selection from the rest better by so much. */
const MIN_GAIN = 1.001;
/** How often a value, or a pair of them, occurs in the selection and in the rest. */
export interface CountedValue {
  readonly terms: readonly ExplainedTerm[];
  readonly inside: number;
  readonly outside: number;
  /**
   * How many records tell as much as one: requests of one session have much in common, and what one client met in two
   * sessions was met twice, not as often as it was asked. 1 where records are independent of each other.
   */
  readonly perSession?: number;
  /** Records of either side that were read for it; all of them where it isn't given. */
  readonly among?: Sides;
}
/** A value as it is explained, but for those whom it hit. */
export type JudgedValue = Omit<ExplainedValue, 'sessionCount' | 'clientCount'>;
export interface Sides {
  readonly inside: number;
  readonly outside: number;
}

/** Returns the values that differ more than one in twenty would by chance, were records independent of each other. */
export function pickUnusual<Value extends CountedValue>(values: readonly Value[], sides: Sides): Value[] {
  return values.filter((value) => toChance(value, sides) < CHANCE_OF_PROBABLE);
}

/** Returns the values whose pairs may say more than each alone: those that are more frequent, the most telling first. */
export function pickPaired(values: readonly CountedValue[], sides: Sides): CountedValue[] {
  return values
    .filter((value) => toDifference(value, sides) > 0)
    .sort((a, b) => toCorrelation(b, sides) - toCorrelation(a, sides))
    .slice(0, MAX_PAIRED);
}

/** Returns what sets the selection apart: the surest first, then what is more frequent, the largest difference first. */
export function judgeValues(
  singles: readonly CountedValue[],
  pairs: readonly CountedValue[],
  sides: Sides,
  lookedAt: number,
): JudgedValue[] {
  const told = pairs
    .filter((pair) => pair.terms.every((term) => saysMore(pair, findSingle(singles, term), sides)))
    .sort((a, b) => toCorrelation(b, sides) - toCorrelation(a, sides));
  // Pairs of the same records say the same.
  const distinct = told.filter(
    (pair, place) =>
      told.findIndex(({ inside, outside }) => inside === pair.inside && outside === pair.outside) === place,
  );
  const weightOf = (counted: CountedValue): number => {
    const parts =
      counted.terms.length < 2 ? [] : counted.terms.flatMap((term) => findSingle(singles, term) ?? []);
    return Math.max(...[counted, ...parts].map((one) => Math.abs(toDifference(one, sides))));
  };
  const shown = [...distinct.slice(0, MAX_PAIRS).map((pair) => withPartsOf(pair, singles)), ...singles];
  const { certainties, level } = judgeTogether(
    shown.map((counted) => toChance(counted, sides)),
    lookedAt,
  );
  return shown
    .map((counted, place) => ({
      counted,
      weight: weightOf(counted),
      judged: judge(counted, sides, certainties[place] ?? 'chance', level),
    }))
    .sort(
      (a, b) =>
        ORDER.indexOf(a.judged.certainty) - ORDER.indexOf(b.judged.certainty) ||
        Number(toDifference(b.counted, sides) > 0) - Number(toDifference(a.counted, sides) > 0) ||
        b.weight - a.weight ||
        b.counted.terms.length - a.counted.terms.length,
    )
    .slice(0, MAX_SHOWN)
    .map(({ judged }) => judged);
}

const ORDER: readonly Certainty[] = ['certain', 'probable', 'chance'];

/** The sessions of a pair are among those of its parts. */
function withPartsOf(pair: CountedValue, singles: readonly CountedValue[]): CountedValue {
  const parts = pair.terms.map((term) => findSingle(singles, term)?.perSession ?? 1);
  return { ...pair, perSession: Math.max(...parts) };
}

function toChance({ inside, outside, perSession = 1, among }: CountedValue, sides: Sides): number {
  const all = among ?? sides;
  return toUnevenChance(
    { inside: inside / perSession, outside: outside / perSession },
    { inside: all.inside / perSession, outside: all.outside / perSession },
  );
}

function judge(counted: CountedValue, sides: Sides, judged: Certainty, level: number): JudgedValue {
  const { terms, inside, outside, perSession = 1, among } = counted;
  const all = among ?? sides;
  const before = { part: outside / perSession, whole: all.outside / perSession };
  const after = { part: inside / perSession, whole: all.inside / perSession };
  const { certainty, interval } = agree(
    judged,
    toNewcombeInterval(before, after, level) ?? { low: -1, high: 1 },
  );
  const told = { terms: [...terms], inside, outside, difference: interval, certainty };
  return among === undefined ? told : { ...told, among };
}

function findSingle(
  singles: readonly CountedValue[],
  wanted: CountedValue['terms'][number],
): CountedValue | undefined {
  return singles.find(
    ({ terms: [term] }) =>
      term?.field === wanted.field && term.value === wanted.value && term.measure === wanted.measure,
  );
}

function saysMore(pair: CountedValue, single: CountedValue | undefined, sides: Sides): boolean {
  return single === undefined || toCorrelation(pair, sides) > toCorrelation(single, sides) * MIN_GAIN;
}

function toDifference({ inside, outside, among }: CountedValue, sides: Sides): number {
  const all = among ?? sides;
  return inside / all.inside - outside / all.outside;
}

/** How well a value tells the selection from the rest: the correlation of having it with being inside, but for a factor. */
function toCorrelation(counted: CountedValue, sides: Sides): number {
  const all = counted.among ?? sides;
  const share = (counted.inside + counted.outside) / (all.inside + all.outside);
  const spread = Math.sqrt(share * (1 - share));
  return spread === 0 ? 0 : toDifference(counted, sides) / spread;
}

/** Of all that is called so, chance alone would show at most this part. */
export const CHANCE_OF_CERTAIN = 0.001;
export const CHANCE_OF_PROBABLE = 0.05;

/** How sure each of several differences is, and how wide their intervals have to be to say the same. */
interface JudgedTogether {
  /** In the order of the chances. */
  readonly certainties: readonly Certainty[];
  /** The level of intervals of which, together, at most one in twenty misses what it says. */
  readonly level: number;
}

/**
 * Judges differences that were looked at together, by the chance that each shows by itself where there is none. Of many,
 * some look unusual by chance: Benjamini and Hochberg (1995) hold the part of those among what is told, Benjamini and
 * Yekutieli (2005) widen the intervals alike. `lookedAt` counts the differences whose chances aren't given too.
 */
export function judgeTogether(chances: readonly number[], lookedAt = chances.length): JudgedTogether {
  const all = Math.max(1, lookedAt, chances.length);
  const sorted = chances.toSorted((a, b) => a - b);
  const findLimit = (share: number): { readonly chance: number; readonly count: number } => {
    const last = sorted.findLastIndex((chance, place) => chance <= ((place + 1) * share) / all);
    return { chance: sorted[last] ?? -1, count: last + 1 };
  };
  const [certain, probable] = [findLimit(CHANCE_OF_CERTAIN), findLimit(CHANCE_OF_PROBABLE)];
  return {
    certainties: chances.map((chance) => {
      if (chance <= certain.chance) return 'certain';
      return chance <= probable.chance ? 'probable' : 'chance';
    }),
    level: 1 - (CHANCE_OF_PROBABLE * Math.max(1, probable.count)) / all,
  };
}

/**
 * Brings what is printed beside each other to one statement: an interval without zero never stands beside "could be
 * chance", and one that holds zero beside nothing surer.
 */
export function agree(
  certainty: Certainty,
  interval: Interval,
): { readonly certainty: Certainty; readonly interval: Interval } {
  const holdsZero = interval.low <= 0 && interval.high >= 0;
  if (certainty !== 'chance') return { certainty: holdsZero ? 'chance' : certainty, interval };
  return { certainty, interval: { low: Math.min(interval.low, 0), high: Math.max(interval.high, 0) } };
}
