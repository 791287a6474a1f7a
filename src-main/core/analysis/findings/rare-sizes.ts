import { DAY_SLOTS } from './long-series.ts';

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
