import { expectTraffic, type Expectation } from './expect-traffic.ts';
import type { HourCounts, TrafficCoverage, TrafficFlow } from './traffic-grid.ts';

/** Says what is usual at a place, from its requests in all and from those of its flows. */
export type ExpectPlace = (
  covered: TrafficCoverage,
  hours: HourCounts,
  flows: readonly TrafficFlow[],
) => (Expectation | null)[];

/**
 * Returns what says what is usual at places; what is usual in a flow is learned once. The usual share of a place is no
 * more than those of its flows together: where each flow had an incident on another day, most days of the place did.
 */
export function createExpectations(
  coverageOf: (flow: TrafficFlow) => TrafficCoverage | undefined,
): ExpectPlace {
  const known = new Map<TrafficFlow, (Expectation | null)[]>();
  const expectFlow = (flow: TrafficFlow, covered: TrafficCoverage): (Expectation | null)[] => {
    const own = known.get(flow) ?? expectTraffic(coverageOf(flow) ?? covered, flow.hours);
    known.set(flow, own);
    return own;
  };
  return (covered, hours, flows) => {
    const [first] = flows;
    if (flows.length === 1 && first !== undefined) return expectFlow(first, covered);
    const parts = flows.map((flow) => expectFlow(flow, covered));
    return expectTraffic(covered, hours).map((own, hour) => {
      if (own === null) return null;
      const ofHour = parts.map((part) => part[hour] ?? null);
      return {
        ...own,
        failing: toLower(own.failing, weigh(ofHour, 'failing')),
        slow: toLower(own.slow, weigh(ofHour, 'slow')),
      };
    });
  };
}

/** The share of all parts by those of each; null where one is not known. */
function weigh(parts: readonly (Expectation | null)[], name: 'failing' | 'slow'): number | null {
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
