import {
  formatCount,
  formatDuration,
  formatRoundPercent,
  formatSigned,
  toSign,
} from '../../format/formats.ts';
import type {
  ComparedMeasure,
  ComparedGroup,
  Comparison,
} from '../../../src-main/common/model/analysis/comparison.ts';
import { useI18n } from 'vue-i18n';
import type { GroupField, GroupValue } from '../../../src-main/common/model/analysis/grouping.ts';
import { toVisible } from '../../../src-main/common/words/visible-text.ts';
import { useNames } from '../../names/use-names.ts';

/** From this factor on a ratio says more than a percentage. */
const MIN_FACTOR = 3;

/** A difference in the unit of its measure: points of a share, requests, or milliseconds. */
export function formatDifference(measure: ComparedMeasure, difference: number): string {
  if (measure === 'error-share') return formatSigned(difference * 100, 1);
  if (measure === 'volume') return formatSigned(difference, 0);
  return `${toSign(difference)}${formatDuration(Math.abs(difference))}`;
}

/** Both ends of an interval; one that is not zero never reads as zero, since it says how sure a difference is. */
export function formatInterval(
  measure: ComparedMeasure,
  { low, high }: { readonly low: number; readonly high: number },
): readonly [string, string] {
  const format = (end: number): string => {
    const isHidden = measure === 'error-share' && end !== 0 && Math.abs(end) < 0.0005;
    return isHidden ? formatSigned(end * 100, 2) : formatDifference(measure, end);
  };
  return [format(low), format(high)];
}

/** How a number changed: `+20.3%`, `5.9×`; null where there was nothing before. */
export function formatRatio(before: number | null, after: number | null): string | null {
  if (before === null || after === null || before <= 0) return null;
  const ratio = after / before;
  if (ratio >= MIN_FACTOR) return `${formatCount(ratio, 1)}×`;
  const change = ratio - 1;
  return `${toSign(change * 100, 1)}${formatRoundPercent(Math.abs(change), 1)}`;
}

/** Decimals that contributions are printed with: points with one, requests and milliseconds with none. */
export function toPrinted(measure: ComparedMeasure): { readonly scale: number; readonly digits: number } {
  return measure === 'error-share'
    ? { scale: 100, digits: 1 }
    : { scale: 1, digits: measure === 'volume' ? 0 : 1 };
}

/** What the two sides are, and what each is called: its period in words, or its connection. */
export interface SideNames {
  /** Two connections in one period are no change in time, and are spoken of otherwise. */
  readonly kind: 'periods' | 'connections';
  readonly before: string;
  readonly after: string;
}

/** Returns the heading of a side: before or after, or its connection. */
export function useSideTitle(): (names: SideNames, side: 'before' | 'after') => string {
  const { t } = useI18n();
  return (names, side) => (names.kind === 'connections' ? names[side] : t(`comparison.sides.${side}`));
}

/**
 * Returns what a group is called: a person's own name, or its value with the word for its field. Names belong to one
 * connection, so that groups of two have none.
 */
export function useGroupWords(readKind: () => SideNames['kind']) {
  const { t } = useI18n();
  const names = useNames();
  return (field: GroupField, value: GroupValue): string => {
    if (value === null) return t(`comparison.noValue.${field}`);
    if (field === 'outcome') return t(`outcome.names.${value}`);
    const isNamed = readKind() === 'periods' && names.find(field, value) !== null;
    if (isNamed) return names.toText(field, value);
    return t(`comparison.value.${field}`, { value: toVisible(String(value)) });
  };
}

/** How much of a change one group makes up. */
const AMOUNTS = [
  ['nearly-all', 0.9],
  ['most', 0.5],
  ['part', 0.25],
] as const;

/** What a sentence about a change says. */
interface ChangeStatement {
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
