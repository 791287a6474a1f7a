import { type Direction, DIRECTIONS } from '../../common/reporting/reports.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { toStartError } from '../service-options.ts';
import { isLockError, isTransientPostgresError, type PostgresPool, type Queryable } from './connect.ts';

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
const SERVING_RIGHTS: Readonly<Record<string, string>> = {
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

/** One step of the schema; its number is its place, from 1. */
interface Migration {
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
const MIGRATIONS: readonly Migration[] = [
  {
    name: 'tables, partitions, row-level security and refused credentials',
    sql: `${TABLES}${WALLS}${REFUSALS}`,
  },
];

/** Names the lock under which one process at a time changes the schema. */
const LOCK = 0x43537376;

export interface MigrationResult {
  readonly fromVersion: number;
  readonly toVersion: number;
}

/**
 * Brings the schema up to this version, one transaction for all steps that are missing; processes that do so at once
 * wait for the first. `servingRole` is given the rights to serve, and no other. Throws AppError
 * `local-service.start-failed` for a schema of a newer version.
 */
export function migrate(
  pool: PostgresPool,
  schema: string,
  servingRole: string | null = null,
): Promise<MigrationResult> {
  return pool.transact(async (connection) => {
    await connection.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const known = await connection.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    if (known.length === 0) await connection.query(`CREATE SCHEMA "${schema}"`);
    const fromVersion = await readVersion(connection, schema);
    if (fromVersion === null)
      await connection.query('CREATE TABLE schema_version (version integer NOT NULL)');
    refuseNewer(fromVersion ?? 0);
    for (const { sql } of MIGRATIONS.slice(fromVersion ?? 0)) await connection.query(sql);
    await connection.query('DELETE FROM schema_version');
    await connection.query('INSERT INTO schema_version VALUES ($1)', [MIGRATIONS.length]);
    if (servingRole !== null) await grantServing(connection, schema, servingRole);
    return { fromVersion: fromVersion ?? 0, toVersion: MIGRATIONS.length };
  });
}

/** Throws AppError `local-service.start-failed` unless the schema is of this version. */
export async function checkVersion(pool: PostgresPool, schema: string): Promise<void> {
  const version = await pool.read((connection) => readVersion(connection, schema));
  refuseNewer(version ?? 0);
  if (version === MIGRATIONS.length) return;
  const found = version === null ? 'has no tables of this service' : `is of schema ${version}`;
  throw toStartError(`The database ${found}; run it once with --migrate, as a role that may make them.`);
}

function refuseNewer(version: number): void {
  if (version > MIGRATIONS.length)
    throw toStartError(`The database was written by a newer version of this service (schema ${version}).`);
}

async function readVersion(connection: Queryable, schema: string): Promise<number | null> {
  const [table] = await connection.query<[string | null]>('SELECT to_regclass($1)::text', [
    `"${schema}".schema_version`,
  ]);
  if ((table?.[0] ?? null) === null) return null;
  const [row] = await connection.query<[number]>('SELECT version FROM schema_version');
  return row?.[0] ?? 0;
}

async function grantServing(connection: Queryable, schema: string, role: string): Promise<void> {
  const [row] = await connection.query<[string]>('SELECT quote_ident($1)', [role]);
  const name = row?.[0] ?? '';
  await connection.query(`GRANT USAGE ON SCHEMA "${schema}" TO ${name}`);
  for (const [table, rights] of Object.entries(SERVING_RIGHTS))
    await connection.query(`GRANT ${rights} ON ${table} TO ${name}`);
  await connection.query(`GRANT EXECUTE ON FUNCTION add_day_partition(text, bigint, bigint) TO ${name}`);
}

/** Days for which a partition is made; records of others share one. */
const PAST_DAYS = 400;
const FUTURE_DAYS = 2;
/** A backup holds the tables for as long as it takes; records are written meanwhile. */
const RETRY_LOCKED_MS = 60_000;

/** Makes the partitions that a tenant's records go to. Which one a record lies in changes no answer, only what a read touches. */
export interface DayPartitions {
  /**
   * Waits until each day of the dates has its partition, or can't have one of its own for now. Makes those of today and
   * the days ahead too: one can't be made any more once the rest holds records of its day. Rejects where the database is
   * away, as records written then would end up there.
   */
  ensure(direction: Direction, datesMs: Iterable<number>): Promise<void>;
}

/** Makes the partitions of a tenant's days before records of them are written. */
export function createDayPartitions(
  pool: PostgresPool,
  tenant: number,
  { now, reportError }: { readonly now: () => number; readonly reportError: (error: unknown) => void },
): DayPartitions {
  const known: Readonly<Record<Direction, Set<number>>> = { inbound: new Set(), outbound: new Set() };
  let lookedAheadOn = -Infinity;
  let lockedUntilMs = -Infinity;
  const create = async (direction: Direction, day: number): Promise<void> => {
    if (known[direction].has(day) || now() < lockedUntilMs) return;
    try {
      await pool.transact((connection) =>
        connection.query('SELECT add_day_partition($1, $2, $3)', [direction, tenant, day]),
      );
    } catch (error) {
      if (isLockError(error)) lockedUntilMs = now() + RETRY_LOCKED_MS;
      else if (isTransientPostgresError(error)) throw error;
      // Without the right to make one, or with records of that day in the rest, that is where they go.
      reportError(error);
      if (isLockError(error)) return;
    }
    known[direction].add(day);
  };
  return {
    ensure: async (direction, datesMs) => {
      const today = Math.floor(now() / DAY_MS);
      if (lookedAheadOn < today) {
        // What couldn't be made for want of a right is tried again each day.
        for (const each of DIRECTIONS) known[each].clear();
        lookedAheadOn = today;
      }
      for (const each of DIRECTIONS) {
        for (let day = today; day <= today + FUTURE_DAYS; day += 1) await create(each, day);
      }
      const days = new Set<number>();
      for (const dateMs of datesMs) days.add(Math.floor(dateMs / DAY_MS));
      for (const day of days) {
        if (day >= today - PAST_DAYS && day <= today + FUTURE_DAYS) await create(direction, day);
      }
    },
  };
}
