import type { Direction } from '../../../common/reporting/reports.ts';
import { HOUR_MS, MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { divideByFlow, NO_CELLS, type TrafficCells } from './traffic-cells.ts';
import { createFlow, type Frame } from './traffic-flow.ts';
import {
  isSetAsideAt,
  toFirstHour,
  type KnownSlots,
  type SetAside,
  type TrafficGrid,
} from './traffic-grid.ts';

/** Only the busiest flows are looked at by themselves; what is larger than a flow is the sum of these. */
const MAX_FLOWS = 400;

/**
 * Lays counted outcomes out in time. `hours` holds what came in the week before the window, `minutes` what came in it,
 * which begins at a midnight. `covered` are the spans that are cached in full, in order; what came in spans that are set
 * aside doesn't count.
 */
export function createTrafficGrid(input: {
  readonly direction: Direction;
  readonly window: TimeSpan;
  readonly hours: TrafficCells;
  readonly minutes: TrafficCells;
  /** The same, by how long successful requests took to reach the connector: only inbound ones say it. */
  readonly late?: { readonly hours: TrafficCells; readonly minutes: TrafficCells };
  readonly covered: readonly TimeSpan[];
  readonly setAside?: readonly SetAside[];
}): TrafficGrid {
  const { direction, window, setAside = [] } = input;
  const isEverywhere = ({ channel, service }: SetAside): boolean => (channel ?? service ?? null) === null;
  const everywhere = setAside.filter(isEverywhere);
  const covered = everywhere.reduce<readonly TimeSpan[]>(subtractSpan, input.covered);
  const firstHour = toFirstHour(window);
  const firstMinute = Math.floor(window.fromMs / MINUTE_MS);
  const hourCount = Math.ceil(window.toMs / HOUR_MS) - firstHour;
  const minuteCount = Math.max(0, Math.ceil(window.toMs / MINUTE_MS) - firstMinute);
  const measure = (spans: readonly TimeSpan[]): KnownSlots => ({
    hoursCovered: measureCovered(spans, firstHour, hourCount, HOUR_MS),
    minutesCovered: Uint8Array.from(
      measureCovered(spans, firstMinute, minuteCount, MINUTE_MS).map((share) => (share >= 1 ? 1 : 0)),
    ),
  });
  const known = measure(covered);
  const busiest = divideByFlow(
    input.hours,
    input.minutes,
    input.late ?? { hours: NO_CELLS, minutes: NO_CELLS },
  ).sort((a, b) => b.total - a.total || a.channel - b.channel || a.service - b.service);
  return {
    direction,
    firstHour,
    firstMinute,
    ...known,
    flows: busiest.slice(0, MAX_FLOWS).map((cells) => {
      const { channel, service } = { channel: toPlace(cells.channel), service: toPlace(cells.service) };
      const limited = setAside.filter(
        (span) => !isEverywhere(span) && isSetAsideAt(span, { channel, service }),
      );
      const own = limited.length === 0 ? known : measure(limited.reduce(subtractSpan, covered));
      const frame: Frame = { firstHour, firstMinute, hourCount, minuteCount, ...own };
      return createFlow(direction, cells, frame, [...everywhere, ...limited]);
    }),
  };
}

function toPlace(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** Returns spans without the time of one. */
export function subtractSpan(spans: readonly TimeSpan[], { fromMs, toMs }: TimeSpan): readonly TimeSpan[] {
  return spans
    .flatMap((span) => [
      { fromMs: span.fromMs, toMs: Math.min(span.toMs, fromMs) },
      { fromMs: Math.max(span.fromMs, toMs), toMs: span.toMs },
    ])
    .filter((span) => span.toMs > span.fromMs);
}

/** Returns the share of each slot that spans side by side cover. */
export function measureCovered(
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
