import Sqlite from 'better-sqlite3';
import { AppError, type ErrorCode } from '../../../common/contract/errors.ts';

/** The file, its log, or its folder: whatever it is, the other program has to let go of it. */
const HELD = 'Another program holds the cache file. Close it, and start Channelscope again.';

const CODES: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/^SQLITE_(NOTADB|CORRUPT)/, 'cache.damaged', 'The cache file is damaged.'],
  [/^SQLITE_(BUSY|LOCKED)/, 'cache.locked', HELD],
  // The shared index of the log can't be made larger: only a full disk does that.
  [/^SQLITE_(FULL|IOERR_SHMSIZE)/, 'cache.disk-full', 'The disk is full.'],
  [/^SQLITE_IOERR/, 'cache.io-failed', 'The disk of the cache failed.'],
  [/^SQLITE_(CANTOPEN|PERM|READONLY|AUTH)/, 'cache.read-only', 'The cache file cannot be written.'],
];

const SYSTEM_CODES: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'cache.disk-full',
  EDQUOT: 'cache.disk-full',
  EIO: 'cache.io-failed',
  EBUSY: 'cache.locked',
  EACCES: 'cache.read-only',
  EPERM: 'cache.read-only',
  EROFS: 'cache.read-only',
  ENOENT: 'cache.read-only',
  ENOTDIR: 'cache.read-only',
  EISDIR: 'cache.read-only',
};

/**
 * Turns an error of SQLite, or of the file system, into an AppError with a `cache.*` code; any other value is
 * returned unchanged.
 */
export function toCacheError(error: unknown): unknown {
  if (error instanceof AppError && error.code === 'files.held') {
    return new AppError('cache.locked', HELD, error.details, error);
  }
  if (error instanceof AppError || !(error instanceof Error)) return error;
  if (!(error instanceof Sqlite.SqliteError)) return toSystemError(error);
  for (const [pattern, code, message] of CODES) {
    if (pattern.test(error.code)) return new AppError(code, message, { sqlite: error.code }, error);
  }
  return error;
}

function toSystemError(error: NodeJS.ErrnoException): unknown {
  const { code: system = '' } = error;
  const code = SYSTEM_CODES[system];
  if (code === undefined) return error;
  const message = code === 'cache.locked' ? HELD : 'The cache cannot be written.';
  return new AppError(code, message, { system }, error);
}

/** True for the AppError of a file that is itself damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cache.damaged';
}

/** True for the AppError of one page that is damaged, in a file that may be sound. */
export function isDamagedPage(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cache.page-damaged';
}

/** True where the file must be opened again before anything is written: damage, or a disk that failed. */
export function needsReopening(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return isDamage(error) || error.code === 'cache.io-failed';
}
