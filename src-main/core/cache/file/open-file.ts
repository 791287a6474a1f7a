import { accessSync, constants, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError } from '../../../common/contract/errors.ts';
import { isTaken, makePrivateFile, removePatientlySync, replaceFileSync } from '../../../node/files.ts';
import type { Database } from '../../../node/open-database.ts';
import { applyMigration, assertNotNewer, migrate, type Migration, MIGRATIONS } from './schema.ts';
import { openDamaged, isBitFlip, isUnknownFormat, listHeaderFaults, readSchema } from './open-damaged.ts';
import {
  APPLICATION_ID,
  EARLIER_APPLICATION_ID,
  isDamage,
  openCacheDatabase,
  readPragma,
  toCacheError,
} from './open-database.ts';
import { COMPANIONS, putAside, resumePutAside, type Damage, type PutAside } from './put-aside.ts';
import { readUsedNumbers } from './salvage.ts';

/**
 * How closely a file is looked at when it is opened: as much as its size and last end ask for; all of it, after
 * damage was met; or put aside whatever the check says, as damage was met again.
 */
export type Inspection = 'usual' | 'whole' | 'put-aside';

export interface OpenedFile {
  readonly database: Database;
  /** Folder into which a damaged file was moved, or null. */
  readonly damagedFolder: string | null;
  /**
   * Code of the damage: `empty`, `other-application`, `other-schema`, `header`, `missing-table`, `quick-check`, `foreign-keys`, or
   * SQLite's.
   * `no-database` where only a log was left, which is put aside too.
   */
  readonly damage: string;
}

interface OpenOptions {
  readonly inspection?: Inspection;
  /** The least id of the next snapshot, so that ids from before a damage never mean another snapshot. */
  readonly firstSnapshotId?: number;
  readonly migrations?: readonly Migration[];
}

/**
 * Opens the cache for writing after looking at it: a damaged file is put aside with its companions and a clean one
 * started. Only the process that claimed the data folder may call it. Throws AppError `cache.newer` with the file
 * untouched, `cache.locked`, `cache.read-only`, `cache.disk-full`.
 */
export function openFile(file: string, nowMs: number, options: OpenOptions = {}): OpenedFile {
  const { inspection = 'usual', firstSnapshotId = 1, migrations = MIGRATIONS } = options;
  try {
    accessSync(dirname(file), constants.W_OK);
    const aside = resumePutAside(file) ?? putAsideIfDamaged(file, nowMs, inspection, migrations);
    const isDatabase = aside !== null && isTaken(join(aside.folder, basename(file)));
    if (!isDatabase) aside?.finish();
    const database = openSound(file, migrations);
    try {
      if (isDatabase) {
        reserveNumbers(database, file, aside.folder, firstSnapshotId);
        aside.finish();
      }
    } catch (error) {
      database.close();
      throw error;
    }
    return { database, damagedFolder: isDatabase ? aside.folder : null, damage: aside?.damage ?? '' };
  } catch (error) {
    throw toCacheError(error);
  }
}

/** A log without its database is put aside too: SQLite would replay it into the new one. */
function putAsideIfDamaged(
  file: string,
  nowMs: number,
  inspection: Inspection,
  migrations: readonly Migration[],
): PutAside | null {
  const isLogOnly = !isTaken(file) && COMPANIONS.some((suffix) => isTaken(file + suffix));
  const found = isTaken(file) ? inspect(file, migrations, inspection) : null;
  const damage = isLogOnly ? { code: 'no-database', lines: [] } : found;
  return damage === null ? null : putAside(file, damage, nowMs, describe(migrations));
}

function inspect(file: string, migrations: readonly Migration[], inspection: Inspection): Damage | null {
  const damage = findDamage(file, migrations, inspection !== 'usual');
  return inspection === 'put-aside' ? (damage ?? { code: 'met-again', lines: [] }) : damage;
}

function openSound(file: string, migrations: readonly Migration[]): Database {
  if (!isTaken(file)) createFile(file, migrations);
  const database = openCacheDatabase(file, 'write');
  try {
    migrate(database, file, migrations);
    database.prepare('UPDATE cache_state SET was_closed = 0').run();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Makes a new cache under another name first, so that a kill leaves either none or one with all its tables. */
function createFile(file: string, migrations: readonly Migration[]): void {
  const unfinished = `${file}.new`;
  for (const suffix of ['', ...COMPANIONS]) removePatientlySync(unfinished + suffix);
  // SQLite gives its companions the mode of the file: only the owner may read any of them.
  makePrivateFile(unfinished);
  const database = openCacheDatabase(unfinished, 'write');
  try {
    migrate(database, unfinished, migrations);
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
  replaceFileSync(unfinished, file);
}

/**
 * Ids of the damaged file are not given out again: what is whole in it will be brought over under its own. What is
 * fetched from now on is later than all of that.
 */
function reserveNumbers(
  database: Database,
  file: string,
  damagedFolder: string,
  firstSnapshotId: number,
): void {
  const used = readUsed(join(damagedFolder, basename(file)));
  const lastId = Math.max(firstSnapshotId - 1, used.lastId);
  database.prepare('UPDATE cache_state SET reserved_order = max(reserved_order, ?)').run(used.lastOrder);
  // A start that was cut short may have reserved them already.
  database.prepare("DELETE FROM sqlite_sequence WHERE name = 'snapshots' AND seq <= ?").run(lastId);
  database
    .prepare(
      `INSERT INTO sqlite_sequence (name, seq) SELECT 'snapshots', ?
       WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'snapshots')`,
    )
    .run(lastId);
}

function readUsed(damagedFile: string): ReturnType<typeof readUsedNumbers> {
  const nothing = { lastId: 0, lastOrder: 0 };
  try {
    const damaged = openDamaged(damagedFile);
    if (damaged === null) return nothing;
    try {
      return readUsedNumbers(damaged);
    } finally {
      damaged.close();
    }
  } catch {
    return nothing;
  }
}

function describe(migrations: readonly Migration[]): object {
  const { node, modules } = process.versions;
  return { schema: migrations.at(-1)?.version ?? 0, node, modules };
}

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
function findDamage(file: string, migrations: readonly Migration[], whole: boolean): Damage | null {
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
