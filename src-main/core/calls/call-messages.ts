import type { ErrorInfo } from '../../common/contract/errors.ts';

/** From the caller: a call, the cancellation of one, or the request that the other side ends when idle. */
export type ToServer =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly input: unknown }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'end' };

/** To the caller: progress of a call, its result, or its failure; `trace` is for the log. Call 0 is the start. */
export type FromServer =
  | { readonly kind: 'progress'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: ErrorInfo; readonly trace: string };

/** What an operation on the other side receives besides its input. */
export interface CallContext<Progress = never> {
  /** Aborts when the caller gave up. */
  readonly signal: AbortSignal;
  /** Lets other calls in between two bounded steps; throws AppError `app.cancelled` after a cancel. */
  pause(): Promise<void>;
  /** Reports to the caller before the result. */
  progress(value: Progress): void;
}

/** Operations of a thread or process by name. */
export type ServedOperations = Readonly<Record<string, (input: never, context: CallContext) => unknown>>;
