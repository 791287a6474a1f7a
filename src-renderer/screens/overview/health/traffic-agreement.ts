import type { RecentTraffic } from '../../../../src-main/common/contract/operations/overview.ts';
import { MINUTE_MS } from '../../../../src-main/common/time/durations.ts';

/**
 * What traffic says beside the state that the service reported. `silent` and `succeeding` are what disagrees: no success
 * though it is said to be up, and successes though it is said to be down.
 */
export type Agreement =
  | { readonly kind: 'agrees-up' | 'succeeding'; readonly successes: number; readonly minutes: number }
  | { readonly kind: 'agrees-down' | 'silent'; readonly minutes: number }
  | { readonly kind: 'nothing' };

/** Minutes that are summed up. */
const SUMMED_MINUTES = 12;
/** Requests that say something. */
const LEAST_REQUESTS = 5;
/** Minutes without a success that are more than a pause. */
const LEAST_SILENCE = 3;

/** Compares a reported state, which has lasted since `sinceMs` as far as it was seen, with the last minutes' traffic. */
export function judgeAgreement(
  state: 'down' | 'up',
  sinceMs: number | null,
  traffic: RecentTraffic | null,
): Agreement {
  if (traffic === null) return { kind: 'nothing' };
  const { toMs, minutes } = traffic;
  const sum = (from: number, field: 'failures' | 'successes'): number =>
    minutes.slice(from).reduce((total, minute) => total + minute[field], 0);
  const silentFrom = minutes.findLastIndex(({ successes }) => successes > 0) + 1;
  const silence = minutes.length - silentFrom;
  const isSilent = silence >= LEAST_SILENCE && sum(silentFrom, 'failures') >= LEAST_REQUESTS;
  // Of before a state began, traffic says nothing of it.
  const own = sinceMs === null ? minutes.length : Math.max(0, Math.floor((toMs - sinceMs) / MINUTE_MS));
  const counted = Math.min(SUMMED_MINUTES, minutes.length, state === 'up' ? Infinity : own);
  const from = minutes.length - counted;
  const successes = sum(from, 'successes');
  const isSilentHere = isSilent || (counted >= LEAST_SILENCE && sum(from, 'failures') >= LEAST_REQUESTS);
  if (state === 'up') {
    if (isSilent) return { kind: 'silent', minutes: silence };
    return successes >= LEAST_REQUESTS
      ? { kind: 'agrees-up', successes, minutes: counted }
      : { kind: 'nothing' };
  }
  if (successes >= LEAST_REQUESTS) return { kind: 'succeeding', successes, minutes: counted };
  return successes === 0 && isSilentHere && counted > 0
    ? { kind: 'agrees-down', minutes: Math.min(silence, counted) }
    : { kind: 'nothing' };
}
