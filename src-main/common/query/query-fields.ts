import type { FilterField } from '../model/records/record-filter.ts';
import { listFields, type Direction } from '../reporting/reports.ts';

/** What values a field takes in a query. */
export type QueryKind = 'code' | 'whole' | 'number' | 'text' | 'date';

/** A field as a query names it. */
export interface QueryField {
  readonly keyword: string;
  readonly field: FilterField;
  readonly kind: QueryKind;
  /** True where `keyword:value` looks for a part of the text rather than for all of it. */
  readonly findsParts: boolean;
}

const field = (keyword: string, name: FilterField, kind: QueryKind, findsParts = false): QueryField => ({
  keyword,
  field: name,
  kind,
  findsParts,
});

/** Every field that a query can name, in the order in which they are offered. */
export const QUERY_FIELDS: readonly QueryField[] = [
  field('outcome', 'outcome', 'text'),
  field('code', 'responseCode', 'code'),
  field('channel', 'channel', 'whole'),
  field('service', 'service', 'whole'),
  field('origin', 'origin', 'text'),
  field('client', 'client', 'text'),
  field('error', 'error', 'text', true),
  field('family', 'errorFamily', 'text'),
  field('responsetime', 'responseTimeMs', 'number'),
  field('botlatency', 'botLatencyMs', 'number'),
  field('action', 'actionId', 'text'),
  field('payload', 'payload', 'text', true),
  field('response', 'response', 'text', true),
  field('session', 'sessionId', 'text'),
  field('date', 'dateMs', 'date'),
  field('mark', 'mark', 'text'),
  field('note', 'note', 'text', true),
];

/** Returns the fields of a report's records that a query can name, in the order in which they are offered. */
export function listQueryFields(direction: Direction): readonly QueryField[] {
  const present = new Set<string>(listFields(`${direction}-detail`).map(([name]) => name));
  return QUERY_FIELDS.filter(
    ({ field }) => OWN_FIELDS.has(field) || present.has(DERIVED_FROM[field] ?? field),
  );
}

/** Fields that records of any report have here, though no service sends them. */
const OWN_FIELDS: ReadonlySet<FilterField> = new Set(['outcome', 'mark', 'note']);

/** Fields that no report has under this name, and the one that each is made from. */
const DERIVED_FROM: Partial<Record<FilterField, string>> = { dateMs: 'dateText', errorFamily: 'error' };

/** The field of a keyword, in any letter case. */
export function findQueryField(keyword: string): QueryField | null {
  return QUERY_FIELDS.find((known) => known.keyword === keyword.toLowerCase()) ?? null;
}

/** How a query names a field; null for a search anywhere, which has no name. */
export function toQueryField(field: FilterField): QueryField | null {
  return QUERY_FIELDS.find((known) => known.field === field) ?? null;
}
