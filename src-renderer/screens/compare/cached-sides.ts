import type { ComparedGroup, Comparison } from '../../../src-main/common/model/analysis/comparison.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import type { CompareSide } from './compare-sides.ts';

/** How much of what is looked at of a side is cached. */
type SideCache = 'whole' | 'partly' | 'none';
export type SideCaches = Readonly<Record<'before' | 'after', SideCache>>;

/** Returns how much of a side is cached, by what its period lacks; a snapshot is cached as it is. */
export function judgeCache(
  { period, whole, shown }: CompareSide,
  recordCount: number,
  lacks: {
    readonly gaps: readonly (TimeSpan & { readonly state: string })[];
    readonly cachedUntilMs: number | null;
  },
): SideCache {
  if (period === null) return 'whole';
  const sumUp = (spans: readonly TimeSpan[]): number =>
    spans
      .map(({ fromMs, toMs }) => Math.min(toMs, shown.toMs) - Math.max(fromMs, shown.fromMs))
      .reduce((sum, lengthMs) => sum + Math.max(0, lengthMs), 0);
  const { gaps, cachedUntilMs } = lacks;
  const missing = gaps.filter(({ state }) => state === 'missing');
  const tail = cachedUntilMs === null ? [] : [{ fromMs: cachedUntilMs, toMs: whole.toMs }];
  if (recordCount === 0 && sumUp([...missing, ...tail]) >= shown.toMs - shown.fromMs) return 'none';
  return sumUp(gaps) > 0 ? 'partly' : 'whole';
}

/** Returns a comparison without the differences from a side of which nothing is cached: nobody knows them. */
export function hideUnknown(comparison: Comparison, cached: SideCaches): Comparison {
  if (cached.before !== 'none' && cached.after !== 'none') return comparison;
  const nothing = { difference: null, interval: null, contribution: null, rate: null, mix: null };
  const hide = (group: ComparedGroup): ComparedGroup => ({ ...group, ...nothing });
  const { total, groups, parts } = comparison;
  return { ...comparison, total: hide(total), groups: groups.map(hide), parts: parts.map(hide) };
}
