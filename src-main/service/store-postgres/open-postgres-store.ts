import { setImmediate as giveWay } from 'node:timers/promises';
import type { Direction } from '../../common/reporting/reports.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { createGate } from '../../node/gate.ts';
import type { DatabasePlace } from '../service-options.ts';
import {
  addCells,
  addToSums,
  createGroupSums,
  forEachGroup,
  type GroupSums,
  ROLLUP_TIERS_MS,
  splitPeriod,
} from '../store/group-sums.ts';
import {
  type ConnectionCounts,
  type DetailPage,
  type DetailQuery,
  type GroupTotals,
  MAX_PAGE_CHARACTERS,
  type RecordPeriod,
  type RecordStore,
  type SharedRefusals,
  type StoredRecord,
  type TenantDirectory,
  type TenantRecords,
  type TrafficBatch,
} from '../store/record-store.ts';
import {
  connectPostgres,
  isTransientPostgresError,
  MAX_CONNECTIONS,
  type PostgresConnection,
  type PostgresPool,
  type Queryable,
  toDatabaseError,
} from './connect.ts';
import { createGroupCache, type GroupCache } from './group-cache.ts';
import { catchUpWith, openPostgresImport, type RecordRow, ROW_COLUMNS, toRecord } from './import-records.ts';
import { checkVersion, createDayPartitions, DIRECTION_NUMBERS } from './schema.ts';
import { createRefusals, createSharedState } from './shared-state.ts';
import {
  addTenant,
  countRecords,
  createActivityReader,
  hasTenant,
  listTenants,
  readAddedMs,
  readNewestMs,
  readTenantRecords,
  removeTenant,
  withDatabase,
} from './tenants.ts';
import { createRecordWriter, NO_DATES } from './write-records.ts';

export interface PostgresSurroundings {
  readonly now: () => number;
  readonly reportError: (error: unknown) => void;
}

export type Properties = Awaited<ReturnType<RecordStore['readProperties']>>;

/**
 * Records that many batches put into one transaction: a transaction for each batch would take longer than its
 * records.
 */
const BULK_RECORDS = 40_000;

const SIZE_SQL = `
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'm')`;

/** What is remembered of a tenant, by name. */
function readProperties(pool: PostgresPool, tenant: number): Promise<Properties> {
  return pool.read(async (source) =>
    Object.fromEntries(
      await source.query<[string, string]>('SELECT name, value FROM property WHERE tenant = $1', [tenant]),
    ),
  );
}

/** Opens the store of a tenant that exists, on shared connections, which it leaves open. */
async function openTenantStore(
  pool: PostgresPool,
  { schema, tenant }: { readonly schema: string; readonly tenant: number },
  surroundings: PostgresSurroundings,
): Promise<RecordStore> {
  const groups = createGroupCache(tenant);
  const partitions = createDayPartitions(pool, tenant, surroundings);
  const [row] = await pool.read((source) =>
    source.query<[boolean]>("SELECT NOT row_security_active('inbound_record')"),
  );
  const writer = createRecordWriter(pool, tenant, { groups, partitions, canCopy: row?.[0] === true });

  const writeBatch = (batch: TrafficBatch): Promise<void> => {
    const toDates = (records: readonly { readonly dateMs: number }[]) => records.map(({ dateMs }) => dateMs);
    const dates = { inbound: toDates(batch.inbound), outbound: toDates(batch.outbound) };
    return writer.transact(dates, async ({ write, setProperties }) => {
      await write('inbound', batch.inbound);
      await write('outbound', batch.outbound);
      await setProperties(batch.properties ?? {});
    });
  };
  return {
    readDetailPage: createDetailReader(pool, tenant, groups),
    readSummary: createSummaryReader(pool, tenant, groups),
    readActivity: createActivityReader(pool, tenant),
    writeBatch,
    writeBatches: (batches) => writeJoined(batches, writeBatch),
    openImport: (isSame) => openPostgresImport({ pool, tenant, groups, writer }, isSame),
    readProperties: () => readProperties(pool, tenant),
    writeProperties: (values) => writer.transact(NO_DATES, ({ setProperties }) => setProperties(values)),
    readSize: () =>
      pool.read(async (source) => {
        const counts = await countRecords(source, tenant);
        const [size] = await source.query<[number]>(SIZE_SQL, [schema]);
        return {
          ...counts,
          bytes: size?.[0] ?? 0,
        };
      }),
    readNewestMs: () => pool.read((source) => readNewestMs(source, tenant)),
    shared: createSharedState(pool, tenant, writer),
    isTransientError: isTransientPostgresError,
    close: () => Promise.resolve(),
  };
}

