import type { HealthState } from '../../../common/model/connections/status.ts';
import { MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import type { Minutes } from './judge-minutes.ts';

/** What a check found of one part. */
export interface PartSample {
  readonly checkedAtMs: number;
  readonly state: HealthState;
}

/** How long an answer counts when no other one comes. */
const SPOKEN_MS = 120_000;
/** Two answers that agree, no further apart than this, count for the time between them too. */
const BRIDGED_MS = 900_000;

/**
 * Returns the minutes of [fromMs, toMs) in which a part was reported as up or down: `hits` are those that were down.
 * What could not be reached, or was not checked, is not known. Samples are oldest first, and may begin earlier.
 */
export function toHealthMinutes(samples: readonly PartSample[], { fromMs, toMs }: TimeSpan): Minutes {
  const length = Math.max(0, Math.floor((toMs - fromMs) / MINUTE_MS));
  const known = new Uint8Array(length);
  const hits = new Float64Array(length);
  const mark = (sinceMs: number, untilMs: number, isDown: boolean): void => {
    const first = Math.max(0, Math.floor((sinceMs - fromMs) / MINUTE_MS));
    const last = Math.min(length - 1, Math.ceil((untilMs - fromMs) / MINUTE_MS) - 1);
    for (let place = first; place <= last; place += 1) {
      known[place] = 1;
      // In a minute with two answers the later one counts.
      hits[place] = isDown ? 1 : 0;
    }
  };
  const isReport = ({ state }: PartSample): boolean => state === 'up' || state === 'down';
  for (const [place, sample] of samples.entries()) {
    if (!isReport(sample)) continue;
    const { checkedAtMs, state } = sample;
    const next = samples[place + 1];
    const agrees = next !== undefined && next.state === state && next.checkedAtMs - checkedAtMs <= BRIDGED_MS;
    const spokenMs = checkedAtMs + SPOKEN_MS;
    const untilMs = agrees ? next.checkedAtMs : Math.min(spokenMs, next?.checkedAtMs ?? spokenMs, toMs);
    // An answer always counts for the minute in which it came.
    mark(checkedAtMs, Math.max(untilMs, checkedAtMs + 1), state === 'down');
  }
  return { fromMs, known, totals: Float64Array.from(known), hits };
}
