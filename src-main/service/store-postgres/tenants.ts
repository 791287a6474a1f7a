import { type Direction, DIRECTIONS } from '../../common/reporting/reports.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { toStartError } from '../service-options.ts';
import { addCells, createGroupSums, packCells, ROLLUP_TIERS_MS } from '../store/group-sums.ts';
import type { Activity, ActivityQuery, TenantRecords } from '../store/record-store.ts';
import {
  connectPostgres,
  isPermissionError,
  type PostgresConnection,
  type PostgresPool,
  type Queryable,
  toDatabaseError,
} from './connect.ts';
import {
  checkVersion,
  COUNTERS,
  DIRECTION_NUMBERS,
  migrate,
  type MigrationResult,
  RECORD_TABLES,
  TENANT_TABLES,
} from './schema.ts';

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

export type DatabaseAddress = Pick<PostgresConnection, 'url' | 'schema'>;

/** Brings a database up to date, and lets a role serve from it. Throws AppError `local-service.start-failed`. */
export function migrateDatabase(
  address: DatabaseAddress,
  servingRole: string | null = null,
): Promise<MigrationResult> {
  return withDatabase(address, (pool) => migrate(pool, address.schema, servingRole));
}

/** Removes days before `cutoffMs` of every tenant, or of one; tells how many records those were, by tenant. */
export function retainInDatabase(
  address: DatabaseAddress,
  { cutoffMs, only }: { readonly cutoffMs: number; readonly only: number | null },
  onRetained: (result: { readonly tenant: number; readonly removedRecords: number }) => void,
): Promise<void> {
  return withDatabase(address, async (pool) => {
    await checkVersion(pool, address.schema);
    const tenants = await listTenants(pool);
    for (const tenant of tenants.filter((each) => only === null || each === only))
      onRetained({ tenant, removedRecords: await retainDays(pool, tenant, cutoffMs) });
  });
}

/** Runs `work` with connections of its own. What the database refuses becomes AppError `local-service.start-failed`. */
export async function withDatabase<Result>(
  { url, schema }: DatabaseAddress,
  work: (pool: PostgresPool) => Promise<Result>,
): Promise<Result> {
  // Changing a schema and dropping partitions take as long as they take.
  const pool = connectPostgres({ url, schema, statementLimitMs: 0 }, () => undefined);
  try {
    return await work(pool);
  } catch (error) {
    throw toDatabaseError(error);
  } finally {
    await pool.close();
  }
}

const DAYS_SQL = `
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = to_regclass($1) AND c.relname ~ '_[0-9]{8}$' AND c.relname < $2`;
const COUNTED_SQL = `
SELECT coalesce(sum(records), 0) FROM record_count
WHERE tenant = $1 AND direction = $2 AND tier_ms = ${DAY_MS} AND start_ms < $3`;
const PARTS_SQL = `
SELECT start_ms, cells FROM rollup
WHERE tenant = $1 AND direction = $2 AND tier_ms = ${DAY_MS} AND start_ms >= $3 AND start_ms < $4`;

const LOCK_SQL = 'SELECT 1 FROM counter WHERE tenant = $1 FOR UPDATE';

const toUnnamedSql = (table: string, names: readonly string[]): string => `
DELETE FROM ${table} t WHERE tenant = $1${names
  .map((name) => ` AND NOT EXISTS (SELECT 1 FROM ${name})`)
  .join('')} RETURNING 1`;
const toNaming = (direction: Direction, column: string, value: string): string =>
  `${direction}_record r WHERE r.tenant = $1 AND r.${column} = ${value}`;
const UNNAMED_SESSIONS_SQL = toUnnamedSql(
  'import_session',
  DIRECTIONS.map((direction) => toNaming(direction, 'session', '-t.session')),
);
const UNNAMED_GROUPS_SQL = toUnnamedSql(
  'traffic_group',
  DIRECTIONS.map((direction) => toNaming(direction, 'group_id', 't.group_id')),
);
const UNNAMED_ORIGINS_SQL = toUnnamedSql('origin', [toNaming('outbound', 'origin_id', 't.origin_id')]);

