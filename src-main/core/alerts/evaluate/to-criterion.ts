import {
  isCounted,
  isHitMeasure,
  toTimeMeasure,
  type MeasureCondition,
  type MinuteCondition,
} from '../../../common/model/alerts/alert-rule.ts';
import type { Criterion } from './judge-minutes.ts';

/** A value that hovers at its threshold must come so much nearer to what is good before a rule ends. */
const RELEASE = 0.25;
/** Fewer than this part of the requests that a rule needs end it: there is nothing left to measure. */
const FEW = 0.5;

type Test = (value: number) => boolean;

/** Returns how a condition judges the sums of its minutes. */
export function toCriterion(condition: MinuteCondition): Criterion {
  const { minutes } = condition;
  switch (condition.kind) {
    case 'down':
      return {
        minutes,
        holdMinutes: 1,
        isBad: (hits) => hits === minutes,
        isCalm: (hits) => hits === 0,
        toValue: (hits) => hits,
        isWorse: isLarger,
      };
    case 'new-family':
      return {
        minutes,
        holdMinutes: 1,
        isBad: (hits) => hits > 0,
        isCalm: (hits) => hits === 0,
        toValue: (hits) => hits,
        isWorse: isLarger,
      };
    case 'silence':
      return {
        minutes,
        holdMinutes: toHold(minutes),
        isBad: (_hits, total) => total === 0,
        isCalm: (_hits, total) => total > 0,
        toValue: (_hits, total) => total,
        isWorse: isSmaller,
      };
    case 'measure':
      return isCounted(condition.measure) ? toCountCriterion(condition) : toShareCriterion(condition);
  }
}

/** Half of the minutes, so that a window that was bad has passed and some calm has been seen. */
function toHold(minutes: number): number {
  return Math.ceil(minutes / 2);
}

function toCountCriterion({ minutes, measure, comparison, threshold }: MeasureCondition): Criterion {
  const read = (hits: number, total: number): number => (isHitMeasure(measure) ? hits : total);
  const { isBeyond, isBack } = toTests(comparison, threshold, Math.floor(threshold * (1 + RELEASE)));
  return {
    minutes,
    holdMinutes: toHold(minutes),
    isBad: (hits, total) => isBeyond(read(hits, total)),
    isCalm: (hits, total) => isBack(read(hits, total)),
    toValue: read,
    isWorse: comparison === 'above' ? isLarger : isSmaller,
  };
}

/**
 * A percentile is above a threshold just where more than the rest of the responses take longer: 95 % within 5 s means at
 * most 5 % beyond. So times are judged by a share too, which adds up over minutes as percentiles don't.
 */
function toShareCriterion({
  minutes,
  measure,
  comparison,
  threshold,
  minRequests,
}: MeasureCondition): Criterion {
  const limit = toTimeMeasure(measure)?.slower ?? threshold;
  const { isBeyond, isBack } = toTests(comparison, limit, Math.min(1, limit * (1 + RELEASE)));
  return {
    minutes,
    holdMinutes: toHold(minutes),
    isBad: (hits, total) => total >= minRequests && isBeyond(hits / total),
    isCalm: (hits, total) => total < minRequests * FEW || (total > 0 && isBack(hits / total)),
    toValue: (hits, total) => (total < minRequests ? null : hits / total),
    isWorse: comparison === 'above' ? isLarger : isSmaller,
  };
}

function toTests(
  comparison: MeasureCondition['comparison'],
  limit: number,
  lowReleaseAt: number,
): { readonly isBeyond: Test; readonly isBack: Test } {
  return comparison === 'above'
    ? { isBeyond: (value) => value > limit, isBack: (value) => value <= limit * (1 - RELEASE) }
    : { isBeyond: (value) => value < limit, isBack: (value) => value >= lowReleaseAt };
}

function isLarger(value: number, than: number): boolean {
  return value > than;
}

function isSmaller(value: number, than: number): boolean {
  return value < than;
}
