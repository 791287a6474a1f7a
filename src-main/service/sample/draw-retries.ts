import type { Incident } from './incidents.ts';
import type { Random } from './random.ts';

/** A session of people who try again because their requests fail or take long. */
export interface RetryStart {
  readonly place: { readonly channel?: number; readonly service?: number };
  readonly atMs: number;
  readonly requests: number;
}

const LONGEST_SESSION = 4;
/** Each incident's retries take at most a fortieth of the day's requests, however small the history. */
const DAY_PARTS = 40;

/**
 * Where requests of a day go wrong, people try again: otherwise a quiet hour would hold too few requests for anyone
 * to notice. Only what begins from `fromMs` on, and up to `toMs`.
 */
export function drawRetries(
  random: Random,
  incidents: readonly Incident[],
  dayRequests: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): RetryStart[] {
  return incidents.flatMap((incident) => {
    const { channel, service, retries = 0 } = incident;
    const starts: RetryStart[] = [];
    if (incident.fromMs < fromMs || incident.fromMs >= toMs) return starts;
    const lengthMs = Math.min(incident.toMs, toMs) - incident.fromMs;
    const place = {
      ...(channel === undefined ? {} : { channel }),
      ...(service === undefined ? {} : { service }),
    };
    let left = Math.min(retries, Math.floor(dayRequests / DAY_PARTS));
    while (left > 0) {
      const requests = Math.min(left, 1 + Math.floor(random() * LONGEST_SESSION));
      left -= requests;
      starts.push({ place, atMs: Math.floor(incident.fromMs + random() * lengthMs), requests });
    }
    return starts;
  });
}
