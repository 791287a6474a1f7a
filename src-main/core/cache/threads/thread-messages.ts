import type { ErrorInfo } from '../../../common/contract/errors.ts';

/**
 * How closely a file is looked at when it is opened: as much as its size and last end ask for; all of it, after
 * damage was met; or put aside whatever the check says, as damage was met again.
 */
export type Inspection = 'usual' | 'whole' | 'condemn';

/** What a thread of the cache is started with. */
export interface ThreadStart {
  readonly role: 'writer' | 'views' | 'scans' | 'check';
  readonly file: string;
  readonly nowMs: number;
  readonly inspection: Inspection;
  readonly firstSnapshotId: number;
  /** Number of this opening, from 1: ids of views of another one are not known. */
  readonly generation: number;
}

/** What the writer says once the file is open. */
export interface WriterStart {
  readonly damagedFolder: string | null;
  readonly damage: string;
  readonly checkedAtMs: number | null;
}

/** From the calling thread: a call, the wish that one ends early, or that the thread ends when idle. */
export type ToThread =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly input: unknown }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'end' };

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
