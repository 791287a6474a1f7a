import { DAY_SLOTS, isOnAndOff, isWeekendSlot, type LongSeries } from './long-series.ts';
import { findRare, type Rare } from './rare-sizes.ts';

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
