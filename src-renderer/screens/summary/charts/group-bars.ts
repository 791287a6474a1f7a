import type { GroupKey, GroupValue, Latency } from '../../../../src-main/common/model/analysis/grouping.ts';
import { toErrorShare, type Group } from '../groups/group-figures.ts';
import { useNames } from '../../../names/use-names.ts';
import { useGroupWords } from '../groups/use-group-words.ts';

/** What a chart of bars shows of each group. */
export type BarMeasure = 'response' | 'latency' | 'errorShare';

interface MeasureBar {
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

/** More would not be read; the table behind the chart has all of them. */
export const MAX_BARS = 12;
const MAX_NAME_CHARACTERS = 18;

/** Names of the bars, in full and as short as an axis needs them. */
export function useBarNames() {
  const names = useNames();
  const { toName } = useGroupWords();

  /** Returns a name, which is cut where the bars need the room. */
  function toBarName(field: GroupKey, value: GroupValue): string {
    const entry = names.find(field, value);
    if (entry === null) return cut(toName(field, value));
    return `${cut(entry.name)} ${value ?? ''}`;
  }

  return { toBarName, toFullName: toName };
}

function cut(name: string): string {
  const shown =
    name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS - 1).trimEnd()}…` : name;
  return shown.toWellFormed();
}
