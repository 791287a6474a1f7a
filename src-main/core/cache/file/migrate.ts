import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../../common/contract/errors.ts';
import { removePatientlySync, tryToRemoveSync } from '../../../node/move-and-remove.ts';
import type { Database } from '../../../node/open-database.ts';
import { makePrivateFile } from '../../../node/private-files.ts';
import { replaceFileSync } from '../../../node/write-file-atomically.ts';
import { APPLICATION_ID, openCacheDatabase } from './open-database.ts';
import { readPragma } from './storage-size.ts';

/** One step of the schema; numbered from 1 without gaps. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
  /** What SQL alone can't do, between `sql` and `after`. */
  readonly run?: (database: Database) => void;
  readonly after?: string;
}

/** The version of the schema in the file; 0 for a new one. */
function readVersion(database: Database): number {
  return readPragma(database, 'user_version');
}

/** Throws AppError `cache.newer` for a schema that a later application wrote. */
export function assertNotNewer(database: Database, migrations: readonly Migration[]): void {
  const known = migrations.at(-1)?.version ?? 0;
  const version = readVersion(database);
  if (version <= known) return;
  throw new AppError('cache.newer', 'A later version of the application wrote the cache.', {
    version,
    known,
  });
}

/** Does one step of the schema, without its version. */
export function applyMigration(database: Database, { sql, run, after = '' }: Migration): void {
  database.exec(sql);
  run?.(database);
  database.exec(after);
}

/**
 * Brings the schema up to date: each pending migration in one immediate transaction together with its
 * version. A checked copy of an existing file is put beside it (`.v1.backup`) before the first one.
 */
export function migrate(database: Database, file: string, migrations: readonly Migration[]): void {
  const version = readVersion(database);
  const pending = migrations.filter((migration) => migration.version > version);
  if (pending.length === 0) return;
  if (version > 0) backUp(database, file, version);
  for (const migration of pending) {
    const step = database.transaction(() => {
      applyMigration(database, migration);
      database.pragma(`application_id = ${APPLICATION_ID}`);
      database.pragma(`user_version = ${migration.version}`);
    });
    step.immediate();
  }
}

/** Copies of this many schema versions are kept. */
const MAX_COPIES = 3;
/** An old copy that stays is tried again after the next update; nothing waits for it. */
const OLD_REMOVAL = { maxWaitMs: 0 };

/**
 * Copies the database to `<file>.v<version>.backup`: written under another name, checked, flushed, then renamed,
 * so that a copy is either whole or not there. Only the newest three are kept. Throws AppError `cache.damaged`
 * for a copy that is not like its source, and SqliteErrors of a full disk; the source is only read.
 */
function backUp(database: Database, file: string, version: number): void {
  const target = `${file}.v${version}.backup`;
  const unfinished = `${target}.new`;
  removePatientlySync(unfinished);
  try {
    // An empty file is accepted as the target, so it is never readable by others.
    makePrivateFile(unfinished);
    database.prepare('VACUUM INTO ?').run(unfinished);
    assertLike(database, unfinished);
    replaceFileSync(unfinished, target);
  } catch (error) {
    tryToRemoveSync(unfinished);
    throw error;
  }
  removeOldest(file);
}

function assertLike(source: Database, copy: string): void {
  const database = openCacheDatabase(copy, 'read-any');
  try {
    const check: unknown = database.pragma('integrity_check(1)', { simple: true });
    if (check === 'ok' && countRows(database) === countRows(source)) return;
    throw new AppError('cache.damaged', 'The copy of the cache is not like the cache.', {
      sqlite: 'backup',
    });
  } finally {
    database.close();
  }
}

/** The number of rows of every table, as one text. */
function countRows(database: Database): string {
  const tables = database
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
  const counts = tables.map((name) => [
    name,
    database.prepare(`SELECT count(*) FROM "${name}"`).pluck().get(),
  ]);
  return JSON.stringify(counts);
}

/** Removes every copy: what is removed from the cache must not stay in them. Throws where one can't be removed. */
export function removeCopies(file: string): void {
  for (const path of listCopies(file)) removePatientlySync(path);
}

function removeOldest(file: string): void {
  for (const path of listCopies(file).slice(MAX_COPIES)) tryToRemoveSync(path, OLD_REMOVAL);
}

/** Paths of the copies, the newest schema first. */
function listCopies(file: string): string[] {
  const start = `${basename(file)}.v`;
  const found = readdirSync(dirname(file)).flatMap((name) => {
    const version =
      name.startsWith(start) && name.endsWith('.backup') ? parseInt(name.slice(start.length)) : NaN;
    return Number.isNaN(version) ? [] : [{ name, version }];
  });
  found.sort((a, b) => b.version - a.version);
  return found.map(({ name }) => join(dirname(file), name));
}
