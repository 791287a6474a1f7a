import { chmodSync, closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { openDatabase, type Database, type Pragma } from '../../node/open-database.ts';
import { makePrivateFolder, PRIVATE_FILE_MODE } from '../../node/private-files.ts';
import { toStartError } from '../service-options.ts';
import { APPLICATION_ID, SCHEMA_SQL, SCHEMA_VERSION } from './schema.ts';

const FILE_NAME = 'reporting-service.sqlite';
const SQLITE_HEADER = 'SQLite format 3\0';

/** The records of the service can't be fetched again from anywhere. */
const PRAGMAS: readonly Pragma[] = [
  // One service per folder: a second one is refused instead of mixing its traffic in.
  ['locking_mode', 'exclusive', 'exclusive'],
  ['journal_mode', 'wal', 'wal'],
  // 16 MiB
  ['cache_size', -16_384, -16_384],
  ['temp_store', 'memory', 2],
];

/** Path of the database inside a data folder. */
export function toDatabasePath(dataFolder: string): string {
  return join(dataFolder, FILE_NAME);
}

/**
 * Opens the database of a data folder, and creates both when missing, for the owner only. Throws AppError
 * `local-service.start-failed` for a file that is not this service's, is newer, in use, or unreadable.
 */
export function openStoreDatabase(dataFolder: string): Database {
  const path = toDatabasePath(dataFolder);
  try {
    makePrivateFolder(dataFolder);
    refuseForeignFile(path);
  } catch (error) {
    throw error instanceof AppError
      ? error
      : toStartError(`The data folder ${dataFolder} can't be used.`, error);
  }
  let db: Database | undefined;
  try {
    db = openDatabase(path, { busyTimeoutMs: 1000, pragmas: PRAGMAS });
    chmodSync(path, PRIVATE_FILE_MODE);
    prepareSchema(db, path);
    return db;
  } catch (error) {
    db?.close();
    throw error instanceof AppError ? error : toOpenError(error, path);
  }
}

function refuseForeignFile(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  const header = Buffer.alloc(SQLITE_HEADER.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (header.toString('latin1') !== SQLITE_HEADER) {
    throw toStartError(`${path} is not a database of the reporting service.`);
  }
}

function prepareSchema(db: Database, path: string): void {
  const applicationId = db.pragma('application_id', { simple: true });
  const version = Number(db.pragma('user_version', { simple: true }));
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (applicationId === 0 && version === 0 && tables === 0) {
    db.transaction(() => {
      db.exec(SCHEMA_SQL);
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${SCHEMA_VERSION}`);
    }).immediate();
    return;
  }
  if (applicationId !== APPLICATION_ID) {
    throw toStartError(`${path} is not a database of the reporting service.`);
  }
  if (version > SCHEMA_VERSION) {
    throw toStartError(
      `${path} was written by a newer version of the reporting service. It is left as it is.`,
    );
  }
  if (version < SCHEMA_VERSION) throw toStartError(`${path} has no version. It is left as it is.`);
}

function toOpenError(error: unknown, path: string): AppError {
  const code = findErrorCode(error) ?? '';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return toStartError(`${path} is in use by another reporting service.`, error);
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return toStartError(`${path} is damaged. Move it away to start anew.`, error);
  }
  return toStartError(`${path} can't be opened.`, error);
}
