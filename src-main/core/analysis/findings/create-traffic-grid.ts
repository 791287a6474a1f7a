import type { Direction } from '../../../common/reporting/reports.ts';
import { HOUR_MS, MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { divideByFlow, type TrafficCells } from './traffic-cells.ts';
import { createFlow, type Frame } from './traffic-flow.ts';
import { toFirstHour, type TrafficGrid } from './traffic-grid.ts';

/** Only the busiest flows are looked at by themselves; what is larger than a flow is the sum of these. */
const MAX_FLOWS = 400;

/**
 * Lays counted outcomes out in time. `hours` holds what came in the week before the window, `minutes` what came in it,
 * which begins at a midnight. `covered` are the spans that are cached in full, in order.
 */
export function createTrafficGrid(input: {
  readonly direction: Direction;
  readonly window: TimeSpan;
  readonly hours: TrafficCells;
  readonly minutes: TrafficCells;
  readonly covered: readonly TimeSpan[];
}): TrafficGrid {
  const { direction, window, covered } = input;
  const firstHour = toFirstHour(window);
  const firstMinute = Math.floor(window.fromMs / MINUTE_MS);
  const hourCount = Math.ceil(window.toMs / HOUR_MS) - firstHour;
  const minuteCount = Math.max(0, Math.ceil(window.toMs / MINUTE_MS) - firstMinute);
  const frame: Frame = { firstHour, firstMinute, hourCount, minuteCount };
  const busiest = divideByFlow(input.hours, input.minutes).sort(
    (a, b) => b.total - a.total || a.channel - b.channel || a.service - b.service,
  );
  return {
    direction,
    firstHour,
    firstMinute,
    hoursCovered: measureCovered(covered, firstHour, hourCount, HOUR_MS),
    minutesCovered: Uint8Array.from(
      measureCovered(covered, firstMinute, minuteCount, MINUTE_MS).map((share) => (share >= 1 ? 1 : 0)),
    ),
    flows: busiest.slice(0, MAX_FLOWS).map((cells) => createFlow(direction, cells, frame)),
  };
}

/** The share of each slot that spans side by side cover. */
function measureCovered(
  spans: readonly TimeSpan[],
  first: number,
  count: number,
  slotMs: number,
): Float64Array {
  const shares = new Float64Array(count);
  for (const { fromMs, toMs } of spans) {
    const last = Math.min(count - 1, Math.floor((toMs - 1) / slotMs) - first);
    for (let slot = Math.max(0, Math.floor(fromMs / slotMs) - first); slot <= last; slot += 1) {
      const slotFromMs = (first + slot) * slotMs;
      const coveredMs = Math.min(toMs, slotFromMs + slotMs) - Math.max(fromMs, slotFromMs);
      shares[slot] = (shares[slot] ?? 0) + coveredMs / slotMs;
    }
  }
  return shares;
}
