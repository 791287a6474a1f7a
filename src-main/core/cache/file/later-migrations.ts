import { ADD_CLEANING } from './cleaning-schema.ts';
import { ADD_FOLLOWING } from '../following/following-schema.ts';
import { ADD_IMPORTED } from '../imports/imported-schema.ts';
import { MARKS_SCHEMA } from './marks-schema.ts';
import { ADD_READING } from './reading-schema.ts';

/** The steps of the schema that add to it only. */
export const LATER_MIGRATIONS = [
  { version: 7, sql: MARKS_SCHEMA },
  { version: 8, sql: ADD_READING },
  // Which report a download asks for, as its address: it must not change on the way.
  { version: 9, sql: "ALTER TABLE downloads ADD COLUMN report_identifier TEXT NOT NULL DEFAULT ''" },
  // Where the first request of a download begins: filling a gap asks for the second before it, too.
  { version: 10, sql: "ALTER TABLE downloads ADD COLUMN asked_start TEXT NOT NULL DEFAULT ''" },
  { version: 11, sql: ADD_CLEANING },
  // What of a status is none of its fields, as JSON; null for nothing.
  { version: 12, sql: 'ALTER TABLE status_samples ADD COLUMN extra TEXT' },
  // What a history is made of, side by side: with their traffic, samples of a month fill hundreds of megabytes.
  {
    version: 13,
    sql: `
DROP INDEX status_samples_by_time;
CREATE INDEX status_points ON status_samples
  (connection_id, checked_at_ms, sample_id, platform, connector, internal_response_time_ms, failure)`,
  },
  { version: 14, sql: ADD_FOLLOWING },
  { version: 15, sql: ADD_IMPORTED },
] as const;
