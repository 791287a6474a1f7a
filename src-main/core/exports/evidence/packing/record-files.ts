/** The forms that the records of a pack have. */
export const RECORD_FILES = [
  { path: 'records.csv', format: 'csv' },
  { path: 'records.ndjson', format: 'ndjson' },
] as const;
