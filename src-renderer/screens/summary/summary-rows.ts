import { CODE_CLASSES, toCodeClass, type CodeClass } from '../../../src-main/common/model/record.ts';
import type { FieldCondition, RecordFilter } from '../../../src-main/common/model/record-filter.ts';
import type { SummaryGroup } from '../../../src-main/common/model/summary.ts';
import {
  averageWeighted,
  collectBy,
  countClasses,
  countErrors,
  isErrorClass,
  type Dimension,
} from '../../charts/summary-series.ts';
import { toGroupKey } from './summary-differences.ts';

/** Errors are prominent from this share of their row on, and never below this count. */
const MIN_PROMINENT_SHARE = 0.005;
const MIN_PROMINENT_COUNT = 10;

/** One group of the report, with its share of the whole. */
export interface SummaryLeaf {
  readonly key: string;
  readonly group: SummaryGroup;
  readonly share: number;
  readonly counts: readonly number[];
  /** Enough errors for a tint; with every error tinted the table would turn red. */
  readonly prominent: boolean;
}

/** The groups of one channel or service, joined. */
export interface SummaryRow {
  readonly key: string;
  readonly value: number | null;
  /** Values of the other dimension, ascending. */
  readonly others: readonly number[];
  readonly origins: readonly string[];
  readonly codeCount: number;
  readonly count: number;
  readonly counts: readonly number[];
  readonly share: number;
  readonly errorShare: number;
  readonly averageResponseTimeMs: number | null;
  readonly averageBotLatencyMs: number | null;
  readonly leaves: readonly SummaryLeaf[];
}

function toLeaf(group: SummaryGroup, total: number, rowCount: number): SummaryLeaf {
  const prominentCount = Math.max(MIN_PROMINENT_COUNT, rowCount * MIN_PROMINENT_SHARE);
  return {
    key: toGroupKey(group),
    group,
    share: total === 0 ? 0 : group.count / total,
    counts: countClasses([group]),
    prominent: isErrorClass(toCodeClass(group.responseCode)) && group.count >= prominentCount,
  };
}

/** Prominent errors first, then larger counts. */
function compareLeaves(a: SummaryLeaf, b: SummaryLeaf): number {
  const rank = Number(b.prominent) - Number(a.prominent);
  return rank === 0 ? b.group.count - a.group.count : rank;
}

function toDistinct<Value>(values: readonly (Value | null)[]): Value[] {
  return [...new Set(values)].filter((value): value is Value & {} => value !== null);
}

/** Returns one row per channel or service, most requests first, with its groups. */
export function toSummaryRows(groups: readonly SummaryGroup[], dimension: Dimension): readonly SummaryRow[] {
  const total = groups.reduce((sum, group) => sum + group.count, 0);
  const other: Dimension = dimension === 'channel' ? 'service' : 'channel';
  const rows = [...collectBy(groups, dimension)].map(([value, members]): SummaryRow => {
    const counts = countClasses(members);
    const count = counts.reduce((sum, part) => sum + part, 0);
    return {
      key: `${dimension}:${String(value)}`,
      value,
      others: toDistinct(members.map((group) => group[other])).sort((a, b) => a - b),
      origins: toDistinct(members.map((group) => group.origin)).sort(),
      codeCount: new Set(members.map((group) => group.responseCode)).size,
      count,
      counts,
      share: total === 0 ? 0 : count / total,
      errorShare: count === 0 ? 0 : countErrors(counts) / count,
      averageResponseTimeMs: averageWeighted(members, 'averageResponseTimeMs'),
      averageBotLatencyMs: averageWeighted(members, 'averageBotLatencyMs'),
      leaves: members.map((group) => toLeaf(group, total, count)).sort(compareLeaves),
    };
  });
  return rows.sort((a, b) => b.count - a.count);
}

type GroupCondition = FieldCondition & { readonly field: 'channel' | 'service' };

/** True for a condition on a channel or a service; others don't apply to groups. */
export function isOnGroups(condition: FieldCondition): condition is GroupCondition {
  return condition.field === 'channel' || condition.field === 'service';
}

/** Returns the groups of the channels and services that a filter lets through. */
export function restrictGroups(
  groups: readonly SummaryGroup[],
  { conditions }: RecordFilter,
): readonly SummaryGroup[] {
  const applied = conditions.filter(isOnGroups);
  return groups.filter((group) =>
    applied.every((condition) => isMet(condition, group[condition.field]) !== (condition.exclude === true)),
  );
}

function isMet({ values = [], min, max }: FieldCondition, value: number | null): boolean {
  if (values.includes(value)) return true;
  const hasRange = min !== undefined || max !== undefined;
  return hasRange && value !== null && value >= (min ?? -Infinity) && value <= (max ?? Infinity);
}

/** Returns the groups that match every typed word: a channel or service, the beginning of a code or class, part of an origin. */
export function filterGroups(
  groups: readonly SummaryGroup[],
  text: string,
  toName: (field: string, value: number) => string = (_, value) => String(value),
): readonly SummaryGroup[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return groups;
  const isNamed = (field: string, value: number | null, word: string): boolean => {
    const name = value === null ? '' : toName(field, value);
    // A number by itself has to be meant whole.
    return name !== String(value) && name.toLowerCase().includes(word);
  };
  return groups.filter((group) =>
    words.every(
      (word) =>
        String(group.channel) === word ||
        String(group.service) === word ||
        isNamed('channel', group.channel, word) ||
        isNamed('service', group.service, word) ||
        String(group.responseCode).startsWith(word) ||
        toCodeClass(group.responseCode).startsWith(word) ||
        (group.origin ?? '').toLowerCase().includes(word),
    ),
  );
}

/** Returns the parts of a share bar as shares of the widest row, 0 to 1, in the order of CODE_CLASSES, without empty ones. */
export function toShareParts(
  counts: readonly number[],
  widest: number,
): readonly { codeClass: CodeClass; share: number }[] {
  return CODE_CLASSES.flatMap((codeClass, index) => {
    const count = counts[index] ?? 0;
    return count === 0 || widest === 0 ? [] : [{ codeClass, share: count / widest }];
  });
}
