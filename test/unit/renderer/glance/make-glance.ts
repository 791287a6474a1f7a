import type { ConnectionGlance } from '../../../../src-main/common/contract/operations/overview.ts';

export const NOW = Date.UTC(2026, 10, 20, 15, 50);
const HOUR = 3_600_000;

/** A connection of which everything is cached and nothing is wrong. */
export function makeGlance(change: Partial<ConnectionGlance> = {}): ConnectionGlance {
  const health = { platform: 'up' as const, connector: 'up' as const, checkedAtMs: NOW - 60_000 };
  const span = { sinceMs: NOW - HOUR, seenMs: HOUR - 60_000 };
  return {
    connectionId: 'local',
    latest: { ...health, failure: null },
    lastAnswered: health,
    platformState: span,
    connectorState: span,
    buckets: Array.from({ length: 48 }, (_, place) => ({
      fromMs: NOW - (48 - place) * (HOUR / 2),
      toMs: NOW - (47 - place) * (HOUR / 2),
      count: 100 + place,
      failures: 2,
      isCached: true,
    })),
    hour: { fromMs: NOW - HOUR, toMs: NOW, count: 162, failures: 39 },
    usual: { days: 7, count: 158, failureShare: 0.029 },
    ...change,
  };
}
