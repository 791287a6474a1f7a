import { toErrorText } from '../../node/error-text.ts';
import { toStartError } from '../start-error.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { TrafficBatch } from '../store/records.ts';
import { AppError } from '../../common/contract/errors.ts';
import { connectPostgres, isTransientPostgresError } from './connect.ts';
import { createDayPartitions } from './day-partitions.ts';
import { createGroupCache } from './group-cache.ts';
import { openPostgresImport } from './import-records.ts';
import { migrate } from './migrate.ts';
import { createActivityReader } from './read-activity.ts';
import { createDetailReader } from './read-details.ts';
import { createSummaryReader } from './read-summaries.ts';
import { createSharedState } from './shared-state.ts';
import { createRecordWriter, NO_DATES } from './write-records.ts';

export interface PostgresPlace {
  /** Address of the database; what it leaves out comes from the usual PG… variables. */
  readonly url: string;
  /** Letters, digits and underscores; made where it is missing. */
  readonly schema: string;
  /** Only its records are read and written. */
  readonly tenant: number;
}

const NEWEST_SQL = 'SELECT date_ms FROM inbound_record WHERE tenant = $1 ORDER BY date_ms DESC LIMIT 1';
const SIZE_SQL = `
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'm')`;

/**
 * Opens a tenant's store in a PostgreSQL database, and brings its schema up to date first. Several processes may have
 * the same one open: writers of a tenant take turns. Throws AppError `local-service.start-failed`.
 */
export async function openPostgresStore(
  { url, schema, tenant }: PostgresPlace,
  { now, reportError }: { readonly now: () => number; readonly reportError: (error: unknown) => void },
): Promise<RecordStore> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw toStartError(`"${schema}" can't be the name of a schema.`);
  const pool = connectPostgres(url, schema, reportError);
  const groups = createGroupCache(tenant);
  const partitions = createDayPartitions(pool, now, reportError);
  const writer = createRecordWriter(pool, tenant, { groups, partitions });
  try {
    await migrate(pool, schema);
    await writer.prepare();
  } catch (error) {
    await pool.close();
    if (error instanceof AppError) throw error;
    throw toStartError(`The database can't be used: ${toErrorText(error)}`, error);
  }

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
    writeBatches: async (batches) => {
      for (const batch of batches) await writeBatch(batch);
    },
    openImport: (isSame) => openPostgresImport({ pool, tenant, groups, writer }, isSame),
    readProperties: async () =>
      Object.fromEntries(
        await pool.query<[string, string]>('SELECT name, value FROM property WHERE tenant = $1', [tenant]),
      ),
    writeProperties: (values) => writer.transact(NO_DATES, ({ setProperties }) => setProperties(values)),
    readSize: async () => {
      const counters = new Map(
        await pool.query<[string, number]>('SELECT name, value FROM counter WHERE tenant = $1', [tenant]),
      );
      const [size] = await pool.query<[number]>(SIZE_SQL, [schema]);
      return {
        inboundRecords: counters.get('inbound_arrival') ?? 0,
        outboundRecords: counters.get('outbound_arrival') ?? 0,
        bytes: size?.[0] ?? 0,
      };
    },
    readNewestMs: async () => {
      const [row] = await pool.query<[number]>(NEWEST_SQL, [tenant]);
      return row?.[0] ?? null;
    },
    shared: createSharedState(pool, tenant, writer),
    isTransientError: isTransientPostgresError,
    close: pool.close,
  };
}
