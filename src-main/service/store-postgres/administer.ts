import { DIRECTIONS, type Direction } from '../../common/reporting/reports.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { addCells, createGroupSums, packCells, ROLLUP_TIERS_MS } from '../store/group-sums.ts';
import {
  connectPostgres,
  toDatabaseError,
  type PostgresConnection,
  type PostgresPool,
  type Queryable,
} from './connect.ts';
import { checkVersion, DIRECTION_NUMBERS, migrate, type MigrationResult } from './schema.ts';
import { listTenants } from './tenants.ts';

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
