/**
 * `reading` is raised whenever stored pages are read again with another result: what was derived from the rows before is
 * then old. `last_reading` says what that changed, as JSON.
 */
export const ADD_READING = `
ALTER TABLE snapshots ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshots ADD COLUMN last_reading TEXT;
`;
