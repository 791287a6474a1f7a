import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import { APPLICATION_ID, connect, type Connection } from './connect.ts';
import { assertNotNewer, migrate } from './migrate.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import { isDamage, toCacheError } from './to-cache-error.ts';

/** Up to this size a whole check takes a fraction of a second; above it only after an unclean end. */
const QUICK_CHECK_BYTES = 67_108_864;
const LARGEST_CHECK_BYTES = 2_147_483_648;

export interface OpenedFile {
  readonly database: Connection;
  /** Where a damaged file was put aside, or null. */
  readonly damagedFile: string | null;
  /** Code of the damage: `empty`, `other-application`, or SQLite's. */
  readonly damage: string;
}

/**
 * Opens the cache for writing after looking at it: a damaged file is put aside with its companions and a
 * clean one started. Throws AppError `cache.newer` with the file untouched, `cache.locked`, `cache.read-only`.
 */
export function openFile(
  file: string,
  nowMs: number,
  migrations: readonly Migration[] = MIGRATIONS,
): OpenedFile {
  try {
    const damage = existsSync(file) ? findDamage(file, migrations) : null;
    const damagedFile = damage === null ? null : putAside(file, nowMs);
    return { database: openSound(file, migrations), damagedFile, damage: damage ?? '' };
  } catch (error) {
    throw toCacheError(error);
  }
}

function openSound(file: string, migrations: readonly Migration[]): Connection {
  // SQLite gives its companions the mode of the file: only the owner may read any of them.
  if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600));
  const database = connect(file, 'write');
  try {
    migrate(database, file, migrations);
    database.prepare('UPDATE cache_state SET was_closed = 0').run();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function findDamage(file: string, migrations: readonly Migration[]): string | null {
  const sizeBytes = statSync(file).size;
  if (sizeBytes === 0) return 'empty';
  try {
    return checkFile(file, sizeBytes, migrations);
  } catch (error) {
    const known = toCacheError(error);
    if (isDamage(known) && known instanceof AppError) return String(known.details['sqlite'] ?? 'damaged');
    throw known;
  }
}

/** Reads only: a file that is refused stays as it was. */
function checkFile(file: string, sizeBytes: number, migrations: readonly Migration[]): string | null {
  const database = connect(file, 'read-any');
  try {
    if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID) return 'other-application';
    assertNotNewer(database, migrations);
    const wasClosed = database.prepare('SELECT was_closed FROM cache_state').pluck().get() === 1;
    if (sizeBytes > (wasClosed ? QUICK_CHECK_BYTES : LARGEST_CHECK_BYTES)) return null;
    return database.pragma('quick_check(1)', { simple: true }) === 'ok' ? null : 'quick-check';
  } finally {
    database.close();
  }
}

function putAside(file: string, nowMs: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(':', '-');
  const folder = join(dirname(file), 'damaged', time);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const target = join(folder, basename(file));
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix);
  }
  return target;
}
