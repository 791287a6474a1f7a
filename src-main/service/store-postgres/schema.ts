/** What a tenant counts; each number is given once. */
export const COUNTERS = [
  'inbound_arrival',
  'outbound_arrival',
  'traffic_group',
  'origin',
  'session',
] as const;
export type CounterName = (typeof COUNTERS)[number];

/** How directions are written in the database. */
export const DIRECTION_NUMBERS = { inbound: 0, outbound: 1 } as const;

/**
 * Records are kept by tenant, date and arrival, the order of the reports, so a page is one range; a day is a
 * partition, and what lies far from today goes to the one for the rest. Every key begins with the tenant.
 * Texts are JSON: a text column holds neither NUL nor half a surrogate pair. References carry no foreign key:
 * the writer resolves every group in the same transaction. `session` below 0 is that of an imported record.
 */
const FIRST = `
CREATE TABLE property (
  tenant bigint NOT NULL,
  name text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (tenant, name)
);

CREATE TABLE counter (
  tenant bigint NOT NULL,
  name text NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (tenant, name)
);

CREATE TABLE traffic_group (
  tenant bigint NOT NULL,
  group_id bigint NOT NULL,
  direction smallint NOT NULL CHECK (direction IN (0, 1)),
  channel bigint NOT NULL,
  service bigint NOT NULL,
  origin_json text NOT NULL,
  response_code bigint NOT NULL,
  PRIMARY KEY (tenant, group_id)
);

CREATE TABLE origin (
  tenant bigint NOT NULL,
  origin_id bigint NOT NULL,
  name_json text NOT NULL,
  PRIMARY KEY (tenant, origin_id)
);

CREATE TABLE inbound_record (
  tenant bigint NOT NULL,
  date_ms bigint NOT NULL,
  arrival bigint NOT NULL,
  session bigint NOT NULL,
  group_id bigint NOT NULL,
  response_time_us bigint NOT NULL,
  bot_latency_ms bigint NOT NULL,
  PRIMARY KEY (tenant, date_ms, arrival)
) PARTITION BY RANGE (date_ms);
CREATE TABLE inbound_record_rest PARTITION OF inbound_record DEFAULT;

CREATE TABLE outbound_record (
  tenant bigint NOT NULL,
  date_ms bigint NOT NULL,
  arrival bigint NOT NULL,
  session bigint NOT NULL,
  group_id bigint NOT NULL,
  response_time_us bigint NOT NULL,
  action_id bigint NOT NULL,
  origin_id bigint NOT NULL,
  PRIMARY KEY (tenant, date_ms, arrival)
) PARTITION BY RANGE (date_ms);
CREATE TABLE outbound_record_rest PARTITION OF outbound_record DEFAULT;

CREATE TABLE rollup (
  tenant bigint NOT NULL,
  direction smallint NOT NULL,
  tier_ms bigint NOT NULL,
  start_ms bigint NOT NULL,
  group_id bigint NOT NULL,
  records bigint NOT NULL,
  response_time_us bigint NOT NULL,
  bot_latency_ms bigint NOT NULL,
  newest bigint[] NOT NULL,
  PRIMARY KEY (tenant, direction, tier_ms, start_ms, group_id)
);
COMMENT ON COLUMN rollup.newest IS 'date in milliseconds, arrival and session of the newest record';

CREATE TABLE record_count (
  tenant bigint NOT NULL,
  direction smallint NOT NULL,
  tier_ms bigint NOT NULL,
  start_ms bigint NOT NULL,
  records bigint NOT NULL,
  PRIMARY KEY (tenant, direction, tier_ms, start_ms)
);

CREATE TABLE import_session (
  tenant bigint NOT NULL,
  session bigint NOT NULL,
  digest bytea NOT NULL,
  id_json text NOT NULL,
  PRIMARY KEY (tenant, session)
);
CREATE INDEX import_session_digest ON import_session (tenant, digest);

CREATE TABLE imported_text (
  tenant bigint NOT NULL,
  direction smallint NOT NULL,
  arrival bigint NOT NULL,
  date_ms bigint NOT NULL,
  content_hash bigint NOT NULL,
  characters bigint NOT NULL,
  texts_json text NOT NULL,
  PRIMARY KEY (tenant, direction, arrival)
);
CREATE INDEX imported_text_content ON imported_text (tenant, direction, date_ms, content_hash);
`;

/** Not of a tenant: an address that guesses is slowed down whichever it tries. */
const REFUSALS = `
CREATE TABLE refused_address (
  address text NOT NULL PRIMARY KEY,
  times_ms_json text NOT NULL,
  last_ms bigint NOT NULL
);
COMMENT ON COLUMN refused_address.times_ms_json IS 'the last refusals of credentials, oldest first';
`;

/** Each step's statements, from version 0 on. A step that was released is never changed. */
export const MIGRATIONS: readonly string[] = [FIRST, REFUSALS];
