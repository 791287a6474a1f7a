import { DAY_SLOTS } from './long-series.ts';

/** Sizes (logarithms of ratios) by the weeks before. */
export interface Rare {
  /** Slots that are judged together. */
  readonly window: number;
  /** Days that tell it. */
  readonly days: number;
  /** What is exceeded about every two months by what is usual there. */
  readonly rare: number;
  /** What was reached no more than once in a month. */
  readonly reached: number;
  /** What is exceeded about every two months by what is unusual there, too: a place that has bursts has larger ones. */
  readonly tail: number;
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
/** The tail begins at what is exceeded once in so many days, by so many blocks. */
const TAIL_DAYS = 6;
const TAIL_BLOCKS = [3, 6] as const;

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
  const scale = (high - middle) / (toReduced(HIGH) - toReduced(0.5));
  return {
    window,
    days,
    rare: middle + scale * (toReduced(1 - block / DAY_SLOTS / RARE_DAYS) - toReduced(0.5)),
    reached: largest.at(-1 - Math.floor(days / MONTH_DAYS)) ?? 0,
    tail: findTail(blocks, days),
  };
}

/** Peaks over a threshold, whose excess is distributed exponentially. What lies in two blocks beside each other is one peak. */
function findTail(blocks: readonly number[], days: number): number {
  const [least, most] = TAIL_BLOCKS;
  const count = Math.max(least, Math.min(most, Math.round(days / TAIL_DAYS)));
  const inOrder = blocks.map((_, place) => place).sort((a, b) => (blocks[b] ?? 0) - (blocks[a] ?? 0));
  const peaks: number[] = [];
  for (const place of inOrder) {
    if (peaks.some((other) => Math.abs(other - place) === 1)) continue;
    peaks.push(place);
    if (peaks.length > count) break;
  }
  const sizes = peaks.map((place) => blocks[place] ?? 0).filter((size) => size > -Infinity);
  const threshold = sizes.at(-1) ?? 0;
  const own = sizes.slice(0, -1);
  const excess = own.reduce((sum, size) => sum + size - threshold, 0) / Math.max(1, own.length);
  return threshold + excess * Math.max(0, Math.log((own.length * RARE_DAYS) / days));
}

function toQuantile(inOrder: readonly number[], share: number): number {
  const place = share * (inOrder.length - 1);
  const [lower, upper] = [inOrder[Math.floor(place)] ?? 0, inOrder[Math.ceil(place)] ?? 0];
  return lower + (upper - lower) * (place - Math.floor(place));
}

function toReduced(share: number): number {
  return -Math.log(-Math.log(share));
}
