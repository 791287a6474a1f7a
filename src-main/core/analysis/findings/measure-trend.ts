import type { Place } from './detect-incidents.ts';
import { isWithin } from './explain-incidents.ts';
import type { FindingKind } from '../../../common/model/analysis/finding.ts';
import type { TrafficGrid } from './traffic-grid.ts';

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
    const isVolume = kind === 'volume-down' || kind === 'volume-up';
    values.unshift(isVolume ? all : all === 0 ? 0 : hits / all);
  }
  return values;
}

function countIn(
  flows: TrafficGrid['flows'],
  kind: FindingKind,
  from: number,
  to: number,
): [hits: number, all: number] {
  let hits = 0;
  let all = 0;
  for (const { minutes } of flows) {
    const { failures, slow, requests, timed } = minutes;
    const [ofHits, ofAll] = kind === 'slower' ? [slow, timed] : [failures, requests];
    for (let minute = from; minute < to; minute += 1) {
      hits += ofHits[minute] ?? 0;
      all += ofAll[minute] ?? 0;
    }
  }
  return [hits, all];
}
