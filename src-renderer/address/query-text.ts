import type { LocationQuery, LocationQueryRaw } from 'vue-router';

type QueryValue = string | null | undefined | readonly (string | null)[];

/** The parts of an address by their names, as the router reads them. */
export type AddressQuery = Readonly<Record<string, QueryValue>>;

/** Returns a part of an address as it stands there, the first of several; '' where it is missing. */
export function toQueryText(query: AddressQuery, name: string): string {
  const value = query[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** Puts another part in the place of the one that an address has; '' takes it out. */
export function withQueryText(query: LocationQuery, name: string, text: string): LocationQueryRaw {
  return { ...query, [name]: text === '' ? undefined : text };
}
