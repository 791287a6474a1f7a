import type { FindingKind } from '../../../common/model/analysis/finding-kinds.ts';
import type { Expectation } from './expect-traffic.ts';
import type { TrafficCounts } from './traffic-grid.ts';

/** What is found in counted traffic, what matters more first. */
export const TRAFFIC_KINDS = [
  'errors-up',
  'volume-down',
  'slower',
  'slow-connector',
  'volume-up',
] as const satisfies readonly FindingKind[];
export type TrafficKind = (typeof TRAFFIC_KINDS)[number];

/** Kinds that are shares of requests: a larger part of them fails, or takes long. */
export type ShareKind = 'errors-up' | 'slower' | 'slow-connector';

interface Counted {
  /** The requests that it is about, and all that could have been. */
  readonly hits: keyof TrafficCounts;
  readonly all: keyof TrafficCounts;
  /** The usual share of them; null where their number is compared. */
  readonly usual: 'failing' | 'slow' | 'late' | null;
}

/** Which of the counted requests a kind is about. */
export const COUNTED = {
  'errors-up': { hits: 'failures', all: 'requests', usual: 'failing' },
  'volume-down': { hits: 'requests', all: 'requests', usual: null },
  slower: { hits: 'slow', all: 'timed', usual: 'slow' },
  'slow-connector': { hits: 'late', all: 'reached', usual: 'late' },
  'volume-up': { hits: 'requests', all: 'requests', usual: null },
} as const satisfies Readonly<Record<TrafficKind, Counted>> &
  Readonly<Record<ShareKind, { usual: keyof Expectation }>>;

export function isShareKind(kind: TrafficKind): kind is ShareKind {
  return COUNTED[kind].usual !== null;
}
