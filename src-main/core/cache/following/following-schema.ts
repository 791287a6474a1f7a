/**
 * A followed day is a snapshot with `settled_to_ms`. What its walks asked for, [from_ms, to_ms), is kept slice by slice;
 * `done_to_ms` says up to where all days of a report are settled.
 */
export const ADD_FOLLOWING = `
ALTER TABLE snapshots ADD COLUMN settled_to_ms INTEGER;
CREATE TABLE followed_slices (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots ON DELETE CASCADE,
  slice_number INTEGER NOT NULL,
  from_ms INTEGER NOT NULL,
  to_ms INTEGER NOT NULL,
  start_date TEXT NOT NULL,
  end_date TEXT NOT NULL,
  PRIMARY KEY (snapshot_id, slice_number)
) STRICT, WITHOUT ROWID;
CREATE TABLE followed_reports (
  connection_id TEXT NOT NULL,
  report TEXT NOT NULL,
  done_to_ms INTEGER NOT NULL,
  PRIMARY KEY (connection_id, report)
) STRICT, WITHOUT ROWID;
`;
