import type { ErrorInfo } from '../../../common/contract/errors.ts';
import type { Inspection } from '../file/open-file.ts';

/** What a thread of the cache is started with. */
export interface ThreadStart {
  readonly role: 'writer' | 'views' | 'scans' | 'check';
  readonly file: string;
  readonly nowMs: number;
  readonly inspection: Inspection;
  readonly firstSnapshotId: number;
  /** Number of this opening, from 1; ids of views are valid within one opening. */
  readonly generation: number;
}

/** What a thread reports once its file is open. */
export interface ThreadStarted {
  /** Names of the operations that it serves. */
  readonly names: readonly string[];
  /** From the writer alone: what it found when it opened the file. */
  readonly opening: Opening | null;
}
export interface Opening {
  readonly damagedFolder: string | null;
  readonly damage: string;
  readonly checkedAtMs: number | null;
  /** The highest snapshot id that the file gave out; 0 for none. */
  readonly lastSnapshotId: number;
}

/**
 * From the calling thread: call an operation, cancel a call, close the file (a damaged one without writing to it any
 * more), or end the thread once it is idle.
 */
export type ToThread =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly input: unknown }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'close'; readonly id: number; readonly isDamaged: boolean }
  | { readonly kind: 'end' };

/** From a thread: progress of a call, its result, or its failure; `trace` is for the log. Call 0 is the start. */
export type FromThread =
  | { readonly kind: 'progress'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: ErrorInfo; readonly trace: string };

/** What an operation inside a thread is given besides its input. */
export interface CallContext<Progress = never> {
  /** Lets other calls in between two bounded statements; throws AppError `app.cancelled` after a cancel. */
  pause(): Promise<void>;
  /** Reports to the caller before the result. */
  progress(value: Progress): void;
}

/** Operations of a thread by name. */
export type ThreadOperations = Readonly<Record<string, (input: never, context: CallContext) => unknown>>;

/** A thread whose file is open. */
export interface ServedThread<Operations extends ThreadOperations = ThreadOperations> {
  readonly operations: Operations;
  /** Sees the failure of every operation. */
  onFailure?(error: unknown): void;
  /** Closes the file; a damaged one without writing to it. */
  close(isDamaged: boolean): void;
}