/** Writes batches many at a time; those before one that can't be made are written too. */
async function writeJoined(
  batches: Iterable<TrafficBatch>,
  writeBatch: (batch: TrafficBatch) => Promise<void>,
): Promise<void> {
  let joined: TrafficBatch[] = [];
  let records = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    await writing;
    const whole = joinBatches(joined);
    joined = [];
    records = 0;
    // The next ones are made meanwhile.
    writing = writeBatch(whole);
    writing.catch(() => undefined);
  };
  try {
    for (const batch of batches) {
      joined.push(batch);
      records += batch.inbound.length + batch.outbound.length;
      if (records >= BULK_RECORDS) await flush();
      await giveWay();
    }
  } finally {
    if (joined.length > 0) await flush();
    await writing;
  }
}

function joinBatches(batches: readonly TrafficBatch[]): TrafficBatch {
  return {
    inbound: batches.flatMap(({ inbound }) => inbound),
    outbound: batches.flatMap(({ outbound }) => outbound),
    properties: Object.assign({}, ...batches.map(({ properties }) => properties ?? {})) as Record<
      string,
      string
    >,
  };
}

type PackedRollup = readonly [startMs: number, cells: Uint8Array];
type SingleRecord = readonly [
  groupId: number,
  responseTimeUs: number,
  botLatencyMs: number,
  dateMs: number,
  arrival: number,
  session: number,
];

/** The edges are given one by one, so that only their partitions are planned with. */
const toEdgeSql = (direction: Direction): string => {
  const select = (from: string, to: string): string => `
SELECT group_id, response_time_us, ${direction === 'inbound' ? 'bot_latency_ms' : '0'}, date_ms, arrival, session
FROM ${direction}_record WHERE tenant = $1 AND date_ms >= ${from} AND date_ms < ${to}`;
  return `${select('$2', '$3')} UNION ALL ${select('$4', '$5')}`;
};
const toRollupSql = (direction: Direction): string =>
  selectParts('rollup', 'start_ms, cells', DIRECTION_NUMBERS[direction]);

/** A period has whole rollups of each size on both sides of its largest ones. */
const MAX_WHOLE_PARTS = 2 * ROLLUP_TIERS_MS.length - 1;

const ROLLUP_SQL = { inbound: toRollupSql('inbound'), outbound: toRollupSql('outbound') };
const EDGE_SQL = { inbound: toEdgeSql('inbound'), outbound: toEdgeSql('outbound') };

/** Sums any period up from rollups in the middle and single records at the two edges. */
function createSummaryReader(
  pool: PostgresPool,
  tenant: number,
  groups: GroupCache,
): (direction: Direction, period: RecordPeriod) => Promise<GroupTotals[]> {
  const addPeriod = async (
    source: Queryable,
    sums: GroupSums,
    direction: Direction,
    { fromMs, toMs }: RecordPeriod,
  ): Promise<void> => {
    const { rollups, edges } = toPeriodValues(fromMs, toMs);
    for (const [startMs, cells] of await source.query<PackedRollup>(ROLLUP_SQL[direction], [
      tenant,
      ...rollups,
    ]))
      addCells(sums, cells, startMs);
    for (const record of await source.query<SingleRecord>(EDGE_SQL[direction], [tenant, ...edges])) {
      const [groupId, responseTimeUs, botLatencyMs, dateMs, arrival, session] = record;
      addToSums(sums, groupId, 1, responseTimeUs, botLatencyMs, dateMs, arrival, session);
    }
  };
  const readSessions = async (
    source: Queryable,
    sessions: readonly number[],
  ): Promise<Map<number, string>> => {
    if (sessions.length === 0) return new Map();
    const rows = await source.query<[number, string]>(
      'SELECT session, id_json FROM import_session WHERE tenant = $1 AND session = ANY($2::integer[])',
      [tenant, sessions],
    );
    return new Map(rows.map(([session, json]) => [session, JSON.parse(json) as string]));
  };
  return (direction, period) =>
    pool.read(async (source) => {
      const sums = createGroupSums();
      await addPeriod(source, sums, direction, period);
      await groups.catchUp(source, sums.groupIds);
      const newest: number[] = [];
      forEachGroup(sums, ({ newestSession }) => {
        if (newestSession < 0) newest.push(-newestSession);
      });
      const sessions = await readSessions(source, newest);
      const totals: GroupTotals[] = [];
      forEachGroup(sums, ({ groupId, records, responseTimeUs, botLatencyMs, newestSession }) => {
        totals.push({
          groupId,
          ...groups.getGroup(groupId),
          records,
          responseTimeUs,
          botLatencyMs,
          newestSession: sessions.get(-newestSession) ?? newestSession,
        });
      });
      return totals;
    });
}

