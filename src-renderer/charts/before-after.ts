import type { RouteLocationRaw } from 'vue-router';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src-main/common/time/durations.ts';
import { createQueryClock } from '../../src-main/common/query/query-clock.ts';

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
