import { setTimeout as wait } from 'node:timers/promises';
import { type AppError, type ErrorCode, type ErrorInfo, toErrorInfo } from '../../common/contract/errors.ts';
import type { Handlers } from '../../common/contract/index.ts';
import type { Following } from '../../common/contract/operations/cache.ts';
import type { Download } from '../../common/model/cache/download.ts';
import { areAtHand } from '../../common/model/connections/connection.ts';
import { DAY_MS, HOUR_MS } from '../../common/time/durations.ts';
import type { Cache } from '../cache/cache.ts';
import { isUnreachable } from '../client/map-network-error.ts';
import type { Events } from '../host.ts';
import type { Logger } from '../logging/logger.ts';

/**
 * What helps against a failure. `time`: the service or the network is away, and may be back. `again`: it may be right the
 * next time. `person`: somebody has to act first. `size`: less has to be asked for. `cursor`: the walk has to begin again.
 */
type Cure = 'time' | 'again' | 'person' | 'size' | 'cursor' | 'nothing';

interface FailureClass {
  readonly cure: Cure;
  /** It happened in the application, not at the service. */
  readonly isHere: boolean;
  /** Smaller pages may help, beside the cure. */
  readonly isTooMuch: boolean;
  /** How long the service asks to be left alone. */
  readonly askedMs: number;
}

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
type FailureVerdict =
  | { readonly kind: 'wait'; readonly delayMs: number; readonly isTooMuch: boolean }
  | { readonly kind: 'restart-walk' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'stop' };

/** What a failed turn of following means for the next one. */
interface TurnVerdict {
  readonly state: Extract<Following['state'], 'paused' | 'refused' | 'unreachable' | 'failing'>;
  readonly failure: ErrorInfo;
  /** Until the next turn; null where a person must act first. */
  readonly delayMs: number | null;
  /** Smaller pages may help. */
  readonly isTooMuch: boolean;
}

const CURES: Readonly<Partial<Record<ErrorCode, Cure>>> = {
  'client.refused-connection': 'time',
  'client.host-not-found': 'time',
  'client.unreachable': 'time',
  'client.proxy': 'time',
  'client.timeout': 'time',
  'client.rate-limited': 'time',
  'client.server-error': 'time',
  'client.circuit-open': 'time',
  'local-service.not-running': 'time',
  'cache.locked': 'time',
  // A sign-in page on the way, a cut or garbled body.
  'client.truncated': 'again',
  'client.unknown-encoding': 'again',
  'client.html': 'again',
  'client.not-json': 'again',
  'client.unexpected-shape': 'again',
  'client.redirected': 'again',
  'client.tls': 'again',
  'client.report-refused': 'again',
  // Calls that a cache drops while it opens its file again.
  'cache.damaged': 'again',
  'app.cancelled': 'again',
  'cache.disk-full': 'person',
  'cache.folder-gone': 'person',
  'cache.read-only': 'person',
  'cache.io-failed': 'person',
  'secrets.missing': 'person',
  'secrets.no-keychain': 'person',
  'secrets.locked': 'person',
  'secrets.denied': 'person',
  'secrets.timeout': 'person',
  'secrets.file-locked': 'person',
  'secrets.wrong-passphrase': 'person',
  'secrets.file-damaged': 'person',
  'secrets.file-failed': 'person',
  'client.credentials-refused': 'person',
  'client.forbidden': 'person',
};
const HERE = /^(?:cache|local-service)\./u;
/** Following asks again and again: what was refused is not sent again, since that could lock an account. */
const REFUSED = /^(?:secrets\.|client\.(?:credentials-refused|report-refused|forbidden)$|connections\.)/u;
/** Repeated statuses beside those that have a code of their own (decision 31). */
const REPEATED_STATUSES = new Set([408, 425]);
const TOO_MUCH_STATUSES = new Set([500, 504]);
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
const MAX_TURN_DELAY_MS = 900_000;
/** A network is soon back: it is looked for more often than a service that fails. */
const MAX_AWAY_DELAY_MS = 300_000;

