import Database from 'better-sqlite3';

/** Marks the file as this application's cache. */
export const APPLICATION_ID = 0x43_68_53_63;
const OLDEST_SQLITE = [3, 51, 3] as const;

export type Connection = Database.Database;

/**
 * Name, value set, value read back. The cache can be downloaded again but status samples cannot, so
 * synchronous is FULL (2); with a page a transaction the cost is one sync a page.
 */
const PRAGMAS: readonly (readonly [string, string | number, string | number])[] = [
  ['journal_mode', 'wal', 'wal'],
  ['synchronous', 'full', 2],
  ['busy_timeout', 5000, 5000],
  ['foreign_keys', 'on', 1],
  ['wal_autocheckpoint', 1000, 1000],
  ['journal_size_limit', 67_108_864, 67_108_864],
  ['trusted_schema', 'off', 0],
  ['cell_size_check', 'on', 1],
  ['mmap_size', 0, 0],
  // 32 MiB in each thread: more did not speed up storing when measured.
  ['cache_size', -32_768, -32_768],
];

/**
 * Opens a connection and sets every pragma, reading each back. Throws when one does not hold, when SQLite
 * is older than 3.51.3, and SqliteErrors of a file that is no database.
 */
export function connect(file: string, mode: 'write' | 'read' | 'read-any'): Connection {
  const database = new Database(file, { readonly: mode !== 'write', timeout: 5000 });
  try {
    assertVersion(database);
    // Takes effect only while the file has no table yet.
    if (mode === 'write') database.pragma('auto_vacuum = incremental');
    for (const [name, value, expected] of PRAGMAS) {
      // A file that is only looked at may have any journal.
      if (mode === 'read-any' && name === 'journal_mode') continue;
      if (mode === 'write' || name !== 'journal_mode') database.pragma(`${name} = ${value}`);
      const actual: unknown = database.pragma(name, { simple: true });
      if (actual !== expected) throw new Error(`The pragma ${name} is ${String(actual)}.`);
    }
    addFunctions(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function assertVersion(database: Connection): void {
  const version = String(database.prepare('SELECT sqlite_version()').pluck().get());
  const parts = version.split('.').map(Number);
  for (const [place, least] of OLDEST_SQLITE.entries()) {
    const part = parts[place] ?? 0;
    if (part > least) return;
    if (part < least) throw new Error(`SQLite ${version} is too old.`);
  }
}

function addFunctions(database: Connection): void {
  // LIKE folds the case of ASCII only.
  database.function('contains_folded', { deterministic: true }, (text: unknown, folded: unknown) =>
    typeof text === 'string' && typeof folded === 'string' && text.toLowerCase().includes(folded) ? 1 : 0,
  );
}
