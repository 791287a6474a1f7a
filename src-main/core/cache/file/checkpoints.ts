import { statSync } from 'node:fs';
import type { Database } from '../../../node/open-database.ts';
import { BUSY_TIMEOUT_MS } from './open-database.ts';

/** From this size on the log counts as large, and each write tries a checkpoint. */
const MAX_LOG_BYTES = 67_108_864;
/** From this size on a checkpoint waits for readers, so that the log does not fill the disk. */
const MAX_UNWAITED_LOG_BYTES = 268_435_456;

export interface Checkpoints {
  /** To be called after writes: runs a checkpoint once the log is large. */
  afterWrite(): void;
  /**
   * Copies the log into the file and empties it, unless a reader still needs it. Returns whether the log is large all
   * the same.
   */
  run(): boolean;
}

/**
 * Keeps the write-ahead log small. SQLite runs a checkpoint by itself every 1,000 pages, but starts the log anew only
 * when no reader needs it any more. A checkpoint never waits for readers, except over 256 MiB, and then 5 s.
 */
export function createCheckpoints(database: Database, file: string): Checkpoints {
  const readLogBytes = (): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const run = (): boolean => {
    const waits = readLogBytes() > MAX_UNWAITED_LOG_BYTES;
    if (!waits) database.pragma('busy_timeout = 0');
    try {
      database.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      if (!waits) database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
    return readLogBytes() > MAX_LOG_BYTES;
  };
  return {
    afterWrite() {
      if (readLogBytes() > MAX_LOG_BYTES) run();
    },
    run,
  };
}
