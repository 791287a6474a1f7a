import type { TimesBasis } from '../../../../../src-renderer/screens/summary/charts/times/measured-series.ts';

const HOUR_MS = 3_600_000;
/** Friday, 20 November 2026. */
export const START_MS = Date.UTC(2026, 10, 20, 10);

/** Six hours of a channel, of which the last two are not cached. */
export function makeBasis(change: Partial<TimesBasis> = {}): TimesBasis {
  const toMs = START_MS + 6 * HOUR_MS;
  return {
    direction: 'inbound',
    scope: { connectionId: 'a', report: 'inbound-detail', fromMs: START_MS, toMs },
    filter: { conditions: [{ field: 'channel', values: [3] }] },
    version: '1',
    zone: 'UTC',
    gaps: [{ fromMs: START_MS + 4 * HOUR_MS, toMs }],
    ...change,
  };
}
