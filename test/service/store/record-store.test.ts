import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillStore } from '../../../src-main/service/sample/fill-store.ts';
import { openRecordStore, type RecordStore } from '../../../src-main/service/store/record-store.ts';

const END_MS = Date.UTC(2026, 10, 20, 12);
const REQUEST = { tenant: 1001, records: 900, days: 5, seed: 4, nowMs: END_MS };
const DAY_MS = 86_400_000;

describe('the store of the service', () => {
  const folders: string[] = [];
  let store: RecordStore;
  const open = async (): Promise<RecordStore> => {
    const folder = await mkdtemp(join(tmpdir(), 'store-'));
    folders.push(folder);
    return openRecordStore(folder);
  };
  beforeEach(async () => {
    store = await open();
  });
  afterEach(async () => {
    store.close();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });

  const readAll = (of: RecordStore): unknown[] => [
    of.details.readInbound({ dateMs: 0, arrival: 0 }, END_MS + DAY_MS, 100_000),
    of.details.readOutbound({ dateMs: 0, arrival: 0 }, END_MS + DAY_MS, 100_000),
    of.summaries.read('inbound', 0, END_MS + DAY_MS),
  ];

  it('continues a history that was cut short and ends with the same records', async () => {
    const writeBatch = store.writer.writeBatch.bind(store.writer);
    let batches = 0;
    store.writer.writeBatch = (batch) => {
      batches += 1;
      writeBatch(batch);
      if (batches === 3) throw new Error('The power went');
    };
    expect(() => fillStore(store, REQUEST)).toThrow('The power went');
    store.writer.writeBatch = writeBatch;
    fillStore(store, { ...REQUEST, seed: 99, nowMs: END_MS + 3_600_000 });
    const other = await open();
    try {
      fillStore(other, REQUEST);
      expect(readAll(store)).toEqual(readAll(other));
    } finally {
      other.close();
    }
  });

  it('takes records that are older than what it holds, and the newest session stays the newest', () => {
    const record = {
      channel: 1,
      service: 1,
      origin: 'web',
      responseCode: 200,
      responseTimeUs: 1500,
      botLatencyMs: 10,
    };
    const write = (dateMs: number, session: number): void => {
      store.writer.writeBatch({
        inbound: [{ ...record, dateMs, session }],
        outbound: [],
        nextSession: session + 1,
      });
    };
    write(END_MS + 5000, 1);
    write(END_MS + 5000, 2);
    write(END_MS + 1000, 3);
    const dayMs = Math.floor(END_MS / DAY_MS) * DAY_MS;
    for (const [fromMs, toMs] of [
      [dayMs, dayMs + DAY_MS],
      [END_MS, END_MS + 6000],
    ] as const) {
      expect(store.summaries.read('inbound', fromMs, toMs)).toMatchObject([
        { records: 3, responseTimeUs: 4500, botLatencyMs: 30, newestSession: 2 },
      ]);
    }
  });

  it('forgets a new group when the batch that brought it is rolled back', () => {
    const record = {
      session: 1,
      channel: 9,
      service: 9,
      origin: 'web',
      responseCode: 200,
      responseTimeUs: 1,
      botLatencyMs: 1,
    };
    const broken = { ...record, dateMs: 1.5 };
    const batch = { inbound: [broken], outbound: [], nextSession: 2 };
    expect(() => store.writer.writeBatch(batch)).toThrow();
    store.writer.writeBatch({ ...batch, inbound: [{ ...record, dateMs: END_MS }] });
    const [row] = store.details.readInbound({ dateMs: 0, arrival: 0 }, END_MS + 1, 10);
    expect(store.groups.getGroup(row!.groupId)).toMatchObject({ channel: 9, service: 9 });
    expect(row!.arrival).toBe(1);
  });
});
