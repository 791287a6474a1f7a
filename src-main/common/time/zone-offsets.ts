import { DAY_MS } from './durations.ts';
import { toOffsetMs } from './time-zones.ts';

/** Spans of more days than this are looked at in longer steps. */
const MAX_STEPS = 20_000;

/** How far a zone's clock is ahead of UTC from an instant on. */
export interface ZoneOffset {
  readonly fromMs: number;
  readonly offsetMs: number;
}

/**
 * Returns the offsets of a zone in [fromMs, toMs), the first one from `fromMs` on, each change to the millisecond. A
 * change that is undone within a day is not seen; of spans beyond 50 years, one that is undone within weeks or months.
 */
export function listZoneOffsets(fromMs: number, toMs: number, zone: string): ZoneOffset[] {
  const offsets: ZoneOffset[] = [{ fromMs, offsetMs: toOffsetMs(fromMs, zone) }];
  const stepMs = Math.max(DAY_MS, Math.ceil((toMs - fromMs) / MAX_STEPS));
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs) {
    const nextMs = Math.min(atMs + stepMs, toMs);
    const offsetMs = toOffsetMs(nextMs, zone);
    if (offsetMs !== offsets.at(-1)?.offsetMs)
      offsets.push({ fromMs: findChange(atMs, nextMs, zone), offsetMs });
  }
  return offsets;
}

/** The first instant of (fromMs, toMs] with the offset that `toMs` has. */
function findChange(fromMs: number, toMs: number, zone: string): number {
  const offsetMs = toOffsetMs(toMs, zone);
  let [before, after] = [fromMs, toMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (toOffsetMs(middle, zone) === offsetMs) after = middle;
    else before = middle;
  }
  return after;
}
