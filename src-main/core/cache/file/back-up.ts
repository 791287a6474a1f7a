import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../../common/contract/errors.ts';
import { removePatientlySync, tryToRemoveSync } from '../../../node/move-and-remove.ts';
import { makePrivateFile } from '../../../node/private-files.ts';
import { replaceFileSync } from '../../../node/write-file-atomically.ts';
import type { Database } from '../../../node/open-database.ts';
import { openCacheDatabase } from './open-database.ts';

/** Copies of this many schema versions are kept. */
const MAX_COPIES = 3;
/** An old copy that stays is tried again after the next update; nothing waits for it. */
const OLD_REMOVAL = { maxWaitMs: 0 };

/**
 * Copies the database to `<file>.v<version>.backup`: written under another name, checked, flushed, then renamed,
 * so that a copy is either whole or not there. Only the newest three are kept. Throws AppError `cache.damaged`
 * for a copy that is not like its source, and SqliteErrors of a full disk; the source is only read.
 */
export function backUp(database: Database, file: string, version: number): void {
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
