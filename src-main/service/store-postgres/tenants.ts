import { DAY_MS } from '../../common/time/durations.ts';
import { toStartError } from '../service-options.ts';
import type { Activity, ActivityQuery, TenantRecords } from '../store/record-store.ts';
import { isPermissionError, type PostgresPool, type Queryable } from './connect.ts';
import { COUNTERS, DIRECTION_NUMBERS, RECORD_TABLES, TENANT_TABLES } from './schema.ts';

/** Names the lock under which one process at a time makes or removes a tenant. */
const LOCK = 0x43537474;

const COUNT_SQL = `
SELECT direction, sum(records) FROM record_count
WHERE tenant = $1 AND tier_ms = (SELECT max(tier_ms) FROM record_count WHERE tenant = $1) GROUP BY direction`;
const FIND_SQL = 'SELECT 1 FROM tenant WHERE tenant = $1';

/** When each tenant was added, in milliseconds, by its number. A role that serves may read these too. */
export async function readAddedMs(pool: PostgresPool): Promise<ReadonlyMap<number, number>> {
  return new Map(
    await pool.read((connection) =>
      connection.query<[number, number]>('SELECT tenant, added_ms FROM tenant'),
    ),
  );
}

/** Every tenant of the database, in ascending order. */
export async function listTenants(pool: PostgresPool): Promise<number[]> {
  return [...(await readAddedMs(pool)).keys()].toSorted((a, b) => a - b);
}

/** Records of a tenant by direction, as they are counted with each one that is added. */
export async function countRecords(
  source: Queryable,
  tenant: number,
): Promise<Pick<TenantRecords, 'inboundRecords' | 'outboundRecords'>> {
  const counts = new Map(await source.query<[number, number]>(COUNT_SQL, [tenant]));
  return {
    inboundRecords: counts.get(DIRECTION_NUMBERS.inbound) ?? 0,
    outboundRecords: counts.get(DIRECTION_NUMBERS.outbound) ?? 0,
  };
}

/** Counts a tenant's records, and reads the date of its newest one, from its own rows only. */
export function readTenantRecords(pool: PostgresPool, tenant: number): Promise<TenantRecords> {
  return pool.forTenant(tenant).read(async (source) => ({
    tenant,
    ...(await countRecords(source, tenant)),
    newestMs: await readNewestMs(source, tenant),
  }));
}

/** True for a tenant that was added and not removed. */
export async function hasTenant(pool: PostgresPool, tenant: number): Promise<boolean> {
  const rows = await pool.read((connection) => connection.query(FIND_SQL, [tenant]));
  return rows.length > 0;
}

/**
 * Makes a tenant with its partitions for the rest and its counters; false when it is there already. Throws AppError
 * `local-service.start-failed` for a role that may not.
 */
export async function addTenant(pool: PostgresPool, tenant: number, nowMs: number): Promise<boolean> {
  try {
    return await pool.forTenant(tenant).transact(async (connection) => {
      await connection.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      const known = await connection.query(FIND_SQL, [tenant]);
      if (known.length > 0) return false;
      await connection.query('INSERT INTO tenant VALUES ($1, $2)', [tenant, nowMs]);
      await connection.query(
        'INSERT INTO counter SELECT $1, name, 0 FROM unnest($2::text[]) AS given (name)',
        [tenant, [...COUNTERS]],
      );
      for (const table of RECORD_TABLES) await addPartitions(connection, table, tenant);
      return true;
    });
  } catch (error) {
    if (!isPermissionError(error)) throw error;
    throw toStartError(
      `The database has no tenant ${tenant}, and this role may not add one: run "tenant add ${tenant}" as their owner.`,
      error,
    );
  }
}

async function addPartitions(connection: Queryable, table: string, tenant: number): Promise<void> {
  const own = `${table}_t${tenant}`;
  await connection.query(
    `CREATE TABLE ${own} PARTITION OF ${table} FOR VALUES IN (${tenant}) PARTITION BY RANGE (date_ms)`,
  );
  await connection.query(`CREATE TABLE ${own}_rest PARTITION OF ${own} DEFAULT`);
}

