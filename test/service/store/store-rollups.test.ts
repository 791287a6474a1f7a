import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillStore } from '../../../src-main/service/sample/generate-history.ts';
import { toDatabasePath } from '../../../src-main/service/store-sqlite/schema.ts';
import type {
  RecordPeriod,
  RecordStore,
  TrafficBatch,
} from '../../../src-main/service/store/record-store.ts';
import { openSqliteStore } from '../../../src-main/service/store-sqlite/open-sqlite-store.ts';
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