/** The one classification of what goes wrong while records are fetched; `cursor` is the one that was sent. */
function classify({ code, details }: Pick<AppError, 'code' | 'details'>, cursor: string): FailureClass {
  const status = Number(details['status'] ?? 0);
  const asked = details['retryAfterMs'];
  const isTooLarge = code === 'client.too-large' || status === TOO_LARGE_STATUS;
  // A smaller page has headers just as large.
  const isHeaders = code === 'client.too-large' && details['kind'] === 'headers';
  const isSlowResponse = code === 'client.timeout' && details['kind'] !== 'connect';
  const about = {
    isHere: HERE.test(code),
    isTooMuch: !isHeaders && (isTooLarge || isSlowResponse || TOO_MUCH_STATUSES.has(status)),
    askedMs: typeof asked === 'number' ? Math.min(asked, MAX_RETRY_AFTER_MS) : 0,
  };
  const known = CURES[code] ?? (REPEATED_STATUSES.has(status) ? 'time' : 'nothing');
  if (known === 'person') return { ...about, cure: known };
  const isGone = code === 'client.invalid-request' || status === GONE_STATUS;
  if (cursor !== '' && isGone) return { ...about, cure: 'cursor' };
  if (isHeaders) return { ...about, cure: 'nothing' };
  return { ...about, cure: isTooLarge ? 'size' : known };
}

/** Decides what a download does about a failure; `random` is from 0 up to 1. */
export function judgeFailure(error: AppError, place: FailurePlace, random: number): FailureVerdict {
  const { cure, isTooMuch, askedMs } = classify(error, place.cursor);
  const { isWatched, failures } = place;
  const delayMs = Math.round(Math.max(toBackOffMs(failures, random), askedMs));
  const wait = { kind: 'wait', delayMs, isTooMuch } as const;
  const giveUp = { kind: isWatched ? 'stop' : 'pause' } as const;
  if (cure === 'person') return error.code === 'cache.disk-full' ? { kind: 'pause' } : giveUp;
  if (cure === 'cursor') return { kind: place.restarts < MAX_RESTARTS ? 'restart-walk' : 'stop' };
  if (cure === 'size') return place.canShrink ? { ...wait, delayMs: 0 } : { kind: 'stop' };
  if (cure === 'again') {
    return failures <= (isWatched ? MAX_WATCHED_FAILURES : MAX_DOUBTFUL_FAILURES) ? wait : giveUp;
  }
  if (cure === 'nothing' || (isWatched && error.code !== 'client.circuit-open')) return { kind: 'stop' };
  return place.withoutProgressMs < MAX_WAIT_MS ? wait : { kind: 'pause' };
}

/** Doubles from half a second to a minute, half of it random. */
function toBackOffMs(failures: number, random: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1)) * (0.5 + random / 2);
}

/**
 * Judges a failed turn of following, the `failures`-th in a row: each wait is twice the one before, never less than the
 * interval or than the service asks for.
 */
export function judgeTurn(
  thrown: unknown,
  turn: { readonly failures: number; readonly intervalMs: number; readonly isLocal: boolean },
): TurnVerdict {
  const { failures, intervalMs, isLocal } = turn;
  const known = toErrorInfo(thrown);
  // Nobody enters the built-in service's credentials: it brings them when it starts.
  const isNotStarted = isLocal && known.code === 'secrets.missing';
  const failure: ErrorInfo = isNotStarted ? { ...known, code: 'local-service.not-running' } : known;
  const { isHere, isTooMuch, askedMs } = classify(failure, '');
  if (REFUSED.test(failure.code)) return { state: 'refused', failure, delayMs: null, isTooMuch: false };
  if (isHere) return { state: 'paused', failure, delayMs: intervalMs, isTooMuch: false };
  // A call that the circuit stopped has the reason of the failures before it.
  const cause = failure.code === 'client.circuit-open' ? failure.details['reason'] : failure.code;
  const isAway = isUnreachable(cause);
  const mostMs = Math.max(intervalMs, isAway ? MAX_AWAY_DELAY_MS : MAX_TURN_DELAY_MS);
  const backOffMs = Math.min(mostMs, intervalMs * 2 ** Math.min(failures - 1, 10));
  return {
    state: isAway ? 'unreachable' : 'failing',
    failure,
    delayMs: Math.max(backOffMs, askedMs),
    isTooMuch,
  };
}

