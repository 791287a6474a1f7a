import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retainInDatabase } from '../../../src-main/service/store-postgres/tenants.ts';
import { openPostgresStore } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import type {
  RecordStore,
  ImportedRecord,
  NewInboundRecord,
} from '../../../src-main/service/store/record-store.ts';
import { makeImported } from '../../support/service/make-imported.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 22, 12);
const ALWAYS = { fromMs: 0, toMs: 10 ** 13 };

describe.skipIf(findPostgres() === undefined)('days of a database', () => {
  let server: PostgresServer;
  let store: RecordStore;
  beforeAll(async () => {
    server = await startPostgres();
    await server.migrate('kept');
    store = await openPostgresStore(
      { url: server.url, schema: 'kept', tenant: 1 },
      { now: () => NOW_MS, reportError: () => undefined },
    );
  });
  afterAll(async () => {
    await store.close();
    await server.stop();
  });
  const toRecord = (dateMs: number): NewInboundRecord => ({
    dateMs,
    session: 1,
    channel: 1 + (dateMs % 3),
    service: 2,
    origin: 'web',
    responseCode: 200,
    responseTimeUs: 1000,
    botLatencyMs: 5,
  });
  const readTotals = async (period: {
    fromMs: number;
    toMs: number;
  }): Promise<readonly [number, number, number]> => {
    const { records, total } = await store.readDetailPage('inbound', {
      ...period,
      after: null,
      limit: 10_000,
    });
    const groups = await store.readSummary('inbound', period);
    return [records.length, total, groups.reduce((sum, each) => sum + each.records, 0)];
  };

  it('a page reads the partitions of its days only', async () => {
    const dates = Array.from({ length: 40 }, (_, day) => NOW_MS - day * DAY_MS);
    await store.writeBatch({ inbound: dates.map(toRecord), outbound: [] });
    const plan = await server.read(
      `EXPLAIN SELECT * FROM kept.inbound_record WHERE tenant = 1
       AND date_ms >= ${NOW_MS - 3 * DAY_MS} AND date_ms < ${NOW_MS - DAY_MS} ORDER BY date_ms, arrival LIMIT 10`,
    );
    const touched = [...plan.matchAll(/on (inbound_record\w*)/g)].map(([, name]) => name);
    expect(touched).toEqual(['19', '20', '21'].map((day) => `inbound_record_t1_202611${day}`));
  });

  it('are dropped once they are older than what is kept, and sums agree with what is left', async () => {
    const far = NOW_MS - 1_000 * DAY_MS;
    await store.writeBatch({ inbound: [far, far + 1].map(toRecord), outbound: [] });
    const before = await readTotals(ALWAYS);
    const results: unknown[] = [];
    // In the middle of a rollup of eight days.
    const place = { url: server.url, schema: 'kept' };
    await retainInDatabase(place, { cutoffMs: NOW_MS - 10 * DAY_MS, only: null }, (result) =>
      results.push(result),
    );
    expect(results).toEqual([{ tenant: 1, removedRecords: before[1] - 11 }]);
    expect(await readTotals(ALWAYS)).toEqual([11, 11, 11]);
    for (const days of [5, 9, 11, 30])
      expect(new Set(await readTotals({ fromMs: NOW_MS - days * DAY_MS - 5, toMs: NOW_MS + 1 })).size).toBe(
        1,
      );
    const tables = await server.read("SELECT tablename FROM pg_tables WHERE schemaname = 'kept'");
    expect(tables).toContain('inbound_record_t1_20261112');
    expect(tables).not.toContain('inbound_record_t1_20261111');
    await store.writeBatch({ inbound: [toRecord(NOW_MS - 9 * DAY_MS)], outbound: [] });
    expect(await readTotals(ALWAYS)).toEqual([12, 12, 12]);
  });

  it('take sessions, groups and origins with them that no record names any more, also while others write', async () => {
    const toImported = (dateMs: number, name: string, direction: 'inbound' | 'outbound'): ImportedRecord =>
      makeImported({
        direction,
        dateMs,
        sessionId: `session of ${name}`,
        channel: 77,
        responseCode: null,
        origin: `origin of ${name}`,
        contentHash: dateMs % 1000,
      });
    const addAll = async (to: RecordStore, dateMs: number, name: string): Promise<void> => {
      const target = await to.openImport(null);
      await target.addBatch(
        (['inbound', 'outbound'] as const).map((direction) => toImported(dateMs, name, direction)),
      );
      await target.close();
    };
    const read = async (table: string, column: string): Promise<string[]> =>
      (await server.read(`SELECT ${column} FROM kept.${table} WHERE ${column} LIKE '%of %'`))
        .split('\n')
        .filter((line) => line !== '')
        .toSorted();
    const place = { url: server.url, schema: 'kept' };
    const other = await openPostgresStore(
      { ...place, tenant: 1 },
      { now: () => NOW_MS, reportError: () => undefined },
    );
    await addAll(other, NOW_MS - 5 * DAY_MS, 'the old');
    await addAll(other, NOW_MS - DAY_MS, 'the new');
    await addAll(other, NOW_MS - 5 * DAY_MS, 'both');
    await addAll(other, NOW_MS - DAY_MS, 'both');
    await retainInDatabase(place, { cutoffMs: NOW_MS - 3 * DAY_MS, only: null }, () => undefined);
    const kept = (of: string): string[] => [`"${of} of both"`, `"${of} of the new"`];
    expect(await read('import_session', 'id_json')).toEqual(kept('session'));
    expect(await read('origin', 'name_json')).toEqual(kept('origin'));
    expect(await read('traffic_group', 'origin_json')).toEqual(kept('origin'));
    // A process that knows them from before adds them anew.
    await addAll(other, NOW_MS, 'the old');
    for (const reader of [store, other]) {
      for (const direction of ['inbound', 'outbound'] as const) {
        const { records } = await reader.readDetailPage(direction, {
          fromMs: NOW_MS,
          toMs: NOW_MS + 1,
          after: null,
          limit: 10,
        });
        expect(records.filter(({ channel }) => channel === 77)).toMatchObject([
          { origin: 'origin of the old', responseCode: null, texts: { sessionId: 'session of the old' } },
        ]);
      }
    }
    const [group] = (await store.readSummary('inbound', { fromMs: NOW_MS, toMs: NOW_MS + 1 })).filter(
      ({ channel }) => channel === 77,
    );
    expect(group).toMatchObject({ responseCode: null, records: 1, newestSession: 'session of the old' });
    await other.close();
  });
});
