import type {
  DifferingGroup,
  Reconciliation,
} from '../../../../src-main/common/model/analysis/comparison.ts';

/** A reconciliation in which everything agrees. */
export function makeReconciliation(change: Partial<Reconciliation> = {}): Reconciliation {
  return {
    snapshotId: 1,
    verdict: 'matches',
    obstacle: null,
    reportedAtMs: Date.UTC(2026, 10, 20, 14),
    cachedAtMs: Date.UTC(2026, 10, 20, 13, 58),
    groupCount: 192,
    differences: [],
    differenceCount: 0,
    gaps: [],
    missingMs: 0,
    tolerances: { averageResponseTimeMs: 0.001, averageBotLatencyMs: 1 },
    ...change,
  };
}

/** A group of which the service counted 4 more. */
export function makeDifferingGroup(change: Partial<DifferingGroup> = {}): DifferingGroup {
  return {
    channel: 3,
    service: 7,
    origin: 'web',
    responseCode: 502,
    figures: [{ name: 'count', reported: 109, computed: 105 }],
    reasons: [],
    isExplained: false,
    ...change,
  };
}
