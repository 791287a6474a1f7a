/**
 * What imported records say beyond numbers; sample records derive their texts instead. An imported session
 * is written with its number negated, which is how a record is known to be imported. `hash` leaves out
 * payload and response, so that a file without them is compared with what it has.
 */
export const IMPORT_SCHEMA_SQL = `
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
