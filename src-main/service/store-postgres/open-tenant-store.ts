import { setImmediate as giveWay } from 'node:timers/promises';
import type { RecordStore } from '../store/record-store.ts';
import type { TrafficBatch } from '../store/records.ts';
import { isTransientPostgresError, type PostgresPool } from './connect.ts';
import { createDayPartitions } from './day-partitions.ts';
import { createGroupCache } from './group-cache.ts';
import { openPostgresImport } from './import-records.ts';
import { createActivityReader, readNewestMs } from './read-activity.ts';
import { createDetailReader } from './read-details.ts';
import { createSummaryReader } from './read-summaries.ts';
import { createSharedState } from './shared-state.ts';
import { countRecords } from './tenants.ts';
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
