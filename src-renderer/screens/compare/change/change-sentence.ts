import type {
  ComparedGroup,
  ComparedMeasure,
  Comparison,
} from '../../../../src-main/common/model/analysis/comparison.ts';

/** How much of a change one group makes up. */
const AMOUNTS = [
  ['nearly-all', 0.9],
  ['most', 0.5],
  ['part', 0.25],
] as const;

/** What a sentence about a change says. */
export interface ChangeStatement {
  readonly trend: 'rose' | 'fell' | 'same' | 'chance' | 'unknown';
  /** The group that made up most of it; null where none stands out. */
  readonly cause: {
    readonly group: ComparedGroup;
    readonly amount: (typeof AMOUNTS)[number][0];
    /** Its own figure rose or fell, or its part of all requests did. */
    readonly how: 'rate-up' | 'rate-down' | 'mix-up' | 'mix-down';
  } | null;
}

/** Returns the measure of both sides that the sentence is about: a share, a count, or the average response time. */
export function toFigures(
  { before, after }: ComparedGroup,
  measure: ComparedMeasure,
): { readonly before: number | null; readonly after: number | null } {
  const read = ({ count, failures, averageMs }: ComparedGroup['before']): number | null => {
    if (measure === 'response') return averageMs;
    if (measure === 'volume') return count;
    return count === 0 ? null : failures / count;
  };
  return { before: read(before), after: read(after) };
}

/** Returns what changed, and which group did it. */
export function stateChange({ total, groups }: Comparison, measure: ComparedMeasure): ChangeStatement {
  const change = total.contribution;
  const { before, after } = toFigures(total, measure);
  if (change === null || before === null || after === null) return { trend: 'unknown', cause: null };
  if (change === 0) return { trend: 'same', cause: null };
  if (measure === 'error-share' && total.certainty === 'open') return { trend: 'chance', cause: null };
  return { trend: change > 0 ? 'rose' : 'fell', cause: findCause(groups, change) };
}

function findCause(groups: readonly ComparedGroup[], change: number): ChangeStatement['cause'] {
  // Of all that moved the same way: others may have moved against it.
  const along = groups.reduce(
    (sum, group) => sum + Math.max(0, (group.contribution ?? 0) * Math.sign(change)),
    0,
  );
  const shareOf = (group: ComparedGroup): number => ((group.contribution ?? 0) * Math.sign(change)) / along;
  const [first] = groups.toSorted((a, b) => shareOf(b) - shareOf(a));
  const amount = AMOUNTS.find(([, least]) => first !== undefined && shareOf(first) >= least)?.[0];
  if (first === undefined || amount === undefined) return null;
  const { rate, mix, contribution } = first;
  const isRate = rate === null || mix === null || Math.abs(rate) >= Math.abs(mix);
  if (isRate) return { group: first, amount, how: (contribution ?? 0) > 0 ? 'rate-up' : 'rate-down' };
  const shareBefore =
    first.before.count /
    Math.max(
      1,
      groups.reduce((sum, one) => sum + one.before.count, 0),
    );
  const shareAfter =
    first.after.count /
    Math.max(
      1,
      groups.reduce((sum, one) => sum + one.after.count, 0),
    );
  return { group: first, amount, how: shareAfter > shareBefore ? 'mix-up' : 'mix-down' };
}
