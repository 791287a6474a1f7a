import type { RecordFilter } from '../../src-main/common/model/record-filter.ts';
import { parseQuery } from '../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../src-main/common/query/query-clock.ts';
import { writeQuery } from '../../src-main/common/query/write-query.ts';

/** An address means the same whatever clock is shown. */
const ADDRESS_CLOCK = createQueryClock('UTC');

type QueryValue = string | null | undefined | readonly (string | null)[];

/** Reads the filter of an address, which is a query with times in UTC; leaves out what can't be read. */
export function fromAddress(address: { readonly q?: QueryValue }): RecordFilter {
  return parseQuery(toQueryText(address), ADDRESS_CLOCK).filter;
}

/** Returns the query of an address as it stands there. */
export function toQueryText({ q }: { readonly q?: QueryValue }): string {
  return typeof q === 'string' ? q : (q?.[0] ?? '');
}

/** Writes a filter as the query of an address. */
export function toAddress(filter: RecordFilter): { q?: string } {
  return filter.conditions.length === 0 ? {} : { q: writeQuery(filter, ADDRESS_CLOCK) };
}
