import type { GroupKey, GroupValue, Latency } from '../../../../src-main/common/model/analysis/grouping.ts';
import { toErrorShare, type Group } from '../groups/group-figures.ts';

/** What a chart of bars shows of each group. */
export type BarMeasure = 'response' | 'latency' | 'errorShare';

export interface MeasureBar {
  readonly value: GroupValue;
  readonly count: number;
  readonly failures: number;
  /** Milliseconds, or a share of 0 to 1. */
  readonly length: number;
  /** The 95th percentile; null where it is not known. */
  readonly p95Ms: number | null;
}

/** Returns the bars of a measure, longest first. Times are medians where they are known, else averages. */
export function toMeasureBars(
  groups: readonly Group[],
  field: GroupKey,
  measure: BarMeasure,
): readonly MeasureBar[] {
  const bars = groups.flatMap((group): MeasureBar[] => {
    const { count, failures } = group;
    const value = group.values[field] ?? null;
    if (measure === 'errorShare') {
      return [{ value, count, failures, length: toErrorShare(group), p95Ms: null }];
    }
    const times: Latency = measure === 'response' ? group.response : group.botLatency;
    const length = times.medianMs ?? times.averageMs;
    return length === null ? [] : [{ value, count, failures, length, p95Ms: times.p95Ms }];
  });
  return bars.sort((a, b) => b.length - a.length);
}