/** Removes a tenant with everything of it; false when there is none. */
export function removeTenant(pool: PostgresPool, tenant: number): Promise<boolean> {
  return pool.forTenant(tenant).transact(async (connection) => {
    await connection.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const known = await connection.query('DELETE FROM tenant WHERE tenant = $1 RETURNING tenant', [tenant]);
    if (known.length === 0) return false;
    // Who writes for it ends first, and finds no counters afterwards.
    await connection.query('SELECT 1 FROM counter WHERE tenant = $1 FOR UPDATE', [tenant]);
    for (const table of RECORD_TABLES) await connection.query(`DROP TABLE IF EXISTS ${table}_t${tenant}`);
    for (const table of TENANT_TABLES)
      await connection.query(`DELETE FROM ${table} WHERE tenant = $1`, [tenant]);
    return true;
  });
}

type SessionRow = readonly [channel: number, service: number, sessions: number];

const SESSIONS_SQL = `
SELECT g.channel, g.service, count(DISTINCT r.session)
FROM inbound_record r JOIN traffic_group g ON g.tenant = $1 AND g.group_id = r.group_id
WHERE r.tenant = $1 AND r.date_ms >= $2 AND r.date_ms < $3
GROUP BY g.channel, g.service ORDER BY g.channel, g.service`;
const HEALTH_SQL = `
SELECT count(*), count(*) FILTER (WHERE g.response_code = 503)
FROM inbound_record r JOIN traffic_group g ON g.tenant = $1 AND g.group_id = r.group_id
WHERE r.tenant = $1 AND r.date_ms >= $2 AND r.date_ms < $3`;
const NEWEST_DAYS_SQL = `
SELECT start_ms, records FROM record_count
WHERE tenant = $1 AND direction = ${DIRECTION_NUMBERS.inbound} AND tier_ms = ${DAY_MS}
ORDER BY start_ms DESC LIMIT $2`;
const NEWEST_SQL =
  'SELECT max(date_ms) FROM inbound_record WHERE tenant = $1 AND date_ms >= $2 AND date_ms < $3';
const TIMES_SQL = `
SELECT avg(response_time_us) FROM (
  SELECT response_time_us FROM inbound_record
  WHERE tenant = $1 AND date_ms >= $2 AND date_ms < $3 ORDER BY date_ms DESC, arrival DESC LIMIT $4
) newest`;

/** Date of the newest inbound record; null while there is none. */
export async function readNewestMs(source: Queryable, tenant: number): Promise<number | null> {
  const [day] = await source.query<[number, number]>(NEWEST_DAYS_SQL, [tenant, 1]);
  if (day === undefined) return null;
  const [row] = await source.query<[number | null]>(NEWEST_SQL, [tenant, day[0], day[0] + DAY_MS]);
  return row?.[0] ?? null;
}

/** Reads what the tenant status is made from. */
export function createActivityReader(
  pool: PostgresPool,
  tenant: number,
): (query: ActivityQuery) => Promise<Activity> {
  /** Only the days that hold the newest records are looked at. */
  const averageNewest = async (source: Queryable, timedRecords: number): Promise<number | null> => {
    const days = await source.query<[number, number]>(NEWEST_DAYS_SQL, [tenant, timedRecords]);
    const [newest] = days;
    if (newest === undefined) return null;
    let fromMs = newest[0];
    let found = 0;
    for (const [startMs, records] of days) {
      if (found >= timedRecords) break;
      fromMs = startMs;
      found += records;
    }
    const values = [tenant, fromMs, newest[0] + DAY_MS, timedRecords];
    const [row] = await source.query<[number | null]>(TIMES_SQL, values);
    return row?.[0] ?? null;
  };
  return ({ sessionsFromMs, healthFromMs, toMs, timedRecords }) =>
    pool.read(async (source) => {
      const sessions = await source.query<SessionRow>(SESSIONS_SQL, [tenant, sessionsFromMs, toMs]);
      const [health] = await source.query<[number, number]>(HEALTH_SQL, [tenant, healthFromMs, toMs]);
      return {
        sessions: sessions.map(([channel, service, count]) => ({ channel, service, sessions: count })),
        records: health?.[0] ?? 0,
        unavailable: health?.[1] ?? 0,
        averageResponseTimeUs: await averageNewest(source, timedRecords),
      };
    });
}
