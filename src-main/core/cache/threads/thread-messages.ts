import type { ServedOperations } from '../../calls/call-messages.ts';
import type { Inspection } from '../file/open-file.ts';

/** What a thread of the cache is started with. */
export interface ThreadStart {
  readonly role: 'writer' | 'views' | 'scans' | 'check';
  readonly file: string;
  readonly nowMs: number;
  readonly inspection: Inspection;
  readonly firstSnapshotId: number;
  /** Number of this opening, from 1. */
  readonly generation: number;
  /** For a reader that is started before the file is open: what it waits for. Null where it is open already. */
  readonly gate: SharedArrayBuffer | null;
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

/** A thread whose file is open. */
export interface ServedThread<Operations extends ServedOperations = ServedOperations> {
  readonly operations: Operations;
  /** Sees the failure of every operation. */
  onFailure?(error: unknown): void;
  /** Closes the file; a damaged one without writing to it. */
  close(isDamaged: boolean): void;
}
