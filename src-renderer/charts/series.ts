import type { LegendEntry } from './picture/chart-picture.ts';
import type { RouteLocationRaw } from 'vue-router';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src-main/common/time/durations.ts';
import { createQueryClock } from '../../src-main/common/query/query-values.ts';
import { CODE_CLASSES, type CodeClass } from '../../src-main/common/model/records/record.ts';

/** One part of every bar, from the first bar to the last. */
export interface BarSeries extends LegendEntry {
  readonly values: readonly number[];
}

const CLOCK = createQueryClock('UTC');

/**
 * Returns where what came after a moment is compared with as long a time before it: a day, or what there is of it so far,
 * an hour at least.
 */
export function toBeforeAfter(atMs: number, nowMs: number): RouteLocationRaw {
  const whole = Math.floor(atMs / SECOND_MS) * SECOND_MS;
  const lengthMs = Math.max(HOUR_MS, Math.min(DAY_MS, Math.floor((nowMs - whole) / SECOND_MS) * SECOND_MS));
  const write = (fromMs: number): string =>
    [fromMs, fromMs + lengthMs - SECOND_MS].map(CLOCK.write).join('..');
  return { path: '/compare', query: { period: write(whole), with: write(whole - lengthMs) } };
}

/** Returns whether a class is of failures: with a code of 400 to 499, and all others. */
function isErrorClass(codeClass: CodeClass): boolean {
  return codeClass === '4xx' || codeClass === '5xx';
}

/** Returns the failing requests among counts in the order of CODE_CLASSES. */
export function countErrors(counts: readonly number[]): number {
  return CODE_CLASSES.reduce(
    (sum, codeClass, index) => (isErrorClass(codeClass) ? sum + (counts[index] ?? 0) : sum),
    0,
  );
}

/** Returns whether a share of errors is well above the whole's, which deserves the alert colour. */
export function isStandingOut(errorShare: number, overallShare: number): boolean {
  return errorShare > 0.005 && errorShare > overallShare * 1.5;
}

/** Heights of the mini bars, 0 to 1 of the highest; a value above zero never vanishes. */
export function toTrendHeights(trend: readonly number[]): number[] {
  const highest = Math.max(...trend, 0);
  return trend.map((value) => (highest === 0 || value <= 0 ? 0 : Math.max(0.08, value / highest)));
}
