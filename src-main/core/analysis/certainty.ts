import type { Certainty } from '../../common/model/analysis/explanation.ts';
import type { Interval } from '../../common/statistics/interval.ts';

/** Of all that is called so, chance alone would show at most this part. */
export const CHANCE_OF_CERTAIN = 0.001;
export const CHANCE_OF_PROBABLE = 0.05;

/** How sure each of several differences is, and how wide their intervals have to be to say the same. */
export interface JudgedTogether {
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
