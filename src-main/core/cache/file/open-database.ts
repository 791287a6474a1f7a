import { statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError, type ErrorCode } from '../../../common/contract/errors.ts';
import type { Output } from '../../../common/contract/index.ts';
import { type Database, openDatabase, type Pragma } from '../../../node/open-database.ts';

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

/** Bytes that this user can still write on the disk of a file; null where the system does not say. */
export function readFreeBytes(file: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** The number that SQLite reports for a pragma. */
export function readPragma(database: Database, name: string): number {
  return Number(database.pragma(name, { simple: true }));
}

/** Bytes of the database's pages that hold something. */
export function readUsedBytes(database: Database): number {
  const usedPages = readPragma(database, 'page_count') - readPragma(database, 'freelist_count');
  return usedPages * readPragma(database, 'page_size');
}

/**
 * What the cache takes on the disk. The database's pages are divided among the reports by the bytes
 * received for each, which costs nothing; counting pages would read the whole file.
 */
export function readStorage(database: Database, file: string): Output<'snapshots/read-storage'> {
  const usedBytes = readUsedBytes(database);
  const freeBytesInside = readPragma(database, 'freelist_count') * readPragma(database, 'page_size');
  const rows = database
    .prepare<[], { report: string; isRemoved: number; bytes: number }>(
      `SELECT report, is_removed > 0 AS isRemoved, sum(size_bytes) AS bytes
       FROM snapshots GROUP BY report, isRemoved`,
    )
    .all();
  const received = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  const share = (matches: (report: string) => boolean, isRemoved = 0): number => {
    const bytes = rows
      .filter((row) => row.isRemoved === isRemoved && matches(row.report))
      .reduce((sum, row) => sum + row.bytes, 0);
    return received === 0 ? 0 : Math.floor((usedBytes * bytes) / received);
  };
  const sizes = ['', '-wal', '-shm'].map(
    (suffix) => statSync(file + suffix, { throwIfNoEntry: false })?.size,
  );
  return {
    totalBytes: sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0),
    databaseBytes: sizes[0] ?? 0,
    inboundDetailBytes: share((report) => report === 'inbound-detail'),
    outboundDetailBytes: share((report) => report === 'outbound-detail'),
    summaryBytes: share((report) => report.endsWith('summary')),
    freeBytes: readFreeBytes(file) ?? 0,
    reclaimableBytes: freeBytesInside + share(() => true, 1),
  };
}

/**
 * True where SQLite works in a folder: what one connection writes another reads, and a lock of one keeps the other out.
 * Disks of other computers may promise that and not keep it. Leaves a file `probe.sqlite` with its log.
 */
export function canKeepDatabases(folder: string): boolean {
  const path = join(folder, 'probe.sqlite');
  const open: Sqlite.Database[] = [];
  try {
    const first = new Sqlite(path, { timeout: 0 });
    open.push(first);
    if (first.pragma('journal_mode = wal', { simple: true }) !== 'wal') return false;
    first.exec('CREATE TABLE probe (value INTEGER) STRICT; INSERT INTO probe VALUES (42)');
    const second = new Sqlite(path, { timeout: 0 });
    open.push(second);
    if (second.prepare('SELECT value FROM probe').pluck().get() !== 42) return false;
    first.exec('BEGIN IMMEDIATE');
    return !canBegin(second);
  } catch {
    return false;
  } finally {
    for (const database of open) database.close();
  }
}

function canBegin(database: Sqlite.Database): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch {
    return false;
  }
}
