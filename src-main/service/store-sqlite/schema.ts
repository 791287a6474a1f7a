/** "CSsv": distinguishes the service's database from any other SQLite file. */
export const APPLICATION_ID = 0x43537376;
export const SCHEMA_VERSION = 1;

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
export const SCHEMA_SQL = `
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
