import { RECENT_MINUTES, SLOWED_DOWN, TIMING_OUT } from './conditions.ts';
import type { Random } from './random.ts';

/** A session of people who try again because their requests fail or take long. */
export interface SurgeStart {
  readonly place: { readonly channel: number; readonly service: number };
  readonly atMs: number;
  readonly requests: number;
}

const MINUTE_MS = 60_000;
const LONGEST_SESSION = 4;
/** Each surge takes at most a fortieth of the last day's requests, however small the history. */
const DAY_PARTS = 40;

const SURGES = [
  { place: TIMING_OUT, requests: 40 },
  { place: SLOWED_DOWN, requests: 64 },
] as const;

/**
 * Where the last minutes of the history go wrong, more is tried: without it a quiet hour would hold too few
 * requests for anyone to notice. The sessions become more frequent towards the end.
 */
export function drawSurges(random: Random, dayRequests: number, endMs: number): SurgeStart[] {
  return SURGES.flatMap(({ place, requests }) => {
    const starts: SurgeStart[] = [];
    let left = Math.min(requests, Math.floor(dayRequests / DAY_PARTS));
    while (left > 0) {
      const length = Math.min(left, 1 + Math.floor(random() * LONGEST_SESSION));
      left -= length;
      const ageMs = (1 - Math.sqrt(random())) * RECENT_MINUTES * MINUTE_MS;
      starts.push({ place, atMs: Math.floor(endMs - ageMs), requests: length });
    }
    return starts;
  });
}
