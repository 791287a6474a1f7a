import { MINUTE_MS } from '../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../src-main/common/time/time-span.ts';

const TAIL_SHARE = 0.01;
const TAIL_LIMITS_MS = [MINUTE_MS, 15 * MINUTE_MS] as const;

/**
 * Returns how much of the newest part of a span that goes on counts as not fetched yet, and so as no gap: a hundredth of
 * the span, from 1 to 15 minutes.
 */
export function toMaxTailMs({ fromMs, toMs }: TimeSpan): number {
  const [leastMs, mostMs] = TAIL_LIMITS_MS;
  return Math.min(mostMs, Math.max(leastMs, (toMs - fromMs) * TAIL_SHARE));
}
