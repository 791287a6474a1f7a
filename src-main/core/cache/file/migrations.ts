import type { Database } from '../../../node/open-database.ts';
import { LATER_MIGRATIONS } from './later-migrations.ts';
import { rebuildPages } from './rebuild-pages.ts';

/** One step of the schema; numbered from 1 without gaps, append-only. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
  /** What SQL alone can't do, between `sql` and `after`. */
  readonly run?: (database: Database) => void;
  readonly after?: string;
}

const RECORD_FIELDS = `
  record_id INTEGER PRIMARY KEY,
  date_text TEXT NOT NULL,
  date_ms INTEGER,
  session_id TEXT NOT NULL,
  channel INTEGER,
  service INTEGER,
  client TEXT NOT NULL,
  response_time_ms REAL,
  response_code INTEGER,
  error TEXT NOT NULL,
  origin TEXT NOT NULL`;

/** Records: `record_id` is snapshot_id * 2^32 + seq. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
CREATE TABLE cache_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  was_closed INTEGER NOT NULL
) STRICT;
INSERT INTO cache_state (id, was_closed) VALUES (1, 1);

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
  id_report TEXT NOT NULL DEFAULT '',
  name_visualization TEXT NOT NULL DEFAULT '',
  failure TEXT,
  still_open INTEGER NOT NULL,
  next_cursor TEXT DEFAULT '',
  is_removed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX snapshots_by_connection ON snapshots (connection_id, report);

CREATE TABLE remarks (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  code TEXT NOT NULL,
  count INTEGER,
  detail TEXT,
  PRIMARY KEY (snapshot_id, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE pages (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  page_number INTEGER NOT NULL,
  cursor_sent TEXT NOT NULL,
  cursor_received TEXT,
  entry_count INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  record_count INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  total_document INTEGER,
  execution_time_ms REAL,
  status INTEGER NOT NULL,
  requested_at_ms INTEGER NOT NULL,
  received_at_ms INTEGER NOT NULL,
  PRIMARY KEY (snapshot_id, page_number)
) STRICT, WITHOUT ROWID;

CREATE INDEX pages_by_cursor ON pages (snapshot_id, cursor_sent);

CREATE TABLE set_aside (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  page_number INTEGER NOT NULL,
  place INTEGER NOT NULL,
  reason TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (snapshot_id, page_number, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbound_records (${RECORD_FIELDS},
  bot_latency_ms REAL
) STRICT;
CREATE INDEX inbound_records_by_session ON inbound_records (session_id);
CREATE TABLE inbound_texts (
  record_id INTEGER PRIMARY KEY,
  preview TEXT,
  extra TEXT,
  payload TEXT NOT NULL
) STRICT;

CREATE TABLE outbound_records (${RECORD_FIELDS},
  action_id TEXT
) STRICT;
CREATE INDEX outbound_records_by_session ON outbound_records (session_id);
CREATE TABLE outbound_texts (
  record_id INTEGER PRIMARY KEY,
  preview TEXT,
  extra TEXT,
  payload TEXT NOT NULL,
  response TEXT
) STRICT;

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
  failure TEXT
) STRICT;
CREATE INDEX status_samples_by_time ON status_samples (connection_id, checked_at_ms);
`,
  },
  {
    // records_sha256 covers what was stored of a page, so that damage shows later; null for pages from before.
    version: 2,
    sql: `
ALTER TABLE snapshots ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE snapshots ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE snapshots ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshots ADD COLUMN refresh_of INTEGER REFERENCES snapshots ON DELETE SET NULL;
ALTER TABLE snapshots ADD COLUMN verified_at_ms INTEGER;
ALTER TABLE snapshots ADD COLUMN damaged_pages INTEGER;
ALTER TABLE snapshots ADD COLUMN removed_at_ms INTEGER;
CREATE INDEX snapshots_by_refresh ON snapshots (refresh_of);

ALTER TABLE pages ADD COLUMN records_sha256 TEXT;
ALTER TABLE pages ADD COLUMN is_damaged INTEGER NOT NULL DEFAULT 0;

ALTER TABLE cache_state ADD COLUMN checked_at_ms INTEGER;
`,
  },
  {
    // A snapshot is read in slices of its period, one walk over cursors each; a walk that had to begin again
    // counts anew. Slice counts say what is stored, walk counts what came since the walk began.
    version: 3,
    sql: `
ALTER TABLE snapshots ADD COLUMN slice_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshots ADD COLUMN slice_first_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshots ADD COLUMN slice_total_before INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshots ADD COLUMN slice_entry_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshots ADD COLUMN walk_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshots ADD COLUMN walk_entry_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshots ADD COLUMN walk_record_count INTEGER NOT NULL DEFAULT 0;
UPDATE snapshots SET slice_entry_count = received_count, walk_entry_count = received_count,
  walk_record_count = record_count;

ALTER TABLE pages ADD COLUMN slice_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN walk_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN size_asked INTEGER;

CREATE TABLE downloads (
  snapshot_id INTEGER PRIMARY KEY REFERENCES snapshots ON DELETE CASCADE,
  state TEXT NOT NULL,
  queued_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  slice_days INTEGER,
  base_address TEXT NOT NULL,
  page_size INTEGER,
  forecast_total INTEGER,
  resumed_count INTEGER NOT NULL DEFAULT 0,
  failure TEXT
) STRICT;
CREATE INDEX downloads_by_state ON downloads (state);
`,
  },
  {
    // What the reports of a connection looked like so far, as JSON; it is learned anew where it is missing.
    version: 4,
    sql: `
CREATE TABLE report_shapes (
  connection_id TEXT NOT NULL,
  report TEXT NOT NULL,
  shape TEXT NOT NULL,
  PRIMARY KEY (connection_id, report)
) STRICT;
`,
  },
  {
    // Tells one cache from another, so that what is derived from it is never taken for another one's.
    version: 5,
    sql: `
ALTER TABLE cache_state ADD COLUMN identity TEXT NOT NULL DEFAULT '';
UPDATE cache_state SET identity = lower(hex(randomblob(16)));
`,
  },
  {
    // Pages are kept as received, compressed with zstd, so long texts need no tables. An empty date_text beside a
    // date_ms stands for the text that follows from it.
    version: 6,
    sql: `
CREATE TABLE page_bodies (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  page_number INTEGER NOT NULL,
  body BLOB NOT NULL,
  is_rebuilt INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (snapshot_id, page_number)
) STRICT;
ALTER TABLE pages ADD COLUMN known_entries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbound_records ADD COLUMN payload_preview TEXT NOT NULL DEFAULT '';
ALTER TABLE inbound_records ADD COLUMN text_length INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbound_records ADD COLUMN payload_preview TEXT NOT NULL DEFAULT '';
ALTER TABLE outbound_records ADD COLUMN text_length INTEGER NOT NULL DEFAULT 0;
DROP INDEX inbound_records_by_session;
DROP INDEX outbound_records_by_session;
`,
    run: rebuildPages,
    after: `
DROP TABLE inbound_texts;
DROP TABLE outbound_texts;
`,
  },
  ...LATER_MIGRATIONS,
];
