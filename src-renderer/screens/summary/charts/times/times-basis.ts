import type { RecordFilter } from '../../../../../src-main/common/model/records/record-filter.ts';
import type { PeriodScope } from '../../../../../src-main/common/model/records/record-scope.ts';
import type { Direction } from '../../../../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../../../../src-main/common/time/time-span.ts';

export interface Gap extends TimeSpan {
  /** A part holds some of its records; null where that is not known. */
  readonly state?: 'missing' | 'partial' | 'failed' | 'open';
}

/** What is measured, and what of it is cached. */
export interface TimesBasis {
  readonly direction: Direction;
  readonly scope: PeriodScope;
  readonly filter: RecordFilter;
  /** Changes whenever the cache has something else of the scope. */
  readonly version: string;
  readonly zone: string;
  /** What of the scope is not cached, in the order of time; null until it is known. */
  readonly gaps: readonly Gap[] | null;
}

/** Returns how much of a span lies in the gaps. */
export function measureMissing({ fromMs, toMs }: TimeSpan, gaps: readonly TimeSpan[]): number {
  return gaps.reduce(
    (sum, gap) => sum + Math.max(0, Math.min(toMs, gap.toMs) - Math.max(fromMs, gap.fromMs)),
    0,
  );
}

/** Returns the cached share of the period, 0 to 1; null until it is known. */
export function toCachedShare({ scope, gaps }: TimesBasis): number | null {
  return gaps === null ? null : 1 - measureMissing(scope, gaps) / (scope.toMs - scope.fromMs);
}

/** Returns the gaps, with the end of a period that goes on where the cache does not reach it. */
export function withTail(
  gaps: readonly Gap[],
  cachedUntilMs: number | null,
  { toMs }: TimeSpan,
): readonly Gap[] {
  return cachedUntilMs === null || cachedUntilMs >= toMs ? gaps : [...gaps, { fromMs: cachedUntilMs, toMs }];
}
