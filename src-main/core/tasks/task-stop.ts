import { AppError } from '../../common/contract/errors.ts';

/** Why a task was stopped before its work was done. */
export type StopKind = 'cancelled' | 'paused' | 'closing';

const WORDS: Readonly<Record<StopKind, string>> = {
  cancelled: 'The task was cancelled.',
  paused: 'The task was paused.',
  closing: 'The application is closing.',
};

/**
 * The reason of a task's aborted signal. Work may also throw one itself, to pause for a `cause` that only the
 * user can fix.
 */
export class TaskStop extends AppError {
  readonly kind: StopKind;

  constructor(kind: StopKind, cause?: AppError) {
    super('app.cancelled', WORDS[kind], {}, cause);
    this.kind = kind;
  }
}

/** Returns why work was stopped, whether it threw the stop itself or its signal has it; null where it failed. */
export function findStop(error: unknown, signal: AbortSignal): TaskStop | null {
  if (error instanceof TaskStop) return error;
  const reason: unknown = signal.reason;
  return reason instanceof TaskStop ? reason : null;
}
