import type { Direction } from '../../../common/reporting/reports.ts';
import { expectTraffic, type Expectation } from './expect-traffic.ts';
import {
  addHours,
  createHourCounts,
  type HourCounts,
  type KnownSlots,
  type TrafficCoverage,
  type TrafficFlow,
  type TrafficGrid,
} from './traffic-grid.ts';

/** Tells what is usual at a place, from all of its requests and from those of its flows. */
export type ExpectPlace = (
  covered: TrafficCoverage,
  hours: HourCounts,
  flows: readonly TrafficFlow[],
) => (Expectation | null)[];

/**
 * Returns a function that tells what is usual at a place; what is usual in a flow is learned only once. The usual
 * share of a place is never more than its flows together have: if each flow had an incident on another day, the place
 * had one on most days.
 */
export function createExpectations(grids: readonly TrafficGrid[]): ExpectPlace {
  const known = new Map<TrafficFlow, (Expectation | null)[]>();
  const all = new Map<Direction | null, (Expectation | null)[]>();
  for (const grid of grids) {
    const ofAll = expectTraffic(grid, sumHours([grid]));
    all.set(grid.direction, ofAll);
    for (const flow of grid.flows)
      known.set(flow, expectTraffic({ ...grid, ...pickKnown(flow) }, flow.hours, ofAll));
  }
  return (covered, hours, flows) => {
    const [first] = flows;
    if (flows.length === 1 && first !== undefined) return known.get(first) ?? [];
    const isOneDirection = flows.every(({ direction }) => direction === first?.direction);
    const direction = isOneDirection ? (first?.direction ?? null) : null;
    const ofAll = all.get(direction) ?? expectTraffic(covered, sumHours(grids));
    all.set(direction, ofAll);
    const parts = flows.map((flow) => known.get(flow) ?? []);
    return expectTraffic(covered, hours, ofAll).map((own, hour) => {
      if (own === null) return null;
      const ofHour = parts.map((part) => part[hour] ?? null);
      return {
        ...own,
        failing: toLower(own.failing, weigh(ofHour, 'failing')),
        slow: toLower(own.slow, weigh(ofHour, 'slow')),
        late: toLower(own.late, weigh(ofHour, 'late')),
      };
    });
  };
}

function pickKnown({ hoursCovered, minutesCovered }: KnownSlots): KnownSlots {
  return { hoursCovered, minutesCovered };
}

function sumHours(grids: readonly TrafficGrid[]): HourCounts {
  const flows = grids.flatMap((grid) => grid.flows);
  const whole = createHourCounts(grids[0]?.hoursCovered.length ?? 0, flows[0]?.hours.slowFor.length ?? 0);
  for (const { hours } of flows) addHours(whole, hours);
  return whole;
}

/** The share of all parts by those of each; null where one is not known. */
function weigh(parts: readonly (Expectation | null)[], name: 'failing' | 'slow' | 'late'): number | null {
  let hits = 0;
  let all = 0;
  for (const part of parts) {
    const share = part?.[name] ?? null;
    if (part === null || share === null) return null;
    hits += part.rate * share;
    all += part.rate;
  }
  return all > 0 ? hits / all : null;
}

function toLower(own: number | null, ofParts: number | null): number | null {
  return own === null || ofParts === null ? own : Math.min(own, ofParts);
}
