import type {
  DifferenceCertainty,
  ComparedGroup,
  ComparedMeasure,
  ComparedQuantile,
  ComparedSide,
} from '../../common/model/analysis/comparison.ts';
import type { GroupValue } from '../../common/model/analysis/grouping.ts';
import { toCountDifferenceInterval } from '../../common/statistics/count-intervals.ts';
import { decomposeMean, type Contribution, type Weighed } from '../../common/statistics/decompose-mean.ts';
import { isOutside, subtractIntervals, type Interval } from '../../common/statistics/interval.ts';
import { toNewcombeInterval } from '../../common/statistics/share-intervals.ts';

/** What is compared, and over which lengths. */
export interface Question {
  readonly measure: ComparedMeasure;
  readonly quantile: ComparedQuantile;
  readonly beforeMs: number;
  readonly afterMs: number;
}

interface Sides {
  readonly key: readonly GroupValue[];
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  readonly intervals: { readonly before: Interval | null; readonly after: Interval | null };
}

type Change = Pick<ComparedGroup, 'difference' | 'interval'>;

/** Returns a group with how far its two sides are apart, how sure that is, and its part in the change of `total`. */
export function judgeChange(group: Sides, total: Sides, question: Question): ComparedGroup {
  const { key, before, after } = group;
  const { difference, interval } = measure(group, question);
  const isKnown = interval !== null && Number.isFinite(interval.low) && Number.isFinite(interval.high);
  const change = { difference: toKnown(difference ?? undefined), interval: isKnown ? interval : null };
  const parts = contribute(group, total, question);
  return {
    key: [...key],
    before,
    after,
    ...change,
    certainty: judge(group, change, question.measure),
    contribution: toKnown(parts?.sum),
    rate: question.measure === 'volume' ? null : toKnown(parts?.rate),
    mix: question.measure === 'volume' ? null : toKnown(parts?.mix),
  };
}

/** Sums and differences of the largest numbers are beyond any. */
function toKnown(number: number | undefined): number | null {
  return Number.isFinite(number) ? (number ?? null) : null;
}

function measure({ before, after, intervals }: Sides, question: Question): Change {
  if (question.measure === 'error-share') {
    const difference = toShare(after) - toShare(before);
    return {
      difference: before.count === 0 || after.count === 0 ? null : difference,
      interval: toNewcombeInterval(toParts(before), toParts(after)),
    };
  }
  if (question.measure === 'volume') {
    return {
      difference: after.count - toScaled(before, question),
      interval: toCountDifferenceInterval(
        { count: before.count, length: question.beforeMs },
        { count: after.count, length: question.afterMs },
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
  return { difference: other - one, interval };
}

/** A quantile between two values may lie a little outside of their bucket. */
function hold({ low, high }: Interval, value: number): Interval {
  return { low: Math.min(low, value), high: Math.max(high, value) };
}

function judge({ before, after }: Sides, { interval }: Change, by: ComparedMeasure): DifferenceCertainty {
  const [one, other] = by === 'response' ? [before.timed, after.timed] : [before.count, after.count];
  if (by !== 'volume' && one === 0 && other > 0) return 'only-after';
  if (by !== 'volume' && other === 0 && one > 0) return 'only-before';
  if (interval === null) return 'too-few';
  return isOutside(interval, 0) ? 'certain' : 'open';
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

function toParts({ count, failures }: ComparedSide): { part: number; whole: number } {
  return { part: failures, whole: count };
}

function toScaled({ count }: ComparedSide, { beforeMs, afterMs }: Question): number {
  return (count * afterMs) / beforeMs;
}
