import type { RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import { parseQuery } from '../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../src-main/common/query/query-clock.ts';
import { writeQuery } from '../../src-main/common/query/write-query.ts';
import { toQueryText, type AddressQuery } from '../address/query-text.ts';

/** An address means the same whatever clock is shown. */
const ADDRESS_CLOCK = createQueryClock('UTC');

/** Reads the filter of an address, which is a query with times in UTC; leaves out what can't be read. */
export function fromAddress(address: AddressQuery): RecordFilter {
  return parseQuery(toQueryText(address, 'q'), ADDRESS_CLOCK).filter;
}

/** Returns what of the filter of an address can't be read; null where all of it can. */
export function findFilterFault(address: AddressQuery): string | null {
  const text = toQueryText(address, 'q');
  const { error } = parseQuery(text, ADDRESS_CLOCK);
  return error === null ? null : text.slice(error.from, error.to);
}

/** Writes a filter as the query of an address. */
export function toAddress(filter: RecordFilter): { q?: string } {
  return filter.conditions.length === 0 ? {} : { q: writeQuery(filter, ADDRESS_CLOCK) };
}
