import { setImmediate as giveWay } from 'node:timers/promises';
import {
  isCounted,
  toTimeMeasure,
  type AlertMeasure,
  type MeasureCondition,
} from '../../../common/model/alerts/alert-rule.ts';
import type { ThresholdSuggestion } from '../../../common/model/alerts/alert-state.ts';
import { DAY_MS, MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import type { ReadMinutes } from '../read-minutes.ts';
import { judgeMinutes } from './judge-minutes.ts';
import { toCriterion } from './to-criterion.ts';

/** Less than this is no past to go by. */
const MIN_KNOWN_MINUTES = DAY_MS / MINUTE_MS;
/** Nor are fewer minutes with enough requests to be measured. */
const MIN_MEASURED_MINUTES = 360;
/** A rule that is worth having would have fired for at most this many incidents a day … */
const MAX_FIRINGS_PER_DAY = 0.25;
/** … and no longer than this part of the time. */
const MAX_FIRING_SHARE = 0.05;
/** What is critical is beyond the threshold by this factor at least. */
const CRITICAL_FACTOR = 2;

const SHARES = [
  0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45,
  0.5, 0.6, 0.7, 0.8, 0.9,
];
const TIMES_MS = [
  50, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000, 7000, 10_000, 15_000, 20_000,
  30_000, 45_000, 60_000, 90_000, 120_000,
];
const COUNTS = [1, 2, 3, 5, 7].flatMap((digit) =>
  Array.from({ length: 7 }, (_, power) => digit * 10 ** power),
);

/** Returns the thresholds that a measure can be suggested, rising. */
export function listCandidates(measure: AlertMeasure): readonly number[] {
  if (toTimeMeasure(measure) !== undefined) return TIMES_MS;
  return isCounted(measure) ? COUNTS.toSorted((a, b) => a - b) : SHARES;
}

/** What a threshold would have done in all that a rule watches. */
interface Firings {
  readonly count: number;
  readonly minutes: number;
  /** What fires at the same time is one incident, whatever it hits. */
  readonly incidents: number;
}

/**
 * Returns the threshold that the past suggests: one step beyond the first with which the rule would have fired only
 * rarely. `minutes` are those of each value that it watches, or of all records.
 */
export async function suggestThreshold(
  minutes: readonly ReadMinutes[],
  condition: MeasureCondition,
): Promise<ThresholdSuggestion> {
  const criterion = toCriterion(condition);
  const known = minutes.reduce((most, { own }) => Math.max(most, count(own.known)), 0);
  if (known < MIN_KNOWN_MINUTES) return { kind: 'too-little', knownMinutes: known };
  const measured = minutes.reduce((most, one) => Math.max(most, countMeasured(one)), 0);
  if (measured < MIN_MEASURED_MINUTES) return { kind: 'too-few', measuredMinutes: measured };

  const firingsOf = async (threshold: number): Promise<Firings> => {
    // Fourteen days of many values take a while: others get their turn in between.
    await giveWay();
    const judge = toCriterion({ ...condition, threshold });
    const spans = minutes.flatMap((one) => {
      const own = one.with(threshold);
      const { turns, progress } = judgeMinutes(own, judge);
      const ended = turns.flatMap(({ kind, sinceMs, atMs }) =>
        kind === 'ended' ? [{ fromMs: sinceMs, toMs: atMs }] : [],
      );
      const endMs = own.fromMs + own.known.length * MINUTE_MS;
      return progress.sinceMs === null ? ended : [...ended, { fromMs: progress.sinceMs, toMs: endMs }];
    });
    const lastedMs = spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    const incidents = countIncidents(spans, condition.minutes * MINUTE_MS);
    return { count: spans.length, minutes: lastedMs / MINUTE_MS, incidents };
  };
  const most = Math.max(1, Math.ceil((known / MIN_KNOWN_MINUTES) * MAX_FIRINGS_PER_DAY));
  const isRare = (found: Firings): boolean =>
    found.incidents <= most && found.minutes <= MAX_FIRING_SHARE * known * minutes.length;

  // From the one that fires most easily to the one that hardly does.
  const rising = listCandidates(condition.measure);
  const candidates = condition.comparison === 'above' ? rising : rising.toReversed();
  let [low, high] = [0, candidates.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isRare(await firingsOf(candidates[middle] ?? 0))) high = middle;
    else low = middle + 1;
  }
  const threshold = candidates[Math.min(low + 1, candidates.length - 1)];
  if (threshold === undefined || low >= candidates.length) return { kind: 'none' };
  const found = await firingsOf(threshold);
  if (!isRare(found)) return { kind: 'none' };
  const isFurther = (one: number): boolean =>
    condition.comparison === 'above'
      ? one >= threshold * CRITICAL_FACTOR
      : one <= threshold / CRITICAL_FACTOR;
  let critical: number | null = null;
  for (const one of candidates.filter(isFurther)) {
    if ((await firingsOf(one)).incidents > 1) continue;
    critical = one;
    break;
  }
  return { kind: 'found', threshold, count: found.count, critical, knownMinutes: known };

  function count(flags: Uint8Array): number {
    return flags.reduce((sum, flag) => sum + flag, 0);
  }

  /** Minutes that end a window with enough requests. */
  function countMeasured({ own }: ReadMinutes): number {
    const sums = { known: 0, total: 0 };
    let found = 0;
    for (const [place, flag] of own.known.entries()) {
      const left = place - criterion.minutes;
      if (flag === 1) sums.total += own.totals[place] ?? 0;
      sums.known += flag;
      if (left >= 0 && own.known[left] === 1) {
        sums.known -= 1;
        sums.total -= own.totals[left] ?? 0;
      }
      if (sums.known === criterion.minutes && sums.total > 0 && criterion.toValue(0, sums.total) !== null)
        found += 1;
    }
    return found;
  }
}

/** Firings that are nearer to each other than the minutes of the rule belong together. */
function countIncidents(spans: readonly TimeSpan[], nearMs: number): number {
  let count = 0;
  let untilMs = -Infinity;
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (fromMs > untilMs + nearMs) count += 1;
    untilMs = Math.max(untilMs, toMs);
  }
  return count;
}
