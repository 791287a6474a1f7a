import type { ErrorLike } from '../../../messages/error-like.ts';

/** Why parts of the status cards were never there; null for those that are there, or on their way. */
export interface StatusFaults {
  /** The last 24 hours. */
  readonly picture: ErrorLike | null;
  /** What was measured of the day, week and month. */
  readonly figures: ErrorLike | null;
  /** What the cached traffic says. */
  readonly traffic: ErrorLike | null;
}
