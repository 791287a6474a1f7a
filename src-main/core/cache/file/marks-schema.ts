/** The table of what a person noted on records: by what a record holds, so that it outlives snapshots. */
export const MARKS_SCHEMA = `
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
`;
