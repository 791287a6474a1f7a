import { AppError, toErrorInfo, type ErrorInfo } from '../../common/contract/errors.ts';
import type { Following } from '../../common/contract/operations/unattended/following.ts';
import { isUnreachable } from '../client/is-unreachable.ts';
import { judgeFailure } from '../downloads/judge-failure.ts';

/** What a failed turn means for the next one. */
export interface TurnVerdict {
  readonly state: Extract<Following['state'], 'paused' | 'refused' | 'unreachable' | 'failing'>;
  readonly failure: ErrorInfo;
  /** Until the next turn; null where a person must act first. */
  readonly delayMs: number | null;
  /** Smaller pages may help. */
  readonly isTooMuch: boolean;
}

const REFUSED = /^(?:secrets\.|client\.(?:credentials-refused|report-refused|forbidden)$|connections\.)/;
const HERE = /^(?:cache|local-service)\./;
const MAX_DELAY_MS = 900_000;
/** A network is soon back: it is looked for more often than a service that fails. */
const MAX_AWAY_MS = 300_000;

/**
 * Judges a failed turn, the `failures`-th in a row: each wait is twice the one before, never less than the interval or
 * than the service asks for. Refused credentials are not sent again, since that could lock an account.
 */
export function judgeTurn(
  thrown: unknown,
  turn: {
    readonly failures: number;
    readonly intervalMs: number;
    readonly isLocal: boolean;
    readonly canShrink: boolean;
    readonly random: number;
  },
): TurnVerdict {
  const { failures, intervalMs, isLocal, random } = turn;
  const known = toErrorInfo(thrown);
  // Nobody enters the built-in service's credentials: it brings them when it starts.
  const isNotStarted = isLocal && known.code === 'secrets.missing';
  const failure: ErrorInfo = isNotStarted ? { ...known, code: 'local-service.not-running' } : known;
  // A call that the circuit stopped has the reason of the failures before it.
  const cause = failure.code === 'client.circuit-open' ? failure.details['reason'] : failure.code;
  if (REFUSED.test(failure.code)) return { state: 'refused', failure, delayMs: null, isTooMuch: false };
  if (HERE.test(failure.code)) return { state: 'paused', failure, delayMs: intervalMs, isTooMuch: false };
  const place = { cursor: '', isWatched: false, failures, withoutProgressMs: 0, restarts: 0 };
  const verdict =
    thrown instanceof AppError ? judgeFailure(thrown, { ...place, canShrink: turn.canShrink }, random) : null;
  const isAway = isUnreachable(cause);
  const mostMs = Math.max(intervalMs, isAway ? MAX_AWAY_MS : MAX_DELAY_MS);
  const backOffMs = Math.min(mostMs, intervalMs * 2 ** Math.min(failures - 1, 10));
  const askedMs = verdict?.kind === 'wait' ? verdict.delayMs : 0;
  return {
    state: isAway ? 'unreachable' : 'failing',
    failure,
    delayMs: Math.max(backOffMs, askedMs),
    isTooMuch: verdict?.kind === 'wait' && verdict.isTooMuch,
  };
}
