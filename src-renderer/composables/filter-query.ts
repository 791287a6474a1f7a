import type { LocationQuery, LocationQueryRaw } from 'vue-router';
import type { RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import { parseQuery } from '../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../src-main/common/query/query-clock.ts';
import { writeQuery } from '../../src-main/common/query/write-query.ts';

/** An address means the same whatever clock is shown. */
const ADDRESS_CLOCK = createQueryClock('UTC');

type QueryValue = string | null | undefined | readonly (string | null)[];
type Address = Readonly<Record<string, QueryValue>>;

/** Reads the filter of an address, which is a query with times in UTC; leaves out what can't be read. */
export function fromAddress(address: Address): RecordFilter {
  return parseQuery(toQueryText(address, 'q'), ADDRESS_CLOCK).filter;
}

/** Returns what of the filter of an address can't be read; null where all of it can. */
export function findFilterFault(address: Address): string | null {
  const text = toQueryText(address, 'q');
  const { error } = parseQuery(text, ADDRESS_CLOCK);
  return error === null ? null : text.slice(error.from, error.to);
}

/** Returns a part of an address as it stands there, the first of several; '' where it is missing. */
export function toQueryText(address: Address, name: string): string {
  const value = address[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** Puts another part in the place of the one that an address has; '' takes it out. */
export function withQueryText(address: LocationQuery, name: string, text: string): LocationQueryRaw {
  return { ...address, [name]: text === '' ? undefined : text };
}

/** Writes a filter as the query of an address. */
export function toAddress(filter: RecordFilter): { q?: string } {
  return filter.conditions.length === 0 ? {} : { q: writeQuery(filter, ADDRESS_CLOCK) };
}
