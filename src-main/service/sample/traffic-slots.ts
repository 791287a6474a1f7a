import { findVolume } from './conditions.ts';
import { weighTraffic } from './daily-rhythm.ts';
import type { Incident } from './incidents.ts';
import type { Random } from './random.ts';

/** What sessions are drawn by: five minutes each. */
export const SLOT_MS = 300_000;

/** Running sums of the weights of a stretch's slots. */
export function createSlotSums(startMs: number, lengthMs: number, incidents: readonly Incident[]): number[] {
  let sum = 0;
  return Array.from({ length: lengthMs / SLOT_MS }, (_, slot) => {
    const slotMs = startMs + slot * SLOT_MS;
    return (sum += weighTraffic(slotMs) * findLargestVolume(incidents, slotMs));
  });
}

/** The largest volume in a slot, of any channel; never below the usual. */
export function findLargestVolume(incidents: readonly Incident[], slotMs: number): number {
  const atOnce = (atMs: number): number => findVolume(incidents, atMs, null);
  return Math.max(1, atOnce(slotMs), atOnce(slotMs + SLOT_MS - 1));
}

/** Picks a slot by its weight. */
export function drawSlot(random: Random, slotSums: readonly number[]): number {
  const wanted = random() * (slotSums.at(-1) ?? 0);
  let low = 0;
  let high = slotSums.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slotSums[middle] ?? 0) > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
