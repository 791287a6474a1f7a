import Sqlite from 'better-sqlite3';

/** A handle of an open SQLite file. */
export type Database = Sqlite.Database;

/** Name, value to set (null only checks), value that SQLite must report afterwards (null checks nothing). */
export type Pragma = readonly [name: string, value: string | number | null, expected: string | number | null];

/** Below this version, SQLite has a defect that can damage a write-ahead log with several connections. */
const MIN_SQLITE_VERSION = [3, 51, 3] as const;

/** Write-ahead log pages (4 KiB each) after which SQLite copies the log into the database. */
export const CHECKPOINT_PAGES = 1000;

/**
 * Set on every database, whatever it holds. `synchronous` is FULL because what a service sent yesterday may not be
 * there to fetch again; on macOS only the two below it make a flush reach the disk, elsewhere they change nothing. The
 * last three keep a damaged or manipulated file from doing harm.
 */
const COMMON_PRAGMAS: readonly Pragma[] = [
  ['synchronous', 'full', 2],
  ['fullfsync', 'on', 1],
  ['checkpoint_fullfsync', 'on', 1],
  ['foreign_keys', 'on', 1],
  ['wal_autocheckpoint', CHECKPOINT_PAGES, CHECKPOINT_PAGES],
  ['journal_size_limit', 67_108_864, 67_108_864],
  ['trusted_schema', 'off', 0],
  ['cell_size_check', 'on', 1],
  ['mmap_size', 0, 0],
];

interface OpenDatabaseOptions {
  readonly readonly?: boolean;
  /** How long a statement waits for another connection's lock. */
  readonly busyTimeoutMs: number;
  /** Set in this order, before the common ones. */
  readonly pragmas: readonly Pragma[];
}

/**
 * Opens a database file and sets every pragma, reading each back. Throws an Error when SQLite is too old or a
 * pragma doesn't hold, and SQLite's own error for a file that can't be read; the file is closed again then.
 */
export function openDatabase(file: string, options: OpenDatabaseOptions): Database {
  const { readonly = false, busyTimeoutMs, pragmas } = options;
  const database = new Sqlite(file, { readonly, timeout: busyTimeoutMs });
  try {
    assertVersion(database);
    const busyTimeout: Pragma = ['busy_timeout', busyTimeoutMs, busyTimeoutMs];
    for (const pragma of [...pragmas, busyTimeout, ...COMMON_PRAGMAS]) setPragma(database, pragma);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function setPragma(database: Database, [name, value, expected]: Pragma): void {
  if (value !== null) database.pragma(`${name} = ${value}`);
  if (expected === null) return;
  const actual: unknown = database.pragma(name, { simple: true });
  // SQLite built without memory mapping reports nothing for mmap_size, which is as good as 0.
  if (actual === expected || (name === 'mmap_size' && actual === undefined)) return;
  throw new Error(`The database setting ${name} is ${String(actual)}, not ${expected}.`);
}

function assertVersion(database: Database): void {
  const version = String(database.prepare('SELECT sqlite_version()').pluck().get());
  // Number by number: a collation of languages would take 15 ms of each thread's start.
  const numbers = version.split('.').map(Number);
  const place = MIN_SQLITE_VERSION.findIndex((least, index) => numbers[index] !== least);
  if (place !== -1 && !((numbers[place] ?? 0) > (MIN_SQLITE_VERSION[place] ?? 0))) {
    throw new Error(`SQLite ${version} is too old.`);
  }
}
