import type { SummaryGroup } from '../../../src-main/common/model/summary.ts';

/** A group whose reported and cached numbers of requests differ. */
export interface GroupDifference {
  readonly key: string;
  readonly channel: number | null;
  readonly service: number | null;
  readonly origin: string | null;
  readonly responseCode: number | null;
  readonly reported: number;
  readonly computed: number;
  /** Cached minus reported. */
  readonly difference: number;
}

/** Returns what identifies a group in either source. */
export function toGroupKey(
  group: Pick<SummaryGroup, 'channel' | 'service' | 'origin' | 'responseCode'>,
): string {
  return JSON.stringify([group.channel, group.service, group.origin ?? '', group.responseCode]);
}

function sumByKey(groups: readonly SummaryGroup[]): Map<string, { group: SummaryGroup; count: number }> {
  const sums = new Map<string, { group: SummaryGroup; count: number }>();
  for (const group of groups) {
    const key = toGroupKey(group);
    sums.set(key, { group, count: (sums.get(key)?.count ?? 0) + group.count });
  }
  return sums;
}

/** Returns the groups whose counts differ between the service's report and the cached records, largest difference first. */
export function findDifferences(
  reported: readonly SummaryGroup[],
  computed: readonly SummaryGroup[],
): readonly GroupDifference[] {
  const left = sumByKey(reported);
  const right = sumByKey(computed);
  const differences: GroupDifference[] = [];
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const group = left.get(key)?.group ?? right.get(key)?.group;
    const reportedCount = left.get(key)?.count ?? 0;
    const computedCount = right.get(key)?.count ?? 0;
    if (group === undefined || reportedCount === computedCount) continue;
    const { channel, service, origin, responseCode } = group;
    differences.push({
      key,
      channel,
      service,
      origin,
      responseCode,
      reported: reportedCount,
      computed: computedCount,
      difference: computedCount - reportedCount,
    });
  }
  return differences.sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
}
