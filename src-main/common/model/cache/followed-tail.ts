import { MINUTE_MS } from '../../time/durations.ts';
import type { TimeSpan } from '../../time/time-span.ts';

/** What following goes by where it is said who fetches a span, which otherwise names a task. */
export const BY_FOLLOWING = 'following';

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

/**
 * Returns the end of a span up to now that following has yet to fetch, while that is short: it counts as still open, since
 * the span moves on by as much while it is fetched. `gaps` are what was not read, in order. Null where there is none.
 */
export function findFollowedTail(
  gaps: readonly (TimeSpan & { readonly fetching: string | null })[],
  span: TimeSpan,
  nowMs: number,
): TimeSpan | null {
  const mostMs = toMaxTailMs(span);
  if (span.toMs < nowMs - mostMs) return null;
  let { toMs: fromMs } = span;
  let isFollowed = false;
  for (const gap of gaps.toReversed()) {
    if (gap.toMs !== fromMs) break;
    fromMs = gap.fromMs;
    isFollowed ||= gap.fetching === BY_FOLLOWING;
  }
  return isFollowed && span.toMs - fromMs <= mostMs ? { fromMs, toMs: span.toMs } : null;
}
