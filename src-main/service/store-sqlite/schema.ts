import { chmodSync, closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { makePrivateFolder, PRIVATE_FILE_MODE } from '../../node/files.ts';
import { type Database, openDatabase, type Pragma } from '../../node/open-database.ts';
import { toStartError } from '../service-options.ts';

/** "CSsv": distinguishes the service's database from any other SQLite file. */
const APPLICATION_ID = 0x43537376;
const SCHEMA_VERSION = 1;

/**
 * Records are clustered by (date, arrival), which is the order of the reports, so a page is one range.
 * Their group (channel, service, origin, code) is a number: rows stay narrow and rollups group by one
 * integer. References from records carry no foreign key: the writer resolves every group in the same
 * transaction, and checking ten million of them would cost more than it is worth. A group without a response code is
 * there once: the writer looks groups up in memory, where null equals null. Rollups hold `cells` as packed in
 * group-sums.ts; `fresh` is 1 for the few newest changes of one.
 *
 * The tables named `_import` hold what imported records say beyond numbers; sample records derive their texts instead.
 * An imported session is written with its number negated, which is how a record is known to be imported. `hash` leaves
 * out payload and response, so that a file without them is compared with what it has.
 */
const SCHEMA_SQL = `
CREATE TABLE property (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE traffic_group (
  group_id INTEGER PRIMARY KEY,
  direction INTEGER NOT NULL CHECK (direction IN (0, 1)),
  channel INTEGER NOT NULL,
  service INTEGER NOT NULL,
  origin TEXT NOT NULL,
  response_code INTEGER,
  UNIQUE (direction, channel, service, origin, response_code)
) STRICT;

CREATE TABLE origin (
  origin_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE inbound_record (
  date_ms INTEGER NOT NULL,
  arrival INTEGER NOT NULL,
  session INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  response_time_us INTEGER NOT NULL,
  bot_latency_ms INTEGER NOT NULL,
  PRIMARY KEY (date_ms, arrival)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbound_record (
  date_ms INTEGER NOT NULL,
  arrival INTEGER NOT NULL,
  session INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  response_time_us INTEGER NOT NULL,
  action_id INTEGER NOT NULL,
  origin_id INTEGER NOT NULL,
  PRIMARY KEY (date_ms, arrival)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup (
  direction INTEGER NOT NULL,
  tier_ms INTEGER NOT NULL,
  start_ms INTEGER NOT NULL,
  fresh INTEGER NOT NULL CHECK (fresh IN (0, 1)),
  cells BLOB NOT NULL,
  PRIMARY KEY (direction, tier_ms, start_ms, fresh)
) STRICT;

CREATE TABLE record_count (
  direction INTEGER NOT NULL,
  tier_ms INTEGER NOT NULL,
  start_ms INTEGER NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY (direction, tier_ms, start_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE import_session (
  session INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE inbound_import (
  arrival INTEGER PRIMARY KEY,
  date_ms INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  client TEXT NOT NULL,
  error TEXT NOT NULL,
  payload TEXT NOT NULL
) STRICT;

CREATE INDEX inbound_import_content ON inbound_import (date_ms, hash);

CREATE TABLE outbound_import (
  arrival INTEGER PRIMARY KEY,
  date_ms INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  client TEXT NOT NULL,
  error TEXT NOT NULL,
  action_id TEXT NOT NULL,
  payload TEXT NOT NULL,
  response TEXT NOT NULL
) STRICT;

CREATE INDEX outbound_import_content ON outbound_import (date_ms, hash);
`;

/** How directions are written in the store. */
export const DIRECTION_NUMBERS = { inbound: 0, outbound: 1 } as const;

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
