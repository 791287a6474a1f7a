import { statSync } from 'node:fs';
import type { Database } from '../../../node/open-database.ts';
import { BUSY_TIMEOUT_MS } from './open-database.ts';

/** From this size on the log counts as large, and each write tries to fold it in. */
const MAX_LOG_BYTES = 67_108_864;
/** From this size on a write waits for readers, so that the log does not fill the disk. */
const MAX_UNWAITED_LOG_BYTES = 268_435_456;

export interface Checkpoints {
  /** To be called after writes: keeps the log from growing without end. */
  afterWrite(): void;
  /** Folds the log into the file, if nobody reads it, and gives its space back. True when it is large all the same. */
  fold(): boolean;
}

/**
 * Keeps the write-ahead log small. SQLite folds it in by itself every 1,000 pages, but starts it anew only when no
 * reader still needs it. Folding never waits for readers, except over 256 MiB, and then 5 s.
 */
export function createCheckpoints(database: Database, file: string): Checkpoints {
  const readLogBytes = (): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const fold = (): boolean => {
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
      if (readLogBytes() > MAX_LOG_BYTES) fold();
    },
    fold,
  };
}
