import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../../common/contract/errors.ts';
import {
  makePrivateFile,
  removePatientlySync,
  replaceFileSync,
  tryToRemoveSync,
} from '../../../node/files.ts';
import type { Database } from '../../../node/open-database.ts';
import { DETAIL_KINDS, type DetailKind } from '../../../common/reporting/reports.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import { APPLICATION_ID, openCacheDatabase, readPragma } from './open-database.ts';

/** A table of records: the columns of `RECORD_TABLES`, where texts are never null. `record_id` is snapshot_id * 2^32 + seq. */
function toRecordTableSql({ name, columns }: (typeof RECORD_TABLES)[DetailKind]): string {
  const lines = columns.map(
    ({ column, type }) => `  ${column} ${type}${type === 'TEXT' ? ' NOT NULL' : ''},`,
  );
  return `CREATE TABLE ${name} (
  record_id INTEGER PRIMARY KEY,
${lines.join('\n')}
  payload_preview TEXT NOT NULL DEFAULT '',
  text_length INTEGER NOT NULL DEFAULT 0
) STRICT;`;
}

const SCHEMA = `
-- identity tells one cache from another, so that what is derived from it is never taken for another one's.
-- reserved_order is the last place in the order of fetching that a damaged file, whose place this one took, had given out.
CREATE TABLE cache_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  was_closed INTEGER NOT NULL,
  checked_at_ms INTEGER,
  identity TEXT NOT NULL,
  reserved_order INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO cache_state (id, was_closed, identity) VALUES (1, 1, lower(hex(randomblob(16))));

-- slice_number is the slice that is walked, or was walked last. A followed day has settled_to_ms, and the look-back that
-- late records were looked for with up to there.
-- reading is raised when stored pages are read again with another result; last_reading says what that changed, as JSON.
-- fetched_order is larger than that of every snapshot that was fetched or imported before: clocks don't tell that.
-- imported says where an imported snapshot came from, as JSON; null for what was received from the service.
CREATE TABLE snapshots (
  snapshot_id INTEGER PRIMARY KEY AUTOINCREMENT,
  connection_id TEXT NOT NULL,
  tenant INTEGER NOT NULL,
  report TEXT NOT NULL,
  start_date TEXT NOT NULL,
  end_date TEXT NOT NULL,
  from_ms INTEGER NOT NULL,
  to_ms INTEGER NOT NULL,
  zone TEXT NOT NULL,
  state TEXT NOT NULL,
  record_count INTEGER NOT NULL DEFAULT 0,
  received_count INTEGER NOT NULL DEFAULT 0,
  total_document INTEGER,
  page_count INTEGER NOT NULL DEFAULT 0,
  size_bytes INTEGER NOT NULL DEFAULT 0,
  started_at_ms INTEGER NOT NULL,
  fetched_at_ms INTEGER,
  fetched_order INTEGER NOT NULL DEFAULT 0,
  id_report TEXT NOT NULL DEFAULT '',
  name_visualization TEXT NOT NULL DEFAULT '',
  failure TEXT,
  still_open INTEGER NOT NULL,
  is_removed INTEGER NOT NULL DEFAULT 0,
  removed_at_ms INTEGER,
  name TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '',
  is_pinned INTEGER NOT NULL DEFAULT 0,
  is_look INTEGER NOT NULL DEFAULT 0,
  refresh_of INTEGER REFERENCES snapshots ON DELETE SET NULL,
  verified_at_ms INTEGER,
  damaged_pages INTEGER,
  slice_number INTEGER NOT NULL DEFAULT 0,
  settled_to_ms INTEGER,
  settled_look_back_ms INTEGER,
  reading INTEGER NOT NULL DEFAULT 0,
  last_reading TEXT,
  imported TEXT
) STRICT;
CREATE INDEX snapshots_by_connection ON snapshots (connection_id, report);
CREATE INDEX snapshots_by_refresh ON snapshots (refresh_of);
CREATE INDEX snapshots_by_fetching ON snapshots (fetched_order);

CREATE TABLE remarks (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  code TEXT NOT NULL,
  count INTEGER,
  detail TEXT,
  PRIMARY KEY (snapshot_id, code)
) STRICT, WITHOUT ROWID;

-- may_cut is 1 until the first page of a period in one piece has shown whether pieces are worth it.
-- asked_start is where the first request begins: filling a gap asks for the second before it, too.
-- report_identifier is the address of the report; it must not change on the way.
CREATE TABLE downloads (
  snapshot_id INTEGER PRIMARY KEY REFERENCES snapshots ON DELETE CASCADE,
  state TEXT NOT NULL,
  queued_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  slice_days REAL,
  may_cut INTEGER NOT NULL DEFAULT 0,
  base_address TEXT NOT NULL,
  report_identifier TEXT NOT NULL DEFAULT '',
  asked_start TEXT NOT NULL DEFAULT '',
  page_size INTEGER,
  forecast_total INTEGER,
  resumed_count INTEGER NOT NULL DEFAULT 0,
  failure TEXT
) STRICT;
CREATE INDEX downloads_by_state ON downloads (state);

-- A snapshot is read in slices, one walk over cursors each, in the order of their numbers: those of a download are cut in
-- advance, a followed day appends one at each turn. Each is responsible for [from_ms, to_ms), and asks for its dates and a
-- second more. next_cursor is null once it was read to its end. first_seq is where its records begin, total_before the sum
-- of the totals of the slices before; entry_count says what is stored, walk counts what came since its walk began, which
-- counts anew where it had to begin again; its overlap is how much pages repeated of the end of the page before.
CREATE TABLE slices (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  slice_number INTEGER NOT NULL,
  from_ms INTEGER NOT NULL,
  to_ms INTEGER NOT NULL,
  start_date TEXT NOT NULL,
  end_date TEXT NOT NULL,
  next_cursor TEXT DEFAULT '',
  first_seq INTEGER NOT NULL DEFAULT 0,
  total_before INTEGER NOT NULL DEFAULT 0,
  entry_count INTEGER NOT NULL DEFAULT 0,
  walk_number INTEGER NOT NULL DEFAULT 0,
  walk_entry_count INTEGER NOT NULL DEFAULT 0,
  walk_record_count INTEGER NOT NULL DEFAULT 0,
  walk_page_count INTEGER NOT NULL DEFAULT 0,
  walk_overlap_pages INTEGER NOT NULL DEFAULT 0,
  walk_overlap_records INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (snapshot_id, slice_number)
) STRICT, WITHOUT ROWID;

-- Up to where all days of a report are settled.
CREATE TABLE followed_reports (
  connection_id TEXT NOT NULL,
  report TEXT NOT NULL,
  done_to_ms INTEGER NOT NULL,
  PRIMARY KEY (connection_id, report)
) STRICT, WITHOUT ROWID;

-- sha256 is of the bytes as received, records_sha256 covers what was stored of them, so that damage shows later.
-- is_cleaned is 0 until the page was searched for secrets.
CREATE TABLE pages (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  page_number INTEGER NOT NULL,
  slice_number INTEGER NOT NULL DEFAULT 0,
  walk_number INTEGER NOT NULL DEFAULT 0,
  cursor_sent TEXT NOT NULL,
  cursor_received TEXT,
  size_asked INTEGER,
  entry_count INTEGER NOT NULL,
  known_entries INTEGER NOT NULL DEFAULT 0,
  first_seq INTEGER NOT NULL,
  record_count INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  records_sha256 TEXT,
  is_damaged INTEGER NOT NULL DEFAULT 0,
  is_cleaned INTEGER NOT NULL DEFAULT 0,
  total_document INTEGER,
  execution_time_ms REAL,
  status INTEGER NOT NULL,
  requested_at_ms INTEGER NOT NULL,
  received_at_ms INTEGER NOT NULL,
  PRIMARY KEY (snapshot_id, page_number)
) STRICT, WITHOUT ROWID;
CREATE INDEX pages_by_cursor ON pages (snapshot_id, cursor_sent);
CREATE INDEX pages_to_clean ON pages (snapshot_id, page_number) WHERE is_cleaned = 0;
CREATE TABLE cleaned_connections (connection_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Pages as received, compressed with zstd: long texts need no tables.
CREATE TABLE page_bodies (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  page_number INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (snapshot_id, page_number)
) STRICT;

CREATE TABLE set_aside (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  page_number INTEGER NOT NULL,
  place INTEGER NOT NULL,
  reason TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (snapshot_id, page_number, place)
) STRICT, WITHOUT ROWID;

-- An empty date_text beside a date_ms stands for the text that follows from it.
${DETAIL_KINDS.map((kind) => toRecordTableSql(RECORD_TABLES[kind])).join('\n')}

CREATE TABLE summary_groups (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  channel INTEGER,
  service INTEGER,
  origin TEXT,
  response_code INTEGER,
  request_count INTEGER NOT NULL,
  average_response_time_ms REAL,
  average_bot_latency_ms REAL,
  session_id TEXT NOT NULL,
  PRIMARY KEY (snapshot_id, seq)
) STRICT, WITHOUT ROWID;

-- What a person noted on records: by what a record holds, so that it outlives snapshots.
CREATE TABLE record_marks (
  connection_id TEXT NOT NULL,
  report TEXT NOT NULL,
  session_id TEXT NOT NULL,
  date_text TEXT NOT NULL,
  digest TEXT NOT NULL,
  date_ms INTEGER,
  mark TEXT,
  note TEXT NOT NULL DEFAULT '',
  changed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (connection_id, report, session_id, date_text, digest)
) STRICT;

-- What the reports of a connection looked like so far, as JSON; it is learned anew where it is missing.
CREATE TABLE report_shapes (
  connection_id TEXT NOT NULL,
  report TEXT NOT NULL,
  shape TEXT NOT NULL,
  PRIMARY KEY (connection_id, report)
) STRICT;

-- Patterns of a connection's errors in the order in which they came, each with the pattern that names its family.
CREATE TABLE error_patterns (
  connection_id TEXT NOT NULL,
  direction TEXT NOT NULL,
  pattern TEXT NOT NULL,
  family TEXT NOT NULL,
  place INTEGER NOT NULL,
  PRIMARY KEY (connection_id, direction, pattern)
) STRICT, WITHOUT ROWID;

-- extra is what of a status is none of its fields, as JSON; null for nothing.
CREATE TABLE status_samples (
  sample_id INTEGER PRIMARY KEY,
  connection_id TEXT NOT NULL,
  checked_at_ms INTEGER NOT NULL,
  round_trip_ms INTEGER,
  platform TEXT NOT NULL,
  connector TEXT NOT NULL,
  internal_response_time_ms REAL,
  sessions INTEGER,
  traffic TEXT NOT NULL,
  traffic_text TEXT NOT NULL,
  failure TEXT,
  extra TEXT
) STRICT;
-- What a history is made of, side by side: with their traffic, samples of a month fill hundreds of megabytes.
CREATE INDEX status_points ON status_samples
  (connection_id, checked_at_ms, sample_id, platform, connector, internal_response_time_ms, failure);
`;

/** The steps of the cache's schema; append-only from the first release on. */
export const MIGRATIONS: readonly Migration[] = [{ version: 1, sql: SCHEMA }];

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
