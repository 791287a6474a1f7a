import type { ErrorInfo } from '../../common/contract/errors.ts';

/** What a thread of the cache is started with. */
export interface ThreadStart {
  readonly role: 'writer' | 'views' | 'scans';
  readonly file: string;
  readonly nowMs: number;
}

/** From the calling thread: a call, or the wish that one ends early. */
export type ToThread =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly input: unknown }
  | { readonly kind: 'cancel'; readonly id: number };

/** From a thread: something said before the answer, the answer, or the failure; `trace` is for the log. */
export type FromThread =
  | { readonly kind: 'note'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: ErrorInfo; readonly trace: string };

/** What an operation inside a thread is given besides its input. */
export interface CallContext {
  /** Lets other calls in between two bounded statements; throws AppError `app.cancelled` after a cancel. */
  pause(): Promise<void>;
  /** Says something to the caller before the answer. */
  note(value: unknown): void;
}

/** Operations of a thread by name. */
export type ThreadOperations = Readonly<Record<string, (input: never, context: CallContext) => unknown>>;
