import { CODE_CLASSES, toCodeClass, type CodeClass } from '../../src-main/common/model/record.ts';
import type { SummaryGroup } from '../../src-main/common/model/summary.ts';

/** A channel or service with its requests by class, in the order of CODE_CLASSES. */
interface ClassBar {
  readonly value: number | null;
  readonly counts: readonly number[];
  readonly total: number;
  readonly errors: number;
  readonly errorShare: number;
}

interface AverageBar {
  readonly value: number | null;
  readonly averageMs: number;
  readonly count: number;
}

export type Dimension = 'channel' | 'service';

/** Returns whether a class is of failures: 4xx, 5xx, and requests that have no code to show. */
export function isErrorClass(codeClass: CodeClass): boolean {
  return codeClass === '4xx' || codeClass === '5xx' || codeClass === 'none';
}

/** Returns the average of the groups weighted by their counts, without groups that have none; null when none has. */
export function averageWeighted(
  groups: readonly SummaryGroup[],
  field: 'averageResponseTimeMs' | 'averageBotLatencyMs',
): number | null {
  let sum = 0;
  let weight = 0;
  for (const group of groups) {
    const average = group[field];
    if (average === null) continue;
    sum += average * group.count;
    weight += group.count;
  }
  return weight === 0 ? null : sum / weight;
}

/** Returns the groups by channel or service, in the order of first appearance. */
export function collectBy(
  groups: readonly SummaryGroup[],
  dimension: Dimension,
): Map<number | null, SummaryGroup[]> {
  const collected = new Map<number | null, SummaryGroup[]>();
  for (const group of groups) {
    const members = collected.get(group[dimension]);
    if (members === undefined) collected.set(group[dimension], [group]);
    else members.push(group);
  }
  return collected;
}

/** Returns the requests of each class, in the order of CODE_CLASSES. */
export function countClasses(groups: readonly SummaryGroup[]): number[] {
  const counts = CODE_CLASSES.map(() => 0);
  for (const group of groups) {
    const index = CODE_CLASSES.indexOf(toCodeClass(group.responseCode));
    counts[index] = (counts[index] ?? 0) + group.count;
  }
  return counts;
}

/** Returns the failing requests among counts in the order of CODE_CLASSES. */
export function countErrors(counts: readonly number[]): number {
  return CODE_CLASSES.reduce(
    (sum, codeClass, index) => (isErrorClass(codeClass) ? sum + (counts[index] ?? 0) : sum),
    0,
  );
}

/** Returns one bar per channel or service, most requests first; with `errorsOnly`, most errors first. */
export function toClassBars(
  groups: readonly SummaryGroup[],
  dimension: Dimension,
  errorsOnly: boolean,
): readonly ClassBar[] {
  const bars = [...collectBy(groups, dimension)].map(([value, members]) => {
    const counts = countClasses(members);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const errors = countErrors(counts);
    return { value, counts, total, errors, errorShare: total === 0 ? 0 : errors / total };
  });
  return bars.sort((a, b) => (errorsOnly ? b.errors - a.errors : b.total - a.total));
}

/** Returns the average response time of each service that has one, weighted by count, longest first. */
export function toServiceAverages(groups: readonly SummaryGroup[]): readonly AverageBar[] {
  return [...collectBy(groups, 'service')]
    .flatMap(([value, members]) => {
      const averageMs = averageWeighted(members, 'averageResponseTimeMs');
      const count = members.reduce((sum, group) => sum + group.count, 0);
      return averageMs === null ? [] : [{ value, averageMs, count }];
    })
    .sort((a, b) => b.averageMs - a.averageMs);
}

/** Returns whether a share of errors is well above the whole's, which deserves the alert colour. */
export function isStandingOut(errorShare: number, overallShare: number): boolean {
  return errorShare > 0.005 && errorShare > overallShare * 1.5;
}
