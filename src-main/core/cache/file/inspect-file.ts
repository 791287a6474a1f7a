import { statSync } from 'node:fs';
import { AppError } from '../../../common/contract/errors.ts';
import Sqlite from 'better-sqlite3';
import type { Database } from '../../../node/open-database.ts';
import { APPLICATION_ID, EARLIER_APPLICATION_ID, openCacheDatabase } from './open-database.ts';
import { applyMigration, assertNotNewer, type Migration } from './migrate.ts';
import { isBitFlip, isUnknownFormat, listHeaderFaults, readSchema } from './open-damaged.ts';
import type { Damage } from './put-aside.ts';
import { readPragma } from './storage-size.ts';
import { isDamage, toCacheError } from './to-cache-error.ts';

/** Files up to this size are checked at every start, which takes a fraction of a second. */
const MAX_CHECKED_BYTES = 67_108_864;
/** After an unclean end, larger ones are checked too. */
const MAX_CHECKED_BYTES_AFTER_CRASH = 2_147_483_648;
const MAX_CHECK_LINES = 5;

/**
 * Looks at a file before it is opened for writing: that it is a cache, of a version that is known, with its
 * tables, and sound. `whole` checks it all whatever its size. Null when nothing is wrong. Reads only. Throws
 * AppError `cache.newer`, and `cache.*` for a file that can't be read at all.
 */
export function findDamage(file: string, migrations: readonly Migration[], whole: boolean): Damage | null {
  const stats = statSync(file);
  if (!stats.isFile()) {
    throw new AppError('cache.read-only', 'The place of the cache file is taken.', { file });
  }
  if (stats.size === 0) return { code: 'empty', lines: [] };
  try {
    return checkFile(file, migrations, whole);
  } catch (error) {
    const known = toCacheError(error);
    if (isDamage(known) && known instanceof AppError)
      return { code: String(known.details['sqlite'] ?? 'damaged'), lines: [known.message] };
    if (!isUnknownFormat(error, file)) throw known;
    return { code: 'header', lines: listHeaderFaults(file) };
  }
}

function checkFile(file: string, migrations: readonly Migration[], whole: boolean): Damage | null {
  const database = openCacheDatabase(file, 'read-any');
  try {
    const applicationId = database.pragma('application_id', { simple: true });
    if (applicationId === EARLIER_APPLICATION_ID) return { code: 'other-schema', lines: [] };
    if (applicationId !== APPLICATION_ID) return { code: 'other-application', lines: [] };
    const faults = listHeaderFaults(file);
    if (faults.length > 0) return { code: 'header', lines: faults };
    const version = readPragma(database, 'user_version');
    if (isWrongVersion(database, migrations, version))
      return { code: 'header', lines: [`schema version ${version}`] };
    assertNotNewer(database, migrations);
    const { missing, other } = compareSchema(database, migrations);
    if (missing.length > 0) return { code: 'missing-table', lines: missing.slice(0, MAX_CHECK_LINES) };
    if (other.length > 0) return { code: 'other-schema', lines: other.slice(0, MAX_CHECK_LINES) };
    const wasClosed = database.prepare('SELECT was_closed FROM cache_state').pluck().get() === 1;
    const limitBytes = wasClosed ? MAX_CHECKED_BYTES : MAX_CHECKED_BYTES_AFTER_CRASH;
    if (!whole && statSync(file).size > limitBytes) return null;
    return checkPages(database, wasClosed && !whole);
  } finally {
    database.close();
  }
}

/** A later version has other tables; with these ones its number is what is damaged. So it is in a file that has none. */
function isWrongVersion(database: Database, migrations: readonly Migration[], version: number): boolean {
  const known = migrations.at(-1)?.version ?? 0;
  if (version < 1) return true;
  if (version <= known || !isBitFlip(version, known)) return false;
  const { missing, other } = compareSchema(database, migrations);
  return missing.length + other.length === 0;
}

function checkPages(database: Database, wasClosed: boolean): Damage | null {
  const lines = database.prepare<[], string>(`PRAGMA quick_check(${MAX_CHECK_LINES})`).pluck().all();
  if (lines[0] !== 'ok') return { code: 'quick-check', lines };
  if (wasClosed) return null;
  const orphans = database.pragma('foreign_key_check') as { table: string }[];
  if (orphans.length === 0) return null;
  return { code: 'foreign-keys', lines: orphans.slice(0, MAX_CHECK_LINES).map(({ table }) => table) };
}

/** Tables and indexes that the file's version should have: those that aren't there, and those made otherwise. */
function compareSchema(
  database: Database,
  migrations: readonly Migration[],
): { readonly missing: string[]; readonly other: string[] } {
  const version = Number(database.pragma('user_version', { simple: true }));
  const model = new Sqlite(':memory:');
  try {
    for (const migration of migrations) {
      if (migration.version <= version) applyMigration(model, migration);
    }
    const found = readSchema(database);
    const wanted = [...readSchema(model)];
    return {
      missing: wanted.filter(([name]) => !found.has(name)).map(([name]) => name),
      other: wanted.filter(([name, sql]) => (found.get(name) ?? sql) !== sql).map(([name]) => name),
    };
  } finally {
    model.close();
  }
}