/** Codes of failures for lack of credentials: not stored, or not to be read. */
const LACKS_SECRETS = /^secrets\./u;

/**
 * Resumes downloads that paused by themselves, once what they lacked is there: those of a full disk when the cache can be
 * written again, those of missing credentials when the credentials of their connection are at hand.
 */
export function resumeOncePossible(parts: {
  readonly cache: Pick<Cache, 'watchState'>;
  readonly events: Pick<Events, 'on'>;
  readonly downloads: Pick<Handlers, 'downloads/list' | 'downloads/resume'>;
  readonly logger: Logger;
}): void {
  const { cache, events, downloads, logger } = parts;
  const resumeAll = async (isDue: (download: Download) => boolean): Promise<void> => {
    const list = await downloads['downloads/list']({ connectionId: null });
    for (const download of list) {
      const { snapshotId, state, failure } = download;
      if (state !== 'paused' || failure === null || !isDue(download)) continue;
      try {
        await downloads['downloads/resume']({ snapshotId });
        logger.info('download resumed by itself', { snapshotId, code: failure.code });
      } catch (error) {
        // The user may have resumed or removed it meanwhile; the others are still resumed.
        logger.warn('download not resumed', { snapshotId, error });
      }
    }
  };
  const begin = (isDue: (download: Download) => boolean): void => {
    resumeAll(isDue).catch((error: unknown) => logger.warn('downloads not resumed', { error }));
  };

  let wasFull = false;
  cache.watchState(({ mode }) => {
    if (mode === 'out-of-space') wasFull = true;
    if (mode !== 'ready' || !wasFull) return;
    wasFull = false;
    begin(({ failure }) => failure?.code === 'cache.disk-full');
  });

  /** Connections whose credentials were at hand when they were last heard of. */
  let ready: ReadonlySet<string> = new Set();
  events.on('connections/changed', (connections) => {
    const before = ready;
    ready = new Set(connections.filter(({ secrets }) => areAtHand(secrets)).map(({ id }) => id));
    const found = new Set([...ready].filter((id) => !before.has(id)));
    if (found.size === 0) return;
    begin(({ connectionId, failure }) => found.has(connectionId) && LACKS_SECRETS.test(failure?.code ?? ''));
  });
}

/** Time as downloads need it; tests pass their own. */
export interface DownloadClock {
  now(): number;
  /** Rejects at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** A wait is checked this often, since timers stand still while the machine sleeps. */
const LOOK_MS = 5_000;
/** The clock was moved, or the machine slept, when it went this much further than the wait. */
const JUMP_MS = 10_000;

/** The computer's clock. */
export function createDownloadClock(now: () => number): DownloadClock {
  return {
    now,
    wait: async (ms, signal) => {
      await wait(ms, undefined, { signal });
    },
  };
}

/** Waits until the time is over, or the machine woke up meanwhile: then `woke`, for a network that is likely back. */
export async function sleepAwake(
  clock: DownloadClock,
  ms: number,
  signal: AbortSignal,
): Promise<'over' | 'woke'> {
  for (let left = ms; left > 0; left -= LOOK_MS) {
    const piece = Math.min(left, LOOK_MS);
    const before = clock.now();
    await clock.wait(piece, signal);
    if (Math.abs(clock.now() - before - piece) > JUMP_MS) return 'woke';
  }
  return 'over';
}
