/**
 * Pages from before what services send back was cleaned of secrets have `is_cleaned` 0 until they were searched;
 * those stored since then were cleaned before they came here. A connection is in `cleaned_connections` once that is
 * done.
 */
export const ADD_CLEANING = `
ALTER TABLE pages ADD COLUMN is_cleaned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX pages_to_clean ON pages (snapshot_id, page_number) WHERE is_cleaned = 0;
CREATE TABLE cleaned_connections (connection_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;
