import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordStore, NewInboundRecord } from '../../../src-main/service/store/record-store.ts';
import { openPostgresStore } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 22);
const ALWAYS = { fromMs: 0, toMs: 10 ** 13 };

const toRecord = (dateMs: number, change: Partial<NewInboundRecord> = {}): NewInboundRecord => ({
  dateMs,
  session: 1,
  channel: 1,
  service: 2,
  origin: 'web',
  responseCode: 200,
  responseTimeUs: 1000,
  botLatencyMs: 5,
  ...change,
});

describe.skipIf(findPostgres() === undefined)('a PostgreSQL database that several processes share', () => {
  let server: PostgresServer;
  let schema = '';
  let schemas = 0;
  const errors: unknown[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    schemas += 1;
    schema = `shared_${schemas}`;
    errors.length = 0;
    await server.migrate(schema);
  });

  const open = (tenant = 1001): Promise<RecordStore> =>
    openPostgresStore(
      { url: server.url, schema, tenant },
      { now: () => NOW_MS, reportError: (error) => errors.push(error) },
    );
  const readAll = async (store: RecordStore) =>
    store.readDetailPage('inbound', { ...ALWAYS, after: null, limit: 10_000 });

  it('is migrated once by processes that do so at once, and takes each of their records once', async () => {
    await Promise.all(Array.from({ length: 6 }, () => server.migrate(`${schema}_new`)));
    const stores = await Promise.all(Array.from({ length: 6 }, () => open()));
    await Promise.all(
      stores.map(async (store, place) => {
        for (let step = 0; step < 10; step += 1) {
          const records = [0, 1, 2].map((index) =>
            // Groups of its own and shared ones, on days that others make a partition for.
            toRecord(NOW_MS - step * DAY_MS + index, {
              channel: index === 0 ? place : 99,
              session: place + 1,
            }),
          );
          await store.writeBatch({ inbound: records, outbound: [] });
        }
      }),
    );
    for (const store of stores) {
      const { records, total } = await readAll(store);
      expect(total).toBe(180);
      expect(records.map(({ arrival }) => arrival).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 180 }, (_, index) => index + 1),
      );
      const groups = await store.readSummary('inbound', ALWAYS);
      expect(
        groups.map(({ channel, records: count }) => [channel, count]).toSorted(([a = 0], [b = 0]) => a - b),
      ).toEqual([...stores.map((_store, place) => [place, 10]), [99, 120]]);
      await store.close();
    }
    expect(errors).toEqual([]);
  });

  it('gives each tenant its own records, numbers and properties', async () => {
    const [one, two] = [await open(1), await open(2)];
    await one.writeBatch({ inbound: [toRecord(NOW_MS)], outbound: [], properties: { of: 'one' } });
    await two.writeBatch({ inbound: [toRecord(NOW_MS, { origin: 'phone' })], outbound: [] });
    expect((await readAll(one)).records).toMatchObject([{ arrival: 1, origin: 'web' }]);
    expect((await readAll(two)).records).toMatchObject([{ arrival: 1, origin: 'phone' }]);
    expect(await two.readProperties()).toEqual({});
    expect(await two.readSummary('inbound', ALWAYS)).toMatchObject([{ origin: 'phone', records: 1 }]);
    await Promise.all([one.close(), two.close()]);
  });

  it('keeps tenants and days apart, days to come too, and what is far from today with the rest', async () => {
    const store = await open();
    const far = NOW_MS - 1_000 * DAY_MS;
    const dates = [far, NOW_MS - DAY_MS, NOW_MS];
    await store.writeBatch({ inbound: dates.map((dateMs) => toRecord(dateMs)), outbound: [] });
    const tables = (
      await server.read(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`)
    ).split('\n');
    const days = ['20261121', '20261122', '20261123', '20261124'];
    expect(tables).toEqual(expect.arrayContaining(days.map((day) => `inbound_record_t1001_${day}`)));
    expect(await server.read(`SELECT date_ms FROM ${schema}.inbound_record_t1001_rest`)).toBe(String(far));
    expect((await readAll(store)).total).toBe(3);
    await store.close();
  });

  it('loses nothing where no partition can be made', async () => {
    const store = await open();
    await server.run(`DROP FUNCTION ${schema}.add_day_partition`);
    await store.writeBatch({ inbound: [toRecord(NOW_MS)], outbound: [] });
    expect((await readAll(store)).total).toBe(1);
    expect(errors).not.toEqual([]);
    await store.close();
  });

  it('makes the partition of a day that could not be made while it was away', async () => {
    const store = await open();
    const write = () => store.writeBatch({ inbound: [toRecord(NOW_MS)], outbound: [] });
    const startAgain = await server.interrupt();
    await expect(write()).rejects.toThrow();
    await startAgain();
    await write();
    expect(await server.read(`SELECT count(*) FROM ${schema}.inbound_record_t1001_rest`)).toBe('0');
    expect(await server.read(`SELECT count(*) FROM ${schema}.inbound_record_t1001_20261122`)).toBe('1');
    await store.close();
  });

  it('takes records while others hold its tables, and makes the partition afterwards', async () => {
    let nowMs = NOW_MS;
    const store = await openPostgresStore(
      { url: `${server.url}&options=-c%20lock_timeout%3D200`, schema, tenant: 1001 },
      { now: () => nowMs, reportError: (error) => errors.push(error) },
    );
    await store.writeBatch({ inbound: [toRecord(NOW_MS)], outbound: [] });
    const release = await server.hold(`SELECT count(*) FROM ${schema}.inbound_record`);
    // Two days on, the day itself was made ahead.
    nowMs += 2 * DAY_MS;
    await store.writeBatch({ inbound: [toRecord(nowMs)], outbound: [] });
    await release();
    expect(errors).not.toEqual([]);
    nowMs += 120_000;
    await store.writeBatch({ inbound: [toRecord(nowMs)], outbound: [] });
    expect(await server.read(`SELECT count(*) FROM ${schema}.inbound_record_t1001_20261124`)).toBe('2');
    expect(await server.read(`SELECT count(*) FROM ${schema}.inbound_record_t1001_20261126`)).toBe('0');
    await store.close();
  });

  it('is refused when a newer version wrote it, or nothing answers at its address', async () => {
    await (await open()).close();
    await server.run(`UPDATE ${schema}.schema_version SET version = 99`);
    await expect(open()).rejects.toMatchObject({
      code: 'local-service.start-failed',
      message: /newer version/,
    });
    const nowhere = openPostgresStore(
      { url: 'postgresql://service@localhost/postgres?host=/nowhere', schema, tenant: 1 },
      { now: () => NOW_MS, reportError: () => undefined },
    );
    await expect(nowhere).rejects.toMatchObject({ code: 'local-service.start-failed' });
  });
});
