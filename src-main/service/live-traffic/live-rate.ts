import { toPeakShare, weighTraffic } from '../sample/daily-rhythm.ts';
import { SLOT_MS } from '../sample/traffic-slots.ts';
import { DAY_MS } from '../../common/time/durations.ts';

/** What decides how much new traffic there is. */
export interface RatePlan {
  /** Inbound records of the history. */
  readonly records: number;
  readonly days: number;
  readonly endMs: number;
  /** Requests a second, whatever the history; null goes on at its rate. */
  readonly perSecond: number | null;
}

/**
 * Inbound requests in a second of new traffic at an instant: as many as in the history at that hour of the
 * week, so that nothing shows where one ends and the other begins. Without a history, one or two.
 */
export function createLiveRate({ records, days, endMs, perSecond }: RatePlan): (atMs: number) => number {
  if (perSecond !== null) return () => perSecond;
  const slots = Math.round((days * DAY_MS) / SLOT_MS);
  let weight = 0;
  for (let slot = 1; slot <= slots; slot += 1) weight += weighTraffic(endMs - slot * SLOT_MS);
  if (!(records > 0) || weight === 0) return (atMs) => 1 + toPeakShare(atMs);
  const share = (records / weight / SLOT_MS) * 1_000;
  return (atMs) => share * weighTraffic(atMs);
}
