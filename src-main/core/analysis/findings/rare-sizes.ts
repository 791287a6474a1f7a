import { DAY_SLOTS, isOnAndOff, isWeekendSlot, type LongSeries } from './long-series.ts';

/** Sizes (logarithms of ratios) by the weeks before. */
export interface Rare {
  /** Slots that are judged together. */
  readonly window: number;
  /** Days that tell it. */
  readonly days: number;
  /** What is exceeded about every two months by what is usual there. */
  readonly rare: number;
  /** What was reached no more than once in a month, and what six times in these weeks, incidents among it. */
  readonly reached: number;
  readonly often: number;
}

/** The window of five minutes, which is shorter than a slot. */
export const SHORT = 0;
const MIN_DAYS = 5;
/** The largest sizes of thirds of days, or of windows that are longer, tell what is rare. */
const BLOCK = 16;
/** Half and this share of them hold few incidents. */
const HIGH = 0.85;
const RARE_DAYS = 60;
const MONTH_DAYS = 30;
const OFTEN = 6;
/** Few blocks tell the scale badly: so many of its standard deviations are added. */
const UNSURE = 1.5;

/**
 * Returns what is rare of windows of so many slots before a slot; null where too few days are known. `measure` tells the
 * size of the window that ends before a slot, null where it isn't known.
 */
export function findRare(
  measure: (to: number) => number | null,
  window: number,
  judged: number,
): Rare | null {
  const block = Math.max(BLOCK, window);
  const blocks: number[] = [];
  for (let end = judged; end - block - window >= 0; end -= block) {
    let most = -Infinity;
    for (let to = end - block + 1; to <= end; to += 1) most = Math.max(most, measure(to) ?? -Infinity);
    blocks.push(most);
  }
  const largest = blocks.filter((size) => size > -Infinity).sort((a, b) => a - b);
  const days = (largest.length * block) / DAY_SLOTS;
  if (days < MIN_DAYS) return null;
  // A Gumbel distribution through two quantiles.
  const [middle, high] = [toQuantile(largest, 0.5), toQuantile(largest, HIGH)];
  const unsure = 1 + UNSURE / Math.sqrt(largest.length);
  const scale = (unsure * (high - middle)) / (toReduced(HIGH) - toReduced(0.5));
  return {
    window,
    days,
    rare: middle + scale * (toReduced(1 - block / DAY_SLOTS / RARE_DAYS) - toReduced(0.5)),
    reached: largest.at(-1 - Math.floor(days / MONTH_DAYS)) ?? 0,
    often: largest.at(-OFTEN) ?? 0,
  };
}

function toQuantile(inOrder: readonly number[], share: number): number {
  const place = share * (inOrder.length - 1);
  const [lower, upper] = [inOrder[Math.floor(place)] ?? 0, inOrder[Math.ceil(place)] ?? 0];
  return lower + (upper - lower) * (place - Math.floor(place));
}

function toReduced(share: number): number {
  return -Math.log(-Math.log(share));
}

/** Judges a place that has no requests for half hours now and then, by the silences before. */
export interface OnAndOff {
  /** True for a silence of slots [from, to) that is longer than those before, where requests come at their times. */
  readonly isRareSilence: (from: number, to: number) => boolean;
  /** True for requests in half an hour that are more than those of the busiest before. */
  readonly isRarePeak: (requests: number) => boolean;
}

/** A silence so many times as long as what was reached once in a month is rare, however much those before differ. */
const LONGER = 1.5;
const SMALL_REQUESTS = 5;
/** More than the busiest before is so much more. */
const LEAST_PEAK = Math.log(1.45);

/** Returns what judges a place that has requests now and then; null for a place that always has some. */
export function judgeOnAndOff(series: LongSeries): OnAndOff | null {
  if (!isOnAndOff(series)) return null;
  const { requests, covered, judged } = series;
  const busy = findBusyTimes(series);
  const toBusy = (slot: number): number => busy[toTime(series.firstSlot + slot)] ?? 0;
  /** How many half hours with requests each silence took so far. */
  const missing = new Float64Array(judged + 1);
  for (let slot = 0; slot < judged; slot += 1) {
    const isSilent = covered[slot] === 1 && requests[slot] === 0;
    missing[slot + 1] = isSilent ? (missing[slot] as number) + toBusy(slot) : 0;
  }
  /** What isn't cached had neither silences nor peaks. */
  const findKnown = (measure: (end: number) => number): Rare | null =>
    findRare((end) => (covered[end - 1] === 1 ? measure(end) : null), 1, judged);
  let [silences, peaks]: [Rare | null | undefined, Rare | null | undefined] = [undefined, undefined];
  return {
    isRareSilence: (from, to) => {
      if (silences === undefined) silences = findKnown((end) => missing[end] ?? 0);
      if (silences === null) return true;
      let own = 0;
      for (let slot = Math.floor(from); slot < to; slot += 1)
        own += toBusy(slot) * (Math.min(to, slot + 1) - Math.max(from, slot));
      const { rare, reached, often } = silences;
      return own >= Math.max(often, reached, Math.min(rare, LONGER * reached));
    },
    isRarePeak: (own) => {
      if (peaks === undefined)
        peaks = findKnown((end) => Math.log((requests[end - 1] ?? 0) + SMALL_REQUESTS));
      return (
        peaks === null || Math.log(own + SMALL_REQUESTS) >= Math.max(peaks.rare, peaks.often) + LEAST_PEAK
      );
    },
  };
}

/** The share of days with requests, by the time of day, of working days and of weekends. */
function findBusyTimes({ requests, covered, firstSlot, judged }: LongSeries): Float64Array {
  const [known, busy] = [new Float64Array(2 * DAY_SLOTS), new Float64Array(2 * DAY_SLOTS)];
  for (let slot = 0; slot < judged; slot += 1) {
    if (covered[slot] !== 1) continue;
    const time = toTime(firstSlot + slot);
    known[time] = (known[time] ?? 0) + 1;
    if ((requests[slot] ?? 0) > 0) busy[time] = (busy[time] ?? 0) + 1;
  }
  return known.map((days, time) => (busy[time] ?? 0) / Math.max(1, days));
}

function toTime(slot: number): number {
  return (slot % DAY_SLOTS) + (isWeekendSlot(slot) ? DAY_SLOTS : 0);
}
