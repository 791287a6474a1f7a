/** What a tenant counts; each number is given once. */
export const COUNTERS = [
  'inbound_arrival',
  'outbound_arrival',
  'traffic_group',
  'origin',
  'session',
  // How often groups and origins were removed that no record names any more.
  'removal',
] as const;
export type CounterName = (typeof COUNTERS)[number];

/** How directions are written in the database. */
export const DIRECTION_NUMBERS = { inbound: 0, outbound: 1 } as const;

/** Tables of which every row is a tenant's, records aside; a tenant that is removed leaves them. */
export const TENANT_TABLES = [
  'property',
  'counter',
  'traffic_group',
  'origin',
  'rollup',
  'record_count',
  'import_session',
] as const;

export const RECORD_TABLES = ['inbound_record', 'outbound_record'] as const;

/** What serves needs of each table, and nothing more: records are never changed, and nothing of a tenant removed. */
export const SERVING_RIGHTS: Readonly<Record<string, string>> = {
  schema_version: 'SELECT',
  tenant: 'SELECT',
  refused_address: 'SELECT, INSERT, UPDATE, DELETE',
  property: 'SELECT, INSERT, UPDATE',
  counter: 'SELECT, UPDATE',
  traffic_group: 'SELECT, INSERT',
  origin: 'SELECT, INSERT',
  rollup: 'SELECT, INSERT, UPDATE, DELETE',
  record_count: 'SELECT, INSERT, UPDATE',
  import_session: 'SELECT, INSERT',
  inbound_record: 'SELECT, INSERT',
  outbound_record: 'SELECT, INSERT',
};
