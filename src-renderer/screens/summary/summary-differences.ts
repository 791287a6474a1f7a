import type { Reconciliation } from '../../../src-main/common/model/analysis/reconciliation.ts';
import type { SummaryGroup } from '../../../src-main/common/model/records/summary.ts';

/** A group whose reported and cached numbers of requests differ. */
export interface GroupDifference {
  readonly key: string;
  /** Cached minus reported. */
  readonly difference: number;
}

/** Returns what identifies a group in either source. */
export function toGroupKey(
  group: Pick<SummaryGroup, 'channel' | 'service' | 'origin' | 'responseCode'>,
): string {
  return JSON.stringify([group.channel, group.service, group.origin ?? '', group.responseCode]);
}

/** Returns the groups whose counts differ; null where the two sides can't be compared. */
export function toGroupDifferences({
  obstacle,
  differences,
}: Reconciliation): readonly GroupDifference[] | null {
  if (obstacle !== null) return null;
  return differences.flatMap((group) => {
    const count = group.figures.find(({ name }) => name === 'count');
    if (count === undefined) return [];
    return [{ key: toGroupKey(group), difference: (count.computed ?? 0) - (count.reported ?? 0) }];
  });
}
