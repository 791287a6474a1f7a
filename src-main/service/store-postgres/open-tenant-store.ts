import { setImmediate as giveWay } from 'node:timers/promises';
import type { GroupTotals, RecordPeriod, RecordStore } from '../store/record-store.ts';
import type { TrafficBatch } from '../store/records.ts';
import { isTransientPostgresError, type PostgresPool, type Queryable } from './connect.ts';
import { createDayPartitions } from './day-partitions.ts';
import { createGroupCache, type GroupCache } from './group-cache.ts';
import { openPostgresImport } from './import-records.ts';
import { createActivityReader, readNewestMs } from './read-activity.ts';
import { createDetailReader } from './read-details.ts';
import { createSharedState } from './shared-state.ts';
import { countRecords } from './tenants.ts';
import { createRecordWriter, NO_DATES } from './write-records.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import { addToSums, createGroupSums, forEachGroup, type GroupSums } from '../store/group-sums.ts';
import { addCells } from '../store/rollup-cells.ts';
import { selectParts, toPeriodValues } from './period-parts.ts';
import { DIRECTION_NUMBERS } from './schema.ts';

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
export function readProperties(pool: PostgresPool, tenant: number): Promise<Properties> {
  return pool.read(async (source) =>
    Object.fromEntries(
      await source.query<[string, string]>('SELECT name, value FROM property WHERE tenant = $1', [tenant]),
    ),
  );
}

/** Opens the store of a tenant that exists, on shared connections, which it leaves open. */
export async function openTenantStore(
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