/**
 * Removes a tenant's records from before the day of `cutoffMs`, with what was summed from them, in one transaction:
 * whole days are dropped with their partition; then the sessions, groups and origins that no record names any more.
 * Returns how many records those were. Needs the rights of the tables' owner.
 */
async function retainDays(pool: PostgresPool, tenant: number, cutoffMs: number): Promise<number> {
  const fromMs = Math.floor(cutoffMs / DAY_MS) * DAY_MS;
  const own = pool.forTenant(tenant);
  const removedRecords = await own.transact(async (connection) => {
    await connection.query(LOCK_SQL, [tenant]);
    let removed = 0;
    for (const direction of DIRECTIONS) removed += await removeBefore(connection, tenant, direction, fromMs);
    return removed;
  });
  // Apart from it, as dropping a partition keeps readers waiting, and this takes longer.
  await own.transact((connection) => removeUnnamed(connection, tenant));
  return removedRecords;
}

/** Writers wait meanwhile, and then learn by the counter that what they know by heart may be gone. */
async function removeUnnamed(connection: Queryable, tenant: number): Promise<void> {
  await connection.query(LOCK_SQL, [tenant]);
  await connection.query(UNNAMED_SESSIONS_SQL, [tenant]);
  const groups = await connection.query(UNNAMED_GROUPS_SQL, [tenant]);
  const origins = await connection.query(UNNAMED_ORIGINS_SQL, [tenant]);
  if (groups.length + origins.length === 0) return;
  await connection.query("UPDATE counter SET value = value + 1 WHERE tenant = $1 AND name = 'removal'", [
    tenant,
  ]);
}

async function removeBefore(
  connection: Queryable,
  tenant: number,
  direction: Direction,
  fromMs: number,
): Promise<number> {
  const scope = [tenant, DIRECTION_NUMBERS[direction]];
  const [counted] = await connection.query<[number]>(COUNTED_SQL, [...scope, fromMs]);
  const parent = `${direction}_record_t${tenant}`;
  const firstKept = `${parent}_${new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const days = await connection.query<[string]>(DAYS_SQL, [parent, firstKept]);
  for (const [name] of days) await connection.query(`DROP TABLE "${name}"`);
  await connection.query(`DELETE FROM ${parent}_rest WHERE tenant = $1 AND date_ms < $2`, [tenant, fromMs]);
  for (const tierMs of ROLLUP_TIERS_MS) {
    const startMs = Math.floor(fromMs / tierMs) * tierMs;
    for (const table of ['rollup', 'record_count']) {
      await connection.query(
        `DELETE FROM ${table} WHERE tenant = $1 AND direction = $2 AND tier_ms = $3 AND start_ms < $4`,
        [...scope, tierMs, startMs],
      );
    }
    // A rollup that began before is summed again from the days that are left.
    if (startMs < fromMs) await sumAgain(connection, scope, { tierMs, startMs, fromMs });
  }
  return counted?.[0] ?? 0;
}

async function sumAgain(
  connection: Queryable,
  scope: readonly number[],
  { tierMs, startMs, fromMs }: { readonly tierMs: number; readonly startMs: number; readonly fromMs: number },
): Promise<void> {
  const key = [...scope, tierMs, startMs];
  const sums = createGroupSums();
  const parts = await connection.query<[number, Uint8Array]>(PARTS_SQL, [...scope, fromMs, startMs + tierMs]);
  for (const [partMs, cells] of parts) addCells(sums, cells, partMs);
  const where = 'WHERE tenant = $1 AND direction = $2 AND tier_ms = $3 AND start_ms = $4';
  await connection.query(`DELETE FROM rollup ${where}`, key);
  await connection.query(`DELETE FROM record_count ${where}`, key);
  if (sums.groupIds.length === 0) return;
  const { recordCount } = sums;
  const cells = packCells(sums, startMs);
  await connection.query('INSERT INTO rollup VALUES ($1, $2, $3, $4, 0, $5)', [
    ...key,
    Buffer.from(cells.buffer, cells.byteOffset, cells.length),
  ]);
  await connection.query('INSERT INTO record_count VALUES ($1, $2, $3, $4, $5)', [...key, recordCount]);
}
