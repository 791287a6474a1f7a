import { DAY_MS } from '../time/durations.ts';
import { toOffsetMs } from '../time/time-zones.ts';

/** How far a zone's clock is ahead of UTC from an instant on. */
export interface ClockOffset {
  readonly fromMs: number;
  readonly offsetMs: number;
}

/**
 * What a zone's clock is ahead of UTC over [fromMs, toMs), the first entry also before it. Zones change their clocks at
 * most once in a day.
 */
export function listClockOffsets(fromMs: number, toMs: number, zone: string): ClockOffset[] {
  const offsets: ClockOffset[] = [{ fromMs, offsetMs: toOffsetMs(fromMs, zone) }];
  if (zone === 'UTC') return offsets;
  for (let atMs = fromMs; atMs < toMs; atMs += DAY_MS) {
    const before = offsets.at(-1)?.offsetMs ?? 0;
    const nextMs = Math.min(atMs + DAY_MS, toMs);
    const after = toOffsetMs(nextMs, zone);
    if (after !== before) offsets.push({ fromMs: findChange(atMs, nextMs, zone), offsetMs: after });
  }
  return offsets;
}

/** The first instant in (lowMs, highMs] at which the offset is that of highMs. */
function findChange(lowMs: number, highMs: number, zone: string): number {
  const after = toOffsetMs(highMs, zone);
  let low = lowMs;
  let high = highMs;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (toOffsetMs(middle, zone) === after) high = middle;
    else low = middle;
  }
  return high;
}

/** An instant as a zone's clock shows it, in the form that SQL takes: `2026-11-19 07:30:00`, with thousandths if any. */
export function toClockText(epochMs: number, zone: string): string {
  return new Date(epochMs + toOffsetMs(epochMs, zone))
    .toISOString()
    .replace('T', ' ')
    .replace(/(\.000)?Z$/, '');
}
