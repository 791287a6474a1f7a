import type { HandlersOf } from '../../common/contract/index.ts';
import type {
  ComparedGroup,
  ComparedMeasure,
  ComparedQuantile,
  ComparedSide,
  DifferenceCertainty,
} from '../../common/model/analysis/comparison.ts';
import {
  type Contribution,
  decomposeMean,
  DEFAULT_LEVEL,
  type Interval,
  subtractIntervals,
  toCountDifferenceInterval,
  toDeviations,
  toNewcombeInterval,
  toStudentTails,
  toUnevenChance,
  type Weighed,
} from '../../common/statistics.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { CountedGroup } from '../analysis/engine/measures/compare-records.ts';
import { agree, judgeTogether } from '../analysis/judge-values.ts';

const QUANTILES = { median: 0.5, p95: 0.95 } as const;

/** The handlers of `compare/…`. */
export function createCompareHandlers({ engine }: { readonly engine: Engine }): HandlersOf<'compare'> {
  return {
    'compare/compare-groups': async ({ before, after, by, measure, quantile }) => {
      const { groups: found, unlistedCount } = await engine.compareRecords({
        before: { scope: before.scope, filter: before.filter },
        after: { scope: after.scope, filter: after.filter },
        by,
        quantile: measure === 'response' ? QUANTILES[quantile] : null,
        isVolume: measure === 'volume',
      });
      const [total] = found;
      if (total === undefined) throw new Error('All records together are always counted.');
      const question = { measure, quantile, beforeMs: before.lengthMs, afterMs: after.lengthMs };
      const [all, ...judged] = [
        ...judgeChanges([total], total, question),
        ...judgeChanges(
          found.filter(({ key }) => key.length > 0),
          total,
          question,
        ),
      ];
      if (all === undefined) throw new Error('All records together are always judged.');
      const listOf = (fields: number): ComparedGroup[] =>
        judged.filter(({ key }) => key.length === fields).sort(byContribution);
      const groups = listOf(1);
      return { total: { ...all, ...addParts(groups) }, groups, parts: listOf(2), unlistedCount };
    },
  };
}

/** Equal ones stay in the order of their size. */
function byContribution(a: ComparedGroup, b: ComparedGroup): number {
  return Math.abs(b.contribution ?? 0) - Math.abs(a.contribution ?? 0);
}

/** How much of the change of all is rate and how much is mix depends on the groups that it is divided into. */
function addParts(groups: readonly ComparedGroup[]): Pick<ComparedGroup, 'rate' | 'mix'> {
  const add = (name: 'rate' | 'mix'): number | null =>
    groups.reduce<number | null>(
      (sum, group) => (sum === null || group[name] === null ? null : sum + group[name]),
      0,
    );
  return groups.length === 0 ? { rate: null, mix: null } : { rate: add('rate'), mix: add('mix') };
}

/** What is compared, and over which lengths. */
export interface Question {
  readonly measure: ComparedMeasure;
  readonly quantile: ComparedQuantile;
  readonly beforeMs: number;
  readonly afterMs: number;
}

type Sides = CountedGroup;

interface Change {
  readonly difference: number | null;
  /** Null where a side has too little for one. */
  readonly interval: Interval | null;
}

/**
 * Returns groups with how far their two sides are apart, how sure that is of so many looked at together, and their parts
 * in the change of `total`.
 */
export function judgeChanges(groups: readonly Sides[], total: Sides, question: Question): ComparedGroup[] {
  const asked = groups.map((group) => ({ group, unknown: findUnknown(group, question) }));
  const chances = asked.map(({ group }) => toChance(group, question));
  const judgedPlaces = asked.flatMap(({ unknown }, place) =>
    unknown === null && chances[place] !== null ? [place] : [],
  );
  const { certainties, level } = judgeTogether(judgedPlaces.map((place) => chances[place] ?? 1));
  const certaintyOf = new Map(judgedPlaces.map((place, order) => [place, certainties[order] ?? 'chance']));
  return asked.map(({ group, unknown }, place) => {
    const { key, before, after } = group;
    const { difference, interval } = measure(group, question, level);
    const found = certaintyOf.get(place);
    const isKnown = interval !== null && Number.isFinite(interval.low) && Number.isFinite(interval.high);
    const judged = found === undefined || !isKnown ? { certainty: null, interval } : agree(found, interval);
    const parts = contribute(group, total, question);
    return {
      key: [...key],
      before,
      after,
      difference: toKnown(difference ?? undefined),
      interval: isKnown ? judged.interval : null,
      certainty: unknown ?? (judged.certainty === null ? 'too-few' : WORDS[judged.certainty]),
      contribution: toKnown(parts?.sum),
      rate: question.measure === 'volume' ? null : toKnown(parts?.rate),
      mix: question.measure === 'volume' ? null : toKnown(parts?.mix),
    };
  });
}

const WORDS = { certain: 'certain', probable: 'likely', chance: 'open' } as const;

