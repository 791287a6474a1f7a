import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fillStore } from '../../../src-main/service/sample/fill-store.ts';
import { openRecordStore, type RecordStore } from '../../../src-main/service/store/record-store.ts';

const END_MS = Date.UTC(2026, 10, 20, 12);
// Days of several parts each.
const REQUEST = { tenant: 1001, records: 18_000, days: 2, seed: 4, nowMs: END_MS };

describe('the first fill of the store', () => {
  const folders: string[] = [];
  const stores: RecordStore[] = [];
  const open = async (): Promise<RecordStore> => {
    const folder = await mkdtemp(join(tmpdir(), 'fill-'));
    folders.push(folder);
    const store = openRecordStore(folder);
    stores.push(store);
    return store;
  };
  afterEach(async () => {
    for (const store of stores.splice(0)) store.close();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });

  const readAll = (store: RecordStore): unknown[] => [
    store.details.readInbound({ dateMs: 0, arrival: 0 }, END_MS, 100_000),
    store.details.readOutbound({ dateMs: 0, arrival: 0 }, END_MS, 100_000),
    store.summaries.read('inbound', 0, END_MS),
    store.summaries.read('outbound', 0, END_MS),
    store.properties.getCounter('session'),
  ];

  it('cut short within a day ends with the same records, however often', async () => {
    const whole = await open();
    fillStore(whole, REQUEST);
    const store = await open();
    const writeBatch = store.writer.writeBatch.bind(store.writer);
    let starts = 0;
    for (let isFilled = false; !isFilled; starts += 1) {
      let batches = 0;
      store.writer.writeBatch = (batch) => {
        writeBatch(batch);
        batches += 1;
        if (batches === 2) throw new Error('The power went');
      };
      try {
        fillStore(store, REQUEST);
        isFilled = true;
      } catch (error) {
        expect(error).toMatchObject({ message: 'The power went' });
      }
    }
    expect(starts).toBeGreaterThanOrEqual(5);
    expect(readAll(store)).toEqual(readAll(whole));
    expect(store.counter.count('inbound', 0, END_MS)).toBe(REQUEST.records);
  });
});
