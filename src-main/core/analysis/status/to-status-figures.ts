import type { StatusFigures, Uptime } from '../../../common/model/connections/status.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { toSpokenMs, type StatusPoint } from './status-point.ts';

/** What was seen for less is no measure. */
const MIN_SEEN_MS = 1000;

/**
 * Returns what was measured over each of some spans that end at `nowMs`. Points are oldest first; uptime leaves out
 * `planned` times, oldest first too.
 */
export function toStatusFigures(
  points: readonly StatusPoint[],
  nowMs: number,
  spansMs: readonly number[],
  planned: readonly TimeSpan[] = [],
): StatusFigures[] {
  return spansMs.map((spanMs) => {
    const first = points.findIndex(({ checkedAtMs }) => checkedAtMs >= nowMs - spanMs);
    const inSpan = first === -1 ? [] : points.slice(first);
    return {
      spanMs,
      platform: toUptime(inSpan, 'platform', nowMs, planned),
      connector: toUptime(inSpan, 'connector', nowMs, planned),
      medianResponseTimeMs: toMedian(sortResponseTimes(inSpan)),
      responseSeenMs: sumSpokenMs(inSpan, nowMs),
    };
  });
}

/**
 * How long the service said `up`, of the time that its answers speak for; null while it has said neither for a time.
 * Measured in time, over what the service itself said (decision 28), outside of planned times.
 */
export function toUptime(
  points: readonly StatusPoint[],
  subject: 'connector' | 'platform',
  nowMs: number,
  planned: readonly TimeSpan[] = [],
): Uptime | null {
  let seenMs = 0;
  let upMs = 0;
  let sinceMs: number | null = null;
  let nextMs = nowMs;
  let next = planned.length - 1;
  // Of a month there are a hundred thousand points: a plain loop takes a tenth of the time of an iterator.
  for (let place = points.length - 1; place >= 0; place -= 1) {
    const point = points[place];
    if (point === undefined) continue;
    const state = point[subject];
    if (point.failure === null && (state === 'up' || state === 'down')) {
      let spanMs = toSpokenMs(point, nextMs);
      const toMs = point.checkedAtMs + spanMs;
      while ((planned[next]?.fromMs ?? -Infinity) >= toMs) next -= 1;
      for (let near = next; near >= 0; near -= 1) {
        const span = planned[near];
        if (span === undefined || span.toMs <= point.checkedAtMs) break;
        spanMs -= Math.max(0, Math.min(toMs, span.toMs) - Math.max(point.checkedAtMs, span.fromMs));
      }
      seenMs += spanMs;
      if (state === 'up') upMs += spanMs;
      sinceMs = point.checkedAtMs;
    }
    nextMs = point.checkedAtMs;
  }
  return sinceMs === null || seenMs < MIN_SEEN_MS ? null : { share: upMs / seenMs, seenMs, sinceMs };
}

/** Returns the internal response times of points, shortest first. */
export function sortResponseTimes(points: readonly StatusPoint[]): Float64Array {
  const times = new Float64Array(points.length);
  let count = 0;
  for (const { internalResponseTimeMs } of points) {
    if (internalResponseTimeMs === null) continue;
    times[count] = internalResponseTimeMs;
    count += 1;
  }
  return times.subarray(0, count).sort();
}

/** Returns the median of sorted values; null of none. */
export function toMedian(sorted: Float64Array): number | null {
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}

function sumSpokenMs(points: readonly StatusPoint[], nowMs: number): number {
  return points.reduce((sum, point, place) => {
    if (point.internalResponseTimeMs === null) return sum;
    return sum + toSpokenMs(point, points[place + 1]?.checkedAtMs ?? nowMs);
  }, 0);
}
