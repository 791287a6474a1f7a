import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { fillStore } from '../../../src-main/service/sample/generate-history.ts';
import type { RecordStore } from '../../../src-main/service/store/record-store.ts';
import { openSqliteStore } from '../../../src-main/service/store-sqlite/open-sqlite-store.ts';

const END_MS = Date.UTC(2026, 10, 20, 12);
// Days of several parts each.
const REQUEST = { tenant: 1001, records: 18_000, days: 2, seed: 4, nowMs: END_MS };
const PERIOD = { fromMs: 0, toMs: END_MS };

describe('the first fill of the store', () => {
  const folders: string[] = [];
  const stores: RecordStore[] = [];
  const open = async (): Promise<RecordStore> => {
    const folder = await mkdtemp(join(tmpdir(), 'fill-'));
    folders.push(folder);
    const store = openSqliteStore(folder);
    stores.push(store);
    return store;
  };
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** A store that ends each fill with an error after so many batches. */
  const failAfter = (store: RecordStore, batches: number): RecordStore => ({
    ...store,
    writeBatches: (all) =>
      store.writeBatches(
        (function* () {
          let written = 0;
          for (const batch of all) {
            if (written === batches) throw new Error('The power went');
            yield batch;
            written += 1;
          }
        })(),
      ),
  });
  const readGroups = async (store: RecordStore, direction: Direction): Promise<unknown[]> =>
    (await store.readSummary(direction, PERIOD)).toSorted((a, b) => a.groupId - b.groupId);
  const readAll = async (store: RecordStore): Promise<unknown[]> => {
    const query = { ...PERIOD, after: null, limit: 100_000 };
    return [
      await store.readDetailPage('inbound', query),
      await store.readDetailPage('outbound', query),
      await readGroups(store, 'inbound'),
      await readGroups(store, 'outbound'),
      await store.readProperties(),
    ];
  };

  it('cut short within a day ends with the same records, however often', async () => {
    const whole = await open();
    await fillStore(whole, REQUEST);
    const store = await open();
    let starts = 0;
    for (let isFilled = false; !isFilled; starts += 1) {
      try {
        await fillStore(failAfter(store, 2), REQUEST);
        isFilled = true;
      } catch (error) {
        expect(error).toMatchObject({ message: 'The power went' });
      }
    }
    // Six parts, two at a time.
    expect(starts).toBeGreaterThanOrEqual(3);
    expect(await readAll(store)).toEqual(await readAll(whole));
    expect(await readAll(store)).toMatchObject([{ total: REQUEST.records }, {}, {}, {}, {}]);
  });

  it('goes on with the plan that it began with, whatever is asked later', async () => {
    const store = await open();
    await expect(fillStore(failAfter(store, 1), REQUEST)).rejects.toThrow('The power went');
    expect(await fillStore(store, { ...REQUEST, seed: 99, nowMs: END_MS + 3_600_000 })).toBe(REQUEST.seed);
    const whole = await open();
    await fillStore(whole, REQUEST);
    expect(await readAll(store)).toEqual(await readAll(whole));
  });
});
