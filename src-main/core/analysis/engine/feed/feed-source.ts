import type { Direction } from '../../../../common/reporting/reports.ts';
import type { LearnedPattern } from '../../families/learn-families.ts';

/** A snapshot of single records as far as the engine needs to know it. */
export interface FeedSnapshot {
  readonly snapshotId: number;
  readonly connectionId: string;
  readonly direction: Direction;
  readonly startedAtMs: number;
  readonly recordCount: number;
  /** Changes when the stored pages were read again: records that were fed before are then old. */
  readonly reading: number;
}

/** Where the engine is fed from: the cache, read-only. */
export interface FeedSource {
  /** Tells one cache from another. */
  readonly identity: string;
  /** Every detail snapshot that is in the cache now. */
  list(): FeedSnapshot[];
  /**
   * Values of the records [from, until) of a snapshot, in the order of ENGINE_COLUMNS.
   */
  read(snapshot: FeedSnapshot, from: number, until: number): readonly (readonly EngineValue[])[];
  /**
   * Places at which the runs of a snapshot begin, in the order of time: a download is walked in slices, the most recent one
   * first. One of them is 0, unless there is one run only.
   */
  listRunStarts(snapshotId: number): readonly number[];
  /** Patterns of errors that were found earlier, in their order: the engine's file may be gone since. */
  listErrorPatterns(connectionId: string, direction: Direction): readonly LearnedPattern[];
}

/** Patterns of errors that the cache does not have yet, or has in another family. */
export interface FoundPatterns {
  readonly connectionId: string;
  readonly direction: Direction;
  readonly patterns: readonly LearnedPattern[];
}

export type EngineValue = number | string | null;
