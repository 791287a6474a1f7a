import {
  isCounted,
  isHitMeasure,
  type MeasureCondition,
  type MinuteCondition,
  toTimeMeasure,
} from '../../common/model/alerts/alert-rule.ts';
import type { AlertFigures } from '../../common/model/alerts/alert-state.ts';
import { MINUTE_MS } from '../../common/time/durations.ts';

/** What is known of a span, minute by minute. */
export interface Minutes {
  /** The beginning of the first minute. */
  readonly fromMs: number;
  /** 1 where all of the minute is known. */
  readonly known: Uint8Array;
  readonly totals: Float64Array;
  readonly hits: Float64Array;
  /** What counts once in all the minutes of a rule, in the minutes that end with each; in place of the sum of hits. */
  readonly windowed?: Float64Array;
}

/** How a rule judges the sums of its minutes. Sums that are neither bad nor calm change nothing. */
export interface Criterion {
  readonly minutes: number;
  /** How many calm minutes in a row end it. */
  readonly holdMinutes: number;
  isBad(hits: number, total: number): boolean;
  isCalm(hits: number, total: number): boolean;
  /** What is shown of the sums; null where they are too few. */
  toValue(hits: number, total: number): number | null;
  /** Whether one value is further off than another. */
  isWorse(value: number, than: number): boolean;
}

/** What is carried from one minute to the next; survives a restart. */
export interface Progress {
  /** The end of the minute in which it began to fire; null while it doesn't. */
  readonly sinceMs: number | null;
  readonly calmMinutes: number;
  /** Of the firing, its first minutes included. */
  readonly figures: AlertFigures;
}

/** A rule began or ceased to fire. */
export interface Turn {
  readonly kind: 'fired' | 'ended';
  readonly atMs: number;
  readonly sinceMs: number;
  readonly figures: AlertFigures;
}

export interface Judged {
  readonly progress: Progress;
  readonly turns: readonly Turn[];
  /** The end of the last minute that is known; null where none is. */
  readonly knownToMs: number | null;
  /** Minutes that could be judged. */
  readonly judgedMinutes: number;
  /** Minutes that are not known, of those that end with the last known one and are judged together. */
  readonly lackingMinutes: number;
  /** The sums that the last known minute was judged by; null where they lack a minute. */
  readonly latest: { readonly hits: number; readonly total: number } | null;
}

export const NOT_FIRING: Progress = {
  sinceMs: null,
  calmMinutes: 0,
  figures: { hits: 0, total: 0, peak: 0 },
};

/**
 * Returns how a rule goes on over minutes that follow what it has judged. Minutes that end by `judgedToMs` only fill its
 * window. A window with a minute that is not known neither begins nor ends anything.
 */
export function judgeMinutes(
  { fromMs, known, totals, hits, windowed }: Minutes,
  criterion: Criterion,
  before: Progress = NOT_FIRING,
  judgedToMs = -Infinity,
): Judged {
  const turns: Turn[] = [];
  let progress = before;
  let knownToMs: number | null = null;
  let judgedMinutes = 0;
  let lackingMinutes = 0;
  let latest: Judged['latest'] = null;
  const sums = { known: 0, total: 0, hits: 0 };
  for (let place = 0; place < known.length; place += 1) {
    const isKnown = known[place] === 1;
    const total = totals[place] ?? 0;
    const hit = hits[place] ?? 0;
    if (isKnown) add(1, total, hit);
    const left = place - criterion.minutes;
    if (left >= 0 && known[left] === 1) add(-1, -(totals[left] ?? 0), -(hits[left] ?? 0));
    if (windowed !== undefined) sums.hits = windowed[place] ?? 0;
    if (!isKnown) continue;
    const atMs = fromMs + (place + 1) * MINUTE_MS;
    knownToMs = atMs;
    lackingMinutes = criterion.minutes - sums.known;
    latest = lackingMinutes === 0 ? { hits: sums.hits, total: sums.total } : null;
    if (atMs <= judgedToMs) continue;
    const isWhole = lackingMinutes === 0;
    if (isWhole) judgedMinutes += 1;
    step(atMs, isWhole, total, hit);
  }
  return { progress, turns, knownToMs, judgedMinutes, lackingMinutes, latest };

  function add(minutes: number, total: number, hit: number): void {
    sums.known += minutes;
    sums.total += total;
    sums.hits += hit;
  }

  function step(atMs: number, isWhole: boolean, total: number, hit: number): void {
    const { sinceMs, figures } = progress;
    if (sinceMs === null) {
      if (!isWhole || !criterion.isBad(sums.hits, sums.total)) return;
      const peak = criterion.toValue(sums.hits, sums.total) ?? 0;
      progress = { sinceMs: atMs, calmMinutes: 0, figures: { hits: sums.hits, total: sums.total, peak } };
      turns.push({ kind: 'fired', atMs, sinceMs: atMs, figures: progress.figures });
      return;
    }
    const value = isWhole ? criterion.toValue(sums.hits, sums.total) : null;
    const peak = value !== null && criterion.isWorse(value, figures.peak) ? value : figures.peak;
    const isCalm = isWhole && criterion.isCalm(sums.hits, sums.total);
    const calmMinutes = isCalm ? progress.calmMinutes + 1 : 0;
    // The same ones may come again: those of the worst minutes are known.
    const ownHits = windowed === undefined ? figures.hits + hit : Math.max(figures.hits, sums.hits);
    const grown = { hits: ownHits, total: figures.total + total, peak };
    progress = { sinceMs, calmMinutes, figures: grown };
    if (calmMinutes < criterion.holdMinutes) return;
    turns.push({ kind: 'ended', atMs, sinceMs, figures: grown });
    progress = NOT_FIRING;
  }
}

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
