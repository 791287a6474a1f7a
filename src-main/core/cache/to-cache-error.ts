import Database from 'better-sqlite3';
import { AppError, type ErrorCode } from '../../common/contract/errors.ts';

const CODES: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/^SQLITE_(NOTADB|CORRUPT)/, 'cache.damaged', 'The cache file is damaged.'],
  [/^SQLITE_(BUSY|LOCKED)/, 'cache.locked', 'Another program holds the cache file.'],
  // The shared index of the log can't be made larger: only a full disk does that.
  [/^SQLITE_(FULL|IOERR_SHMSIZE)/, 'cache.disk-full', 'The disk is full.'],
  [/^SQLITE_(CANTOPEN|PERM|READONLY|AUTH|IOERR)/, 'cache.read-only', 'The cache file cannot be written.'],
];

/** Turns an error of SQLite into an AppError with a `cache.*` code; any other error is answered as it came. */
export function toCacheError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  for (const [pattern, code, message] of CODES) {
    if (pattern.test(error.code)) return new AppError(code, message, { sqlite: error.code }, error);
  }
  return error;
}

/** True for an AppError that says that the file itself is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cache.damaged';
}

/** True where the file must be opened again before anything is written: damage, or a disk that failed. */
export function needsReopening(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return isDamage(error) || String(error.details['sqlite']).startsWith('SQLITE_IOERR');
}
