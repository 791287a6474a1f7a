PRAGMA user_version = 4;
PRAGMA application_id = 1130910563;
CREATE TABLE cache_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  was_closed INTEGER NOT NULL
, checked_at_ms INTEGER) STRICT;
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
, name TEXT NOT NULL DEFAULT '', note TEXT NOT NULL DEFAULT '', is_pinned INTEGER NOT NULL DEFAULT 0, refresh_of INTEGER REFERENCES snapshots ON DELETE SET NULL, verified_at_ms INTEGER, damaged_pages INTEGER, removed_at_ms INTEGER, slice_number INTEGER NOT NULL DEFAULT 0, slice_first_seq INTEGER NOT NULL DEFAULT 0, slice_total_before INTEGER NOT NULL DEFAULT 0, slice_entry_count INTEGER NOT NULL DEFAULT 0, walk_number INTEGER NOT NULL DEFAULT 0, walk_entry_count INTEGER NOT NULL DEFAULT 0, walk_record_count INTEGER NOT NULL DEFAULT 0) STRICT;
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
  received_at_ms INTEGER NOT NULL, records_sha256 TEXT, is_damaged INTEGER NOT NULL DEFAULT 0, slice_number INTEGER NOT NULL DEFAULT 0, walk_number INTEGER NOT NULL DEFAULT 0, size_asked INTEGER,
  PRIMARY KEY (snapshot_id, page_number)
) STRICT, WITHOUT ROWID;
CREATE TABLE set_aside (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  page_number INTEGER NOT NULL,
  place INTEGER NOT NULL,
  reason TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (snapshot_id, page_number, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE inbound_records (
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
  origin TEXT NOT NULL,
  bot_latency_ms REAL
) STRICT;
CREATE TABLE inbound_texts (
  record_id INTEGER PRIMARY KEY,
  preview TEXT,
  extra TEXT,
  payload TEXT NOT NULL
) STRICT;
CREATE TABLE outbound_records (
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
  origin TEXT NOT NULL,
  action_id TEXT
) STRICT;
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
CREATE TABLE report_shapes (
  connection_id TEXT NOT NULL,
  report TEXT NOT NULL,
  shape TEXT NOT NULL,
  PRIMARY KEY (connection_id, report)
) STRICT;
CREATE INDEX snapshots_by_connection ON snapshots (connection_id, report);
CREATE INDEX pages_by_cursor ON pages (snapshot_id, cursor_sent);
CREATE INDEX inbound_records_by_session ON inbound_records (session_id);
CREATE INDEX outbound_records_by_session ON outbound_records (session_id);
CREATE INDEX status_samples_by_time ON status_samples (connection_id, checked_at_ms);
CREATE INDEX snapshots_by_refresh ON snapshots (refresh_of);
CREATE INDEX downloads_by_state ON downloads (state);
INSERT INTO cache_state VALUES (1, 1, NULL);
INSERT INTO snapshots VALUES (1, 'one', 1, 'inbound-detail', '2026-11-20 10:00:00', '2026-11-20 10:59:59', 1795168800000, 1795172399000, 'UTC', 'complete', 5, 6, 6, 2, 3704, 1795168800001, 1795168800061, '29CDB989-6221-4742-96CA-1A878545B5A3', 'Inbound detail', NULL, 0, NULL, 0, '', '', 0, NULL, NULL, NULL, NULL, 0, 0, 0, 6, 0, 6, 5);
INSERT INTO snapshots VALUES (2, 'one', 1, 'outbound-detail', '2026-11-20 10:00:00', '2026-11-20 10:59:59', 1795168800000, 1795172399000, 'UTC', 'complete', 3, 3, 3, 2, 1139, 1795168800002, 1795168800062, '29CDB989-6221-4742-96CA-1A878545B5A3', 'Inbound detail', NULL, 0, NULL, 0, '', '', 0, NULL, NULL, NULL, NULL, 0, 0, 0, 3, 0, 3, 3);
INSERT INTO snapshots VALUES (3, 'one', 1, 'inbound-summary', '2026-11-20 10:00:00', '2026-11-20 10:59:59', 1795168800000, 1795172399000, 'UTC', 'complete', 2, 2, 2, 1, 457, 1795168800003, 1795168800063, '29CDB989-6221-4742-96CA-1A878545B5A3', 'Inbound detail', NULL, 0, NULL, 0, '', '', 0, NULL, NULL, NULL, NULL, 0, 0, 0, 2, 0, 2, 2);
INSERT INTO snapshots VALUES (4, 'one', 1, 'outbound-summary', '2026-11-20 10:00:00', '2026-11-20 10:59:59', 1795168800000, 1795172399000, 'UTC', 'complete', 2, 2, 2, 1, 386, 1795168800004, 1795168800064, '29CDB989-6221-4742-96CA-1A878545B5A3', 'Inbound detail', NULL, 0, NULL, 0, '', '', 0, NULL, NULL, NULL, NULL, 0, 0, 0, 2, 0, 2, 2);
INSERT INTO remarks VALUES (1, 'date-not-understood', 1, NULL);
INSERT INTO remarks VALUES (1, 'null-values', 1, NULL);
INSERT INTO remarks VALUES (1, 'record-unreadable', 1, NULL);
INSERT INTO remarks VALUES (1, 'unknown-fields', 1, NULL);
INSERT INTO remarks VALUES (2, 'null-values', 1, NULL);
INSERT INTO remarks VALUES (4, 'null-values', 1, NULL);
INSERT INTO pages VALUES (1, 0, '', 'after 3', 3, 0, 2, 691, '5c292ba635fcd67d0f3a6f95d646bd0193953fed4e5f5da8a8b04d8606908b6e', 6, 12, 200, 1795168800000, 1795168800061, 'd95cf8f5bb09785456415a2c01a57eba755f0a86ddf8d698912996db5bcf9ebd', 0, 0, 0, NULL);
INSERT INTO pages VALUES (1, 1, 'after 3', NULL, 3, 2, 3, 3013, '6a3f01357b21ef81c444cb69987be923d86234078e1203bee15f5716ae2c298c', 6, 12, 200, 1795168800000, 1795168800061, '76af8337c842739fe49943bbc3980650adf43a3c3102553e0eb1ae3eeccf6e75', 0, 0, 0, NULL);
INSERT INTO pages VALUES (2, 0, '', 'after 2', 2, 0, 2, 699, 'c96e17070ec1a0d38572b6a10549af58fd2480bb81dccd29047123a5a6cab28c', 3, 12, 200, 1795168800000, 1795168800062, 'a0fdbbb1ea63ca6aa06edd3dfd96b57e5dfc6e6d9ad4be6b6ac98ffe0f9cdcc6', 0, 0, 0, NULL);
INSERT INTO pages VALUES (2, 1, 'after 2', NULL, 1, 2, 1, 440, '71953bfa770fb983c7ed4fe68f3c4264052bb131b24263e814656cb134642d77', 3, 12, 200, 1795168800000, 1795168800062, '4332787782537cc5ebc41b2f58861991ab557001c29ca92ebf7303ab1d17c6bd', 0, 0, 0, NULL);
INSERT INTO pages VALUES (3, 0, '', NULL, 2, 0, 2, 457, 'f64937ee66409f99083965adf127eb17a02ce79742aca29a3e33db3151d40f37', 2, 12, 200, 1795168800000, 1795168800063, '8916feb29982f94fe7b2d12b1ee63ad76034db0af7ee91ef3ce69a45dc89da58', 0, 0, 0, NULL);
INSERT INTO pages VALUES (4, 0, '', NULL, 2, 0, 2, 386, 'f0b520fb07dcdbfb6ae59a1fc6b4f34845b026785a6202fb426db8859be64055', 2, 12, 200, 1795168800000, 1795168800064, '02144b0b957dbe37a7979f3dbeee8b58f5459aac674fc3b75195f2b7935bb601', 0, 0, 0, NULL);
INSERT INTO set_aside VALUES (1, 0, 2, 'not-an-object', '"no record"');
INSERT INTO inbound_records VALUES (4294967296, '2026-11-20T10:00:00.000Z', 1795168800000, '00000000-0000-4000-8000-000000000000', 0, 10, 'client 0', 0, 200, '', 'web', 0);
INSERT INTO inbound_records VALUES (4294967297, 'yesterday', NULL, '00000000-0000-4000-8000-000000000001', NULL, NULL, 'client 1', NULL, NULL, 'it''s 😀 and é', 'app', NULL);
INSERT INTO inbound_records VALUES (4294967298, '2026-11-20T10:00:02.000Z', 1795168802000, '00000000-0000-4000-8000-000000000002', 2, 10, 'client 2', 74, 404, '', 'web', 2);
INSERT INTO inbound_records VALUES (4294967299, '2026-11-20T10:00:03.000Z', 1795168803000, '00000000-0000-4000-8000-000000000003', 0, 11, 'client 3', 11, 500, 'Timed out', 'app', 3);
INSERT INTO inbound_records VALUES (4294967300, '2026-11-20T10:00:04.000Z', 1795168804000, '00000000-0000-4000-8000-000000000004', 1, 10, 'client 4', 48, 200, '', 'web', 4);
INSERT INTO inbound_texts VALUES (4294967296, NULL, NULL, '{"text":"hello 0"}');
INSERT INTO inbound_texts VALUES (4294967297, NULL, NULL, '{"text":"hello 1"}');
INSERT INTO inbound_texts VALUES (4294967298, 'abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab', NULL, replace(hex(zeroblob(1050)), '00', 'ab'));
INSERT INTO inbound_texts VALUES (4294967299, NULL, '{"Division":[1,{"deep":null}]}', '{"text":"hello 3"}');
INSERT INTO inbound_texts VALUES (4294967300, NULL, NULL, '{"text":"hello 4"}');
INSERT INTO outbound_records VALUES (8589934592, '2026-11-20T10:00:00.000Z', 1795168800000, '00000000-0000-4000-8000-000000000000', 0, 10, 'client 0', 0, 200, '', 'web', '-1');
INSERT INTO outbound_records VALUES (8589934593, '2026-11-20T10:00:01.000Z', 1795168801000, '00000000-0000-4000-8000-000000000001', 1, 11, 'client 1', 37, 200, '', 'app', '17');
INSERT INTO outbound_records VALUES (8589934594, '2026-11-20T10:00:02.000Z', 1795168802000, '00000000-0000-4000-8000-000000000002', 2, 10, 'client 2', 74, 404, '', 'web', '5');
INSERT INTO outbound_texts VALUES (8589934592, NULL, NULL, '{"text":"hello 0"}', '{"ok":true}');
INSERT INTO outbound_texts VALUES (8589934593, NULL, NULL, '', '{"ok":true}');
INSERT INTO outbound_texts VALUES (8589934594, NULL, NULL, '{"text":"hello 2"}', '');
INSERT INTO summary_groups VALUES (3, 0, 2, 3, 'web', 200, 1204, 201.25, 71, 's-1');
INSERT INTO summary_groups VALUES (3, 1, 2, 3, '', 500, 1204, 201.25, 3, 's-1');
INSERT INTO summary_groups VALUES (4, 0, 2, 3, NULL, 200, 1204, 201.25, NULL, 's-1');
INSERT INTO summary_groups VALUES (4, 1, NULL, 3, NULL, 200, 1204, NULL, NULL, 's-1');