/** Days that a page looks at first; each further look is longer. A day is a partition, and each takes time to plan. */
const FIRST_DAYS = 1;
const MORE_TIMES = 4;
/** Texts up to here come with their record: 10,000 of them are still within MAX_PAGE_CHARACTERS. */
const SHORT_CHARACTERS = 3_000;

type PageRow = readonly [characters: number | null, textsJson: string | null, ...row: RecordRow];

/** The total of a period, and the first day with records from an instant on. */
const toTotalSql = (direction: Direction): string => {
  const number = DIRECTION_NUMBERS[direction];
  const [from, to, secondFrom, secondTo, day] = [0, 1, 2, 3, 4].map(
    (place) => `$${VALUES_AFTER_PARTS + place}`,
  );
  const countEdge = (fromMs = '', toMs = ''): string =>
    `(SELECT count(*) FROM ${direction}_record WHERE tenant = $1 AND date_ms >= ${fromMs} AND date_ms < ${toMs})`;
  return `
SELECT (SELECT coalesce(sum(records), 0) FROM (${selectParts('record_count', 'records', number)}) counted)
    + ${countEdge(from, to)} + ${countEdge(secondFrom, secondTo)},
  (
    SELECT min(start_ms) FROM record_count
    WHERE tenant = $1 AND direction = ${number} AND tier_ms = ${DAY_MS} AND start_ms >= ${day}
  )`;
};

/** The first value of a statement behind those of `selectParts`. */
const VALUES_AFTER_PARTS = 2 + 3 * MAX_WHOLE_PARTS;

const TOTAL_SQL = { inbound: toTotalSql('inbound'), outbound: toTotalSql('outbound') };

const toPageSql = (direction: Direction): string => `
SELECT r.characters, CASE WHEN r.characters <= ${SHORT_CHARACTERS} THEN r.texts_json END, ${ROW_COLUMNS[direction]}
FROM ${direction}_record r
WHERE r.tenant = $1 AND r.date_ms >= $2 AND r.date_ms < $4 AND (r.date_ms, r.arrival) > ($2, $3)
ORDER BY r.date_ms, r.arrival
LIMIT $5`;
const PAGE_SQL = { inbound: toPageSql('inbound'), outbound: toPageSql('outbound') };

const toTextsSql = (direction: Direction): string => `
SELECT arrival, texts_json FROM ${direction}_record
WHERE tenant = $1 AND date_ms >= $2 AND date_ms <= $3 AND arrival = ANY($4::bigint[])`;