/** Sums and differences of the largest numbers are beyond any. */
function toKnown(number: number | undefined): number | null {
  return Number.isFinite(number) ? (number ?? null) : null;
}

function measure({ before, after, intervals, perSession }: Sides, question: Question, level: number): Change {
  if (question.measure === 'error-share') {
    const difference = toShare(after) - toShare(before);
    return {
      difference: before.count === 0 || after.count === 0 ? null : difference,
      interval: toNewcombeInterval(
        toParts(before, perSession.failures),
        toParts(after, perSession.failures),
        level,
      ),
    };
  }
  if (question.measure === 'volume') {
    return {
      difference: after.count - toScaled(before, question),
      interval: toCountDifferenceInterval(
        { count: before.count, length: question.beforeMs },
        { count: after.count, length: question.afterMs },
        { level, perEvent: perSession.requests },
      ),
    };
  }
  const name = question.quantile === 'median' ? 'medianMs' : 'p95Ms';
  const [one, other] = [before[name], after[name]];
  if (one === null || other === null) return { difference: null, interval: null };
  const interval =
    intervals.before === null || intervals.after === null
      ? null
      : subtractIntervals(
          { value: one, interval: hold(intervals.before, one) },
          { value: other, interval: hold(intervals.after, other) },
        );
  return {
    difference: other - one,
    interval: interval === null ? null : widen(interval, other - one, level),
  };
}

/** Brings an interval of the usual level to another one: both ends move away from the difference alike. */
function widen({ low, high }: Interval, difference: number, level: number): Interval {
  const factor = toDeviations(level) / toDeviations(DEFAULT_LEVEL);
  return { low: difference - (difference - low) * factor, high: difference + (high - difference) * factor };
}

/** The chance of a difference at least as large if there is none; null where nothing tells it. */
function toChance(group: Sides, question: Question): number | null {
  const { before, after, perSession } = group;
  if (question.measure === 'error-share') {
    if (before.count === 0 || after.count === 0) return null;
    const per = perSession.failures;
    return toUnevenChance(
      { inside: after.failures / per, outside: before.failures / per },
      { inside: after.count / per, outside: before.count / per },
    );
  }
  if (question.measure === 'volume') {
    if (question.beforeMs <= 0 || question.afterMs <= 0) return null;
    // Moments are many more than requests: each is as likely to have one.
    const moments = 1e6;
    return toUnevenChance(
      { inside: after.count / perSession.requests, outside: before.count / perSession.requests },
      { inside: question.afterMs * moments, outside: question.beforeMs * moments },
    );
  }
  const { difference, interval } = measure(group, question, DEFAULT_LEVEL);
  if (difference === null || interval === null) return null;
  const spread = difference > 0 ? difference - interval.low : interval.high - difference;
  if (!Number.isFinite(spread) || !Number.isFinite(difference)) return null;
  if (difference === 0) return 1;
  if (spread === 0) return 0;
  // The ends of an interval are two of the values around a quantile, about the square root of all: few tell its width badly.
  const freedom = Math.sqrt(Math.min(before.timed, after.timed));
  return toStudentTails((Math.abs(difference) / spread) * toDeviations(DEFAULT_LEVEL), freedom);
}

/** A quantile between two values may lie a little outside of their bucket. */
function hold({ low, high }: Interval, value: number): Interval {
  return { low: Math.min(low, value), high: Math.max(high, value) };
}

/** Why nothing can be said of a difference; null where something can. */
function findUnknown({ before, after }: Sides, { measure: by }: Question): DifferenceCertainty | null {
  const [one, other] = by === 'response' ? [before.timed, after.timed] : [before.count, after.count];
  if (by !== 'volume' && one === 0 && other > 0) return 'only-after';
  if (by !== 'volume' && other === 0 && one > 0) return 'only-before';
  return null;
}

function contribute(group: Sides, total: Sides, question: Question): Contribution | null {
  if (question.measure === 'volume') {
    return { sum: group.after.count - toScaled(group.before, question), rate: 0, mix: 0 };
  }
  const weigh = question.measure === 'error-share' ? weighFailures : weighTimes;
  const pair = ({ before, after }: Sides) => ({ before: weigh(before), after: weigh(after) });
  return decomposeMean(pair(group), pair(total));
}

function weighFailures({ count, failures }: ComparedSide): Weighed {
  return { weight: count, sum: failures };
}

function weighTimes({ timed, averageMs }: ComparedSide): Weighed {
  return { weight: timed, sum: (averageMs ?? 0) * timed };
}

function toShare({ count, failures }: ComparedSide): number {
  return count === 0 ? 0 : failures / count;
}

function toParts({ count, failures }: ComparedSide, per: number): { part: number; whole: number } {
  return { part: failures / per, whole: count / per };
}

function toScaled({ count }: ComparedSide, { beforeMs, afterMs }: Question): number {
  return (count * afterMs) / beforeMs;
}
