import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillStore } from '../../../src-main/service/sample/fill-store.ts';
import { toDatabasePath } from '../../../src-main/service/store-sqlite/open-database.ts';
import type { RecordPeriod, RecordStore } from '../../../src-main/service/store/record-store.ts';
import { openSqliteStore } from '../../../src-main/service/store-sqlite/open-sqlite-store.ts';
import type { TrafficBatch } from '../../../src-main/service/store/records.ts';
import { findRollupFaults } from '../../support/service/check-rollups.ts';

const END_MS = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;

describe('the rollups of the store', () => {
  const folders: string[] = [];
  const createFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'rollups-'));
    folders.push(folder);
    return folder;
  };
  let folder: string;
  beforeEach(async () => {
    folder = await createFolder();
  });
  afterEach(async () => {
    for (const each of folders.splice(0)) await rm(each, { recursive: true, force: true, maxRetries: 5 });
  });

  const change = (work: (db: Database.Database) => void): void => {
    const db = new Database(toDatabasePath(folder));
    try {
      work(db);
    } finally {
      db.close();
    }
  };
  const expectAgreement = (): void => {
    change((db) => {
      expect(findRollupFaults(db)).toEqual([]);
    });
  };

  it('agree with the records whatever the order and the spread of what is written', async () => {
    const record = fc.record({
      // Some close together, some far apart, on edges of rollups, and long before the others.
      dateMs: fc.oneof(
        fc.integer({ min: END_MS - 1000, max: END_MS }),
        fc.integer({ min: END_MS - 30 * DAY_MS, max: END_MS }),
        fc.integer({ min: -3, max: 3 }).map((steps) => END_MS + steps * 300_000),
        fc.integer({ min: -DAY_MS, max: DAY_MS }),
      ),
      session: fc.integer({ min: -50, max: 50 }),
      channel: fc.integer({ min: 1, max: 12 }),
      service: fc.integer({ min: 0, max: 12 }),
      origin: fc.constantFrom('web', '', 'ios|200'),
      responseCode: fc.constantFrom(200, 500, -1),
      responseTimeUs: fc.integer({ min: 0, max: 2 ** 40 }),
    });
    const batch = fc.record({
      inbound: fc.array(fc.record({ botLatencyMs: fc.nat(), rest: record }), { maxLength: 120 }),
      outbound: fc.array(record, { maxLength: 120 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 5 }), async (batches) => {
        folder = await createFolder();
        const store = openSqliteStore(folder);
        for (const { inbound, outbound } of batches) {
          await store.writeBatch({
            inbound: inbound.map(({ rest, botLatencyMs }) => ({ ...rest, botLatencyMs })),
            outbound: outbound.map((each) => ({ ...each, actionId: -1 })),
          } satisfies TrafficBatch);
        }
        const count = batches.reduce((sum, each) => sum + each.inbound.length, 0);
        const period = { fromMs: -2 * DAY_MS, toMs: END_MS + DAY_MS };
        expect(await countInbound(store, period)).toBe(count);
        await store.close();
        expectAgreement();
      }),
      { numRuns: 20 },
    );
  });

  it('are packed when a store of version 2 is opened, and nothing else changes', async () => {
    const store = openSqliteStore(folder);
    await fillStore(store, { tenant: 1001, records: 3000, days: 20, seed: 4, nowMs: END_MS });
    const period = { fromMs: END_MS - 9 * DAY_MS + 5, toMs: END_MS };
    const readSorted = async (of: RecordStore): Promise<unknown[]> =>
      (await of.readSummary('inbound', period)).toSorted((a, b) => a.groupId - b.groupId);
    const before = await readSorted(store);
    const properties = await store.readProperties();
    await store.close();
    change(makeVersion2);
    const upgraded = openSqliteStore(folder);
    expect(await readSorted(upgraded)).toEqual(before);
    expect(await countInbound(upgraded, { fromMs: 0, toMs: END_MS })).toBe(3000);
    expect(await upgraded.readProperties()).toEqual({ ...properties, live_until_ms: String(END_MS) });
    await upgraded.close();
    expectAgreement();
  });

  it('are found at fault when one record more or less is in them', async () => {
    const store = openSqliteStore(folder);
    await fillStore(store, { tenant: 1001, records: 50, days: 1, seed: 4, nowMs: END_MS });
    await store.close();
    change((db) => db.exec('DELETE FROM inbound_record WHERE arrival = 7'));
    change((db) => {
      expect(findRollupFaults(db)).toHaveLength(4);
    });
  });
});

async function countInbound(store: RecordStore, period: RecordPeriod): Promise<number> {
  return (await store.readDetailPage('inbound', { ...period, after: null, limit: 0 })).total;
}

/** A row for each group of a rollup, in three sizes; where sample traffic goes on is kept as counters. */
function makeVersion2(db: Database.Database): void {
  db.exec(`DROP TABLE rollup; DELETE FROM record_count; PRAGMA user_version = 2;
    INSERT INTO counter SELECT 'session', value FROM property WHERE name = 'next_session';
    INSERT INTO counter SELECT 'newest_ms', value - 1 FROM property WHERE name = 'live_until_ms';
    DELETE FROM property WHERE name IN ('next_session', 'live_until_ms');
    CREATE TABLE rollup (
      direction INTEGER NOT NULL, tier_ms INTEGER NOT NULL, start_ms INTEGER NOT NULL, group_id INTEGER NOT NULL,
      records INTEGER NOT NULL, response_time_us INTEGER NOT NULL, bot_latency_ms INTEGER NOT NULL,
      newest_ms INTEGER NOT NULL, newest_arrival INTEGER NOT NULL, newest_session INTEGER NOT NULL,
      PRIMARY KEY (direction, tier_ms, start_ms, group_id)
    ) STRICT, WITHOUT ROWID`);
  for (const tierMs of [300_000, 3_600_000, DAY_MS]) {
    for (const [direction, table, latency] of [
      [0, 'inbound_record', 'bot_latency_ms'],
      [1, 'outbound_record', '0'],
    ] as const) {
      const startMs = `date_ms / ${tierMs} * ${tierMs}`;
      // The bare columns of a query with one max() are those of the row that holds it.
      db.exec(`INSERT INTO rollup
        SELECT ${direction}, ${tierMs}, ${startMs}, group_id, count(*), sum(response_time_us), sum(${latency}),
          date_ms, arrival, session FROM ${table}
        GROUP BY ${startMs}, group_id HAVING max(date_ms * 1000000 + arrival)`);
      db.exec(`INSERT INTO record_count
        SELECT ${direction}, ${tierMs}, ${startMs}, count(*) FROM ${table} GROUP BY ${startMs}`);
    }
  }
}