/** Reads pages by position: as fast at the end of a report as at its beginning. */
function createDetailReader(
  pool: PostgresPool,
  tenant: number,
  groups: GroupCache,
): (direction: Direction, query: DetailQuery) => Promise<DetailPage> {
  /** Rows from a position on, a few days at first, until there are enough. */
  const readRows = async (
    source: Queryable,
    direction: Direction,
    { toMs, after, limit }: DetailQuery,
    startMs: number,
  ): Promise<PageRow[]> => {
    const rows: PageRow[] = [];
    let from = after !== null && after.dateMs >= startMs ? after : { dateMs: startMs, arrival: 0 };
    let days = FIRST_DAYS;
    while (from.dateMs < toMs && rows.length < limit) {
      const endMs = Math.min(toMs, (Math.floor(from.dateMs / DAY_MS) + 1 + days) * DAY_MS);
      const values = [tenant, from.dateMs, from.arrival, endMs, limit - rows.length];
      rows.push(...(await source.query<PageRow>(PAGE_SQL[direction], values)));
      from = { dateMs: endMs, arrival: 0 };
      days *= MORE_TIMES;
    }
    return rows;
  };

  return (direction, query) =>
    pool.read(async (source) => {
      const { limit } = query;
      const positionMs = query.after?.dateMs ?? query.fromMs;
      const { rollups, edges } = toPeriodValues(query.fromMs, query.toMs);
      const [found] = await source.query<[number, number | null]>(TOTAL_SQL[direction], [
        tenant,
        ...rollups,
        ...edges,
        Math.floor(positionMs / DAY_MS) * DAY_MS,
      ]);
      const [total, firstDayMs] = found ?? [0, null];
      if (firstDayMs === null) return { records: [], total, hasMore: false };
      // One more than the limit shows whether another record follows.
      const wanted = { ...query, limit: limit + 1 };
      const rows = await readRows(source, direction, wanted, Math.max(positionMs, firstDayMs));
      const kept = takePage(rows, limit);
      await catchUpWith(
        groups,
        source,
        kept.map(([, , ...row]) => row),
      );
      const texts = await readLongTexts(source, direction, kept);
      const records = kept.map(([, textsJson, ...row]): StoredRecord => {
        const [, arrival, session] = row;
        const own = textsJson ?? texts.get(arrival) ?? null;
        if (session < 0 && own === null) throw new Error(`No texts of imported record ${arrival}`);
        return toRecord(row, own, groups);
      });
      return { records, total, hasMore: kept.length < rows.length };
    });

  async function readLongTexts(
    source: Queryable,
    direction: Direction,
    rows: readonly PageRow[],
  ): Promise<Map<number, string>> {
    const long = rows.filter(([characters, textsJson]) => characters !== null && textsJson === null);
    const first = long[0];
    const last = long.at(-1);
    if (first === undefined || last === undefined) return new Map();
    return new Map(
      await source.query<[number, string]>(toTextsSql(direction), [
        tenant,
        first[2],
        last[2],
        long.map(([, , , arrival]) => arrival),
      ]),
    );
  }
}

function takePage(rows: readonly PageRow[], limit: number): PageRow[] {
  const kept: PageRow[] = [];
  let characters = 0;
  for (const row of rows) {
    if (kept.length === limit || characters >= MAX_PAGE_CHARACTERS) break;
    kept.push(row);
    characters += row[0] ?? 0;
  }
  return kept;
}

const NO_PART = { tierMs: 0, fromMs: 0, toMs: 0 };

/** A period as values of a statement. Each part is a value of its own, so that the database plans a range for each. */
interface PeriodValues {
  /** Size, first start and end of MAX_WHOLE_PARTS parts; those that aren't needed are empty. */
  readonly rollups: readonly number[];
  /** Start and end of the single records at both edges; empty where there are none. */
  readonly edges: readonly [fromMs: number, toMs: number, fromMs: number, toMs: number];
}

/** Splits [fromMs, toMs), in milliseconds since 1970, into the values of a statement. */
function toPeriodValues(fromMs: number, toMs: number): PeriodValues {
  const parts = splitPeriod(fromMs, toMs);
  const whole = parts.filter(({ tierMs }) => tierMs > 0);
  const [first = NO_PART, second = NO_PART] = parts.filter(({ tierMs }) => tierMs === 0);
  const rollups = Array.from({ length: MAX_WHOLE_PARTS }, (_, place) => whole[place] ?? NO_PART);
  return {
    rollups: rollups.flatMap((part) => [part.tierMs, part.fromMs, part.toMs]),
    edges: [first.fromMs, first.toMs, second.fromMs, second.toMs],
  };
}

/** Rows of `table` in the whole parts of a period, whose values begin at `$2`; the tenant is `$1`. */
function selectParts(table: 'rollup' | 'record_count', columns: string, direction: number): string {
  const select = (place: number): string => {
    const [tier, from, to] = [2, 3, 4].map((value) => `$${value + 3 * place}`);
    return `SELECT ${columns} FROM ${table}
WHERE tenant = $1 AND direction = ${direction} AND tier_ms = ${tier} AND start_ms >= ${from} AND start_ms < ${to}`;
  };
  return Array.from({ length: MAX_WHOLE_PARTS }, (_, place) => select(place)).join('\nUNION ALL\n');
}

