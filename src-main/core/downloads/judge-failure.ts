import type { AppError, ErrorCode } from '../../common/contract/errors.ts';
import { DAY_MS, HOUR_MS } from '../../common/time/durations.ts';

/** Where a download stood when it met a failure. */
export interface FailurePlace {
  /** Cursor of the request; empty for the first page of a slice. */
  readonly cursor: string;
  /** The user has just started it and nothing has arrived: a failure is shown at once. */
  readonly isWatched: boolean;
  /** Failures in a row without a new page, this one included. */
  readonly failures: number;
  /** Time awake without a new page. */
  readonly withoutProgressMs: number;
  /** The page size can be made smaller. */
  readonly canShrink: boolean;
  /** How often the walk was restarted without a new record since. */
  readonly restarts: number;
}

/** What a download does about a failure; with `isTooMuch`, smaller pages are requested next. */
export type FailureVerdict =
  | { readonly kind: 'wait'; readonly delayMs: number; readonly isTooMuch: boolean }
  | { readonly kind: 'restart-walk' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'stop' };

/** The service or the network is unavailable: the download waits for it, up to a limit. */
const AWAY: ReadonlySet<ErrorCode> = new Set([
  'client.refused-connection',
  'client.host-not-found',
  'client.unreachable',
  'client.proxy',
  'client.timeout',
  'client.rate-limited',
  'client.server-error',
  'client.circuit-open',
  'local-service.not-running',
  'cache.locked',
]);
/**
 * What may be right the next time: a sign-in page on the way, a cut or garbled body; also the calls that a cache
 * drops while it opens its file again.
 */
const DOUBTFUL: ReadonlySet<ErrorCode> = new Set([
  'client.truncated',
  'client.unknown-encoding',
  'client.html',
  'client.not-json',
  'client.unexpected-shape',
  'client.redirected',
  'client.tls',
  'client.report-refused',
  'cache.damaged',
  'app.cancelled',
]);
/** What only the user can fix. */
const FIXABLE: ReadonlySet<ErrorCode> = new Set([
  'cache.disk-full',
  'cache.folder-gone',
  'cache.read-only',
  'cache.io-failed',
  'secrets.missing',
  'secrets.no-keychain',
  'secrets.locked',
  'secrets.denied',
  'secrets.timeout',
  'client.credentials-refused',
  'client.forbidden',
]);
/** Repeated statuses beside those that have a code of their own (decision 31). */
const REPEATED_STATUSES = new Set([408, 425]);
const TOO_MUCH_STATUSES = new Set([413, 500, 504]);
const GONE_STATUS = 410;
const TOO_LARGE_STATUS = 413;

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 60_000;
/** A service may ask for a longer wait than the back-off's, up to this (decision 24). */
const MAX_RETRY_AFTER_MS = 7 * DAY_MS;
/** A lost network is waited for this long, sleep not counted; then the download is paused, not ended. */
const MAX_WAIT_MS = 12 * HOUR_MS;
const MAX_DOUBTFUL_FAILURES = 8;
const MAX_WATCHED_FAILURES = 2;
const MAX_RESTARTS = 5;

/** Decides what a download does about a failure; `random` is from 0 up to 1. */
export function judgeFailure(error: AppError, place: FailurePlace, random: number): FailureVerdict {
  const { code, details } = error;
  const status = Number(details['status'] ?? 0);
  if (code === 'cache.disk-full') return { kind: 'pause' };
  if (FIXABLE.has(code)) return { kind: place.isWatched ? 'stop' : 'pause' };
  if (place.cursor !== '' && (code === 'client.invalid-request' || status === GONE_STATUS)) {
    return { kind: place.restarts < MAX_RESTARTS ? 'restart-walk' : 'stop' };
  }
  const isSlowResponse = code === 'client.timeout' && details['kind'] !== 'connect';
  const isTooMuch = code === 'client.too-large' || isSlowResponse || TOO_MUCH_STATUSES.has(status);
  const wait = { kind: 'wait', delayMs: toDelayMs(error, place.failures, random), isTooMuch } as const;
  // A smaller page has headers just as large.
  if (code === 'client.too-large' && details['kind'] === 'headers') return { kind: 'stop' };
  if (code === 'client.too-large' || status === TOO_LARGE_STATUS) {
    return place.canShrink ? { ...wait, delayMs: 0 } : { kind: 'stop' };
  }
  if (DOUBTFUL.has(code)) {
    if (place.failures <= (place.isWatched ? MAX_WATCHED_FAILURES : MAX_DOUBTFUL_FAILURES)) return wait;
    return { kind: place.isWatched ? 'stop' : 'pause' };
  }
  if (!AWAY.has(code) && !REPEATED_STATUSES.has(status)) return { kind: 'stop' };
  if (place.isWatched && code !== 'client.circuit-open') return { kind: 'stop' };
  return place.withoutProgressMs < MAX_WAIT_MS ? wait : { kind: 'pause' };
}

/** Doubles from half a second to a minute, half of it random; never less than the service asks for. */
function toDelayMs({ details }: AppError, failures: number, random: number): number {
  const backOffMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1)) * (0.5 + random / 2);
  const asked = details['retryAfterMs'];
  const askedMs = typeof asked === 'number' ? Math.min(asked, MAX_RETRY_AFTER_MS) : 0;
  return Math.round(Math.max(backOffMs, askedMs));
}
