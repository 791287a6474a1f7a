import { RECORD_TABLES, TENANT_TABLES } from './schema.ts';

/** One step of the schema; its number is its place, from 1. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

const toRecordTable = (direction: string, own: string): string => `
CREATE TABLE ${direction}_record (
  tenant bigint NOT NULL,
  date_ms bigint NOT NULL,
  arrival bigint NOT NULL,
  response_time_us bigint NOT NULL,
  session integer NOT NULL,
  group_id integer NOT NULL,
  ${own},
  content_hash bigint,
  characters integer,
  texts_json text,
  PRIMARY KEY (tenant, date_ms, arrival)
) PARTITION BY LIST (tenant);
CREATE INDEX ${direction}_record_content ON ${direction}_record (tenant, date_ms, content_hash)
  WHERE content_hash IS NOT NULL;
`;

/**
 * Records are kept by tenant, then by day, each in a partition of its own; what lies far from today goes to the
 * tenant's partition for the rest. Within one they are in the order of the reports, so a page is one range. Every key
 * begins with the tenant. Texts are JSON: a text column holds neither NUL nor half a surrogate pair. References carry
 * no foreign key: the writer resolves every group in the same transaction. `session` below 0 is that of an imported
 * record, and only such a one has a hash and texts. `cells` are the sums of `store/group-sums.ts`.
 */
const TABLES = `
CREATE TABLE tenant (
  tenant bigint PRIMARY KEY,
  added_ms bigint NOT NULL
);

CREATE TABLE property (
  tenant bigint NOT NULL,
  name text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (tenant, name)
);

CREATE TABLE counter (
  tenant bigint NOT NULL,
  name text NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (tenant, name)
);

CREATE TABLE traffic_group (
  tenant bigint NOT NULL,
  group_id integer NOT NULL,
  direction smallint NOT NULL CHECK (direction IN (0, 1)),
  channel bigint NOT NULL,
  service bigint NOT NULL,
  origin_json text NOT NULL,
  response_code bigint,
  PRIMARY KEY (tenant, group_id)
);

CREATE TABLE origin (
  tenant bigint NOT NULL,
  origin_id integer NOT NULL,
  name_json text NOT NULL,
  PRIMARY KEY (tenant, origin_id)
);
${toRecordTable('inbound', 'bot_latency_ms integer NOT NULL')}
${toRecordTable('outbound', 'action_id integer NOT NULL, origin_id integer NOT NULL')}
CREATE TABLE rollup (
  tenant bigint NOT NULL,
  direction smallint NOT NULL,
  tier_ms bigint NOT NULL,
  start_ms bigint NOT NULL,
  fresh smallint NOT NULL CHECK (fresh IN (0, 1)),
  cells bytea NOT NULL,
  PRIMARY KEY (tenant, direction, tier_ms, start_ms, fresh)
);

CREATE TABLE record_count (
  tenant bigint NOT NULL,
  direction smallint NOT NULL,
  tier_ms bigint NOT NULL,
  start_ms bigint NOT NULL,
  records bigint NOT NULL,
  PRIMARY KEY (tenant, direction, tier_ms, start_ms)
);

CREATE TABLE import_session (
  tenant bigint NOT NULL,
  session integer NOT NULL,
  digest bytea NOT NULL,
  id_json text NOT NULL,
  PRIMARY KEY (tenant, session)
);
CREATE INDEX import_session_digest ON import_session (tenant, digest);
`;

/**
 * A role that may only serve has partitions made for it, of the tenant that it works for. The owner of the tables is
 * not bound by the policies: who migrates and administers sees every tenant.
 */
const WALLS = `
CREATE FUNCTION add_day_partition(direction text, of_tenant bigint, day bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  parent text := format('%s_record_t%s', direction, of_tenant);
  name text := parent || '_' || to_char(to_timestamp(day * 86400) AT TIME ZONE 'UTC', 'YYYYMMDD');
BEGIN
  IF direction NOT IN ('inbound', 'outbound')
    OR of_tenant IS DISTINCT FROM current_setting('channelscope.tenant', true)::bigint THEN
    RAISE insufficient_privilege USING MESSAGE = 'Partitions are made for the tenant of the transaction only';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext(name));
  IF to_regclass(quote_ident(name)) IS NULL THEN
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)',
      name, parent, day * 86400000, (day + 1) * 86400000);
  END IF;
END
$$;
REVOKE ALL ON FUNCTION add_day_partition(text, bigint, bigint) FROM PUBLIC;
${[...TENANT_TABLES, ...RECORD_TABLES]
  .map(
    (table) => `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ${table}
  USING (tenant = (SELECT current_setting('channelscope.tenant', true)::bigint));`,
  )
  .join('')}
`;

/**
 * By tenant, so that one tenant's callers don't slow down another's from the same address. Not under row-level
 * security: an address that guesses at many tenants is slowed down for all of them, also for tenants that don't
 * exist. Counts last for a minute only.
 */
const REFUSALS = `
CREATE TABLE refused_address (
  address text NOT NULL,
  tenant bigint NOT NULL,
  times_ms_json text NOT NULL,
  last_ms bigint NOT NULL,
  PRIMARY KEY (address, tenant)
);
COMMENT ON COLUMN refused_address.times_ms_json IS 'the last refusals of credentials, oldest first';
`;

/** Each step leads from the version that is its place. A step that was released is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'tables, partitions, row-level security and refused credentials',
    sql: `${TABLES}${WALLS}${REFUSALS}`,
  },
];
