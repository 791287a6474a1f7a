import type { Place } from './detect-incidents.ts';
import { isWithin } from './explain-incidents.ts';
import { FINDING_KIND_ROWS, type FindingKind } from '../../../common/model/analysis/finding-kinds.ts';
import type { TrafficCounts, TrafficGrid } from './traffic-grid.ts';
import { COUNTED, TRAFFIC_KINDS } from './traffic-kinds.ts';

const SLOTS = 14;
const MIN_SLOT_MINUTES = 10;
/** The time before the onset takes this share of the whole. */
const WITH_BEFORE = 1.4;

/**
 * Returns the measure of a kind of finding in equal spans that end with it: shares of failing or slow requests, or
 * requests a span. `onset` and `end` are minutes of the window.
 */
export function measureTrend(
  grids: readonly TrafficGrid[],
  finding: Place & { readonly kind: FindingKind },
  onset: number,
  end: number,
): number[] {
  const { kind } = finding;
  const flows = grids.flatMap((grid) => grid.flows.filter((flow) => isWithin(flow, finding)));
  const slot = Math.max(MIN_SLOT_MINUTES, Math.ceil(((end - onset) * WITH_BEFORE) / SLOTS));
  const values: number[] = [];
  for (let to = end; to > 0 && values.length < SLOTS; to -= slot) {
    const [hits, all] = countIn(flows, kind, Math.max(0, to - slot), to);
    values.unshift(FINDING_KIND_ROWS[kind].measure === 'volume' ? all : all === 0 ? 0 : hits / all);
  }
  return values;
}

function countIn(
  flows: TrafficGrid['flows'],
  kind: FindingKind,
  from: number,
  to: number,
): [hits: number, all: number] {
  const counted = toCounted(kind);
  let hits = 0;
  let all = 0;
  for (const { minutes } of flows) {
    const [ofHits, ofAll] = [minutes[counted.hits], minutes[counted.all]];
    for (let minute = from; minute < to; minute += 1) {
      hits += ofHits[minute] ?? 0;
      all += ofAll[minute] ?? 0;
    }
  }
  return [hits, all];
}

/** What isn't found in counted traffic itself shows in the requests that fail. */
function toCounted(kind: FindingKind): {
  readonly hits: keyof TrafficCounts;
  readonly all: keyof TrafficCounts;
} {
  const own = TRAFFIC_KINDS.find((one) => one === kind);
  return COUNTED[own ?? 'errors-up'];
}
