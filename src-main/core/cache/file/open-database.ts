import { openDatabase, type Database, type Pragma } from '../../../node/open-database.ts';

/** Marks the file as this application's cache. */
export const APPLICATION_ID = 0x43_68_53_31;
/** The mark of caches from before the first release, whose schemas had other numbers. */
export const EARLIER_APPLICATION_ID = 0x43_68_53_63;

/** How long a statement waits for a lock of another program. */
export const BUSY_TIMEOUT_MS = 5000;
/** 32 MiB for each thread that reads. */
const CACHE_SIZE: Pragma = ['cache_size', -32_768, -32_768];
/** 8 MiB for the thread that writes: more did not speed up storing when measured, and stays taken. */
const WRITING_CACHE_SIZE: Pragma = ['cache_size', -8192, -8192];
/** Takes effect only while the file has no table yet. */
const AUTO_VACUUM: Pragma = ['auto_vacuum', 'incremental', null];

/** What was deleted is overwritten, so that nothing of it stays in the file's free pages. */
const SECURE_DELETE: Pragma = ['secure_delete', 'on', 1];

const PRAGMAS: Readonly<Record<'write' | 'read' | 'read-any', readonly Pragma[]>> = {
  write: [AUTO_VACUUM, SECURE_DELETE, ['journal_mode', 'wal', 'wal'], WRITING_CACHE_SIZE],
  read: [['journal_mode', null, 'wal'], CACHE_SIZE],
  // A file that is only looked at may have any journal.
  'read-any': [CACHE_SIZE],
};

/**
 * Opens the cache with every pragma checked. Throws when one doesn't hold or SQLite is too old, and SQLite's own
 * error for a file that is no database.
 */
export function openCacheDatabase(file: string, mode: keyof typeof PRAGMAS): Database {
  return openDatabase(file, {
    readonly: mode !== 'write',
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    pragmas: PRAGMAS[mode],
  });
}