/**
 * Opens one tenant's store in a PostgreSQL database that `migrate` has brought up to date; a tenant that isn't there is
 * added where the role may. Several processes may have the same one open: writers of a tenant take turns. Throws
 * AppError `local-service.start-failed`.
 */
export async function openPostgresStore(
  { tenant, ...place }: PostgresPlace & { readonly tenant: number },
  surroundings: PostgresSurroundings,
): Promise<RecordStore> {
  const database = await openPostgresDatabase(place, surroundings);
  try {
    await database.ensureTenant(tenant);
    return { ...(await database.openTenant(tenant)), close: database.close };
  } catch (error) {
    await database.close();
    throw toDatabaseError(error);
  }
}

export type PostgresPlace = Pick<PostgresConnection, 'url' | 'schema'>;

/** A database whose tenants share the connections of a process. */
export interface PostgresDatabase {
  /** When each tenant was added, in milliseconds, by its number. */
  readAddedMs(): Promise<ReadonlyMap<number, number>>;
  /** What is remembered of a tenant; nothing of one that isn't there. */
  readProperties(tenant: number): Promise<Properties>;
  /** Its `close` leaves the connections to other tenants. It uses all of them unless it is given how many. */
  openTenant(tenant: number, maxConnections?: number): Promise<RecordStore>;
  /** Makes a tenant that isn't there, where the role may. Throws AppError `local-service.start-failed`. */
  ensureTenant(tenant: number): Promise<void>;
  readonly refusals: SharedRefusals;
  /** Connections that all tenants share. */
  readonly maxConnections: number;
  countConnections(): ConnectionCounts;
  isTransientError(error: unknown): boolean;
  /** Can be called twice. */
  close(): Promise<void>;
}

/** Opens a database that `migrate` has brought up to date. Throws AppError `local-service.start-failed`. */
export async function openPostgresDatabase(
  { url, schema }: PostgresPlace,
  surroundings: PostgresSurroundings,
): Promise<PostgresDatabase> {
  const pool = connectPostgres({ url, schema }, surroundings.reportError);
  try {
    await checkVersion(pool, schema);
  } catch (error) {
    await pool.close();
    throw toDatabaseError(error);
  }
  return {
    readAddedMs: () => readAddedMs(pool),
    readProperties: (tenant) => readProperties(pool.forTenant(tenant), tenant),
    openTenant: (tenant, maxConnections) =>
      openTenantStore(
        pool.forTenant(tenant, maxConnections === undefined ? undefined : createGate(maxConnections)),
        { schema, tenant },
        surroundings,
      ),
    ensureTenant: async (tenant) => {
      if (!(await hasTenant(pool, tenant))) await addTenant(pool, tenant, surroundings.now());
    },
    refusals: createRefusals(pool),
    maxConnections: MAX_CONNECTIONS,
    countConnections: pool.countConnections,
    isTransientError: isTransientPostgresError,
    close: pool.close,
  };
}

/** The tenants of a PostgreSQL database. Adding and removing need the rights of the tables' owner. */
export function openDatabaseTenants(
  place: DatabasePlace,
  surroundings: PostgresSurroundings,
): TenantDirectory {
  const use: typeof withDatabase = (address, work) =>
    withDatabase(address, async (pool) => {
      await checkVersion(pool, place.schema);
      return work(pool);
    });
  return {
    list: () =>
      use(place, async (pool) => {
        const all: TenantRecords[] = [];
        for (const tenant of await listTenants(pool)) all.push(await readTenantRecords(pool, tenant));
        return all;
      }),
    add: (tenant) => use(place, (pool) => addTenant(pool, tenant, surroundings.now())),
    open: async (tenant) => {
      const isKnown = await use(place, (pool) => hasTenant(pool, tenant));
      return isKnown ? openPostgresStore({ ...place, tenant }, surroundings) : null;
    },
    remove: (tenant) => use(place, (pool) => removeTenant(pool, tenant)),
  };
}
