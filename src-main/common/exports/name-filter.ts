import type { RecordFilter } from '../model/records/record-filter.ts';
import { createQueryClock } from '../query/query-clock.ts';
import { writeQuery } from '../query/write-query.ts';

const MAX_CHARACTERS = 60;

/** Returns a part of a file's name that tells what it was filtered by, dates in the zone; empty without a filter. */
export function nameFilter(filter: RecordFilter | undefined, zone: string): string {
  if (filter === undefined || filter.conditions.length === 0) return '';
  const words = writeQuery(filter, createQueryClock(zone)).replace(/[^\p{L}\p{N}]+/gu, '-');
  return `_filtered_${words.slice(0, MAX_CHARACTERS).toWellFormed()}`.replace(/-+$/, '');
}
