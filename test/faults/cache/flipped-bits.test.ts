import { copyFile, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatusSample } from '../../../src-main/common/model/connections/status.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
} from '../../integration/cache/cache-fixture.ts';

/** CACHE_BIT_FLIPS asks for more than the continuous checks try. */
const FLIPS = Number(process.env['CACHE_BIT_FLIPS'] ?? 4);
const PAGE_BYTES = 4_096;
const HEADER_BYTES = 100;
const RECORDS = 900;
const PAGE_RECORDS = 100;
const SAMPLE: StatusSample = {
  connectionId: 'one',
  checkedAtMs: FROM_MS,
  roundTripMs: 20,
  platform: 'up',
  connector: 'up',
  internalResponseTimeMs: 5,
  sessions: 3,
  traffic: [],
  trafficText: '',
  failure: null,
};

/** Bits of the header by which another number or another way of reading follows. */
const FIELDS: readonly (readonly [name: string, byte: number, bit: number])[] = [
  ['the magic text', 3, 1],
  ['the page size', 16, 5],
  ['the version for writing', 18, 0],
  ['the version for reading', 19, 0],
  ['the reserved space', 20, 4],
  ['a payload fraction', 22, 3],
  ['the number of pages', 30, 0],
  ['the first free page', 34, 2],
  ['the schema format', 47, 1],
  ['the largest root page', 55, 2],
  ['the encoding', 59, 1],
  ['the schema version, as a later one', 63, 2],
  ['the schema version, as none', 63, 0],
  ['incremental vacuum', 67, 0],
  ['the mark of the application', 70, 3],
  ['the kind of the first page', 100, 1],
  ['the number of entries in the list of tables', 104, 0],
  ['a place in the first page', 113, 1],
];

describe('a cache with a flipped bit', () => {
  let model: Awaited<ReturnType<typeof createFolder>>;
  const folders: Awaited<ReturnType<typeof createFolder>>[] = [];
  beforeAll(async () => {
    model = await createFolder();
    const cache = await openTestCache(model.file);
    const documents = Array.from({ length: RECORDS }, (_, index) => createDocument(index));
    await fillSnapshot(cache, documents, {}, PAGE_RECORDS);
    await cache.addStatusSample(SAMPLE);
    await cache.changeMarks({
      records: [{ snapshotId: 1, seq: 3 }],
      change: { mark: 'star', note: 'kept' },
      nowMs: FROM_MS,
    });
    await cache.close();
  });
  afterAll(async () => {
    for (const { folder } of [model, ...folders]) await rm(folder, { recursive: true, force: true });
  });

  /** What is there after a start with that bit flipped, and whether the cache said that something was wrong. */
  const openFlipped = async (at: number, bit: number) => {
    const place = await createFolder();
    folders.push(place);
    await copyFile(model.file, place.file);
    const file = await open(place.file, 'r+');
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, at);
    await file.write(Buffer.from([byte[0]! ^ (1 << bit)]), 0, 1, at);
    await file.close();
    const cache = await openTestCache(place.file);
    try {
      const opened = cache.readState();
      if (opened.putAside !== null) {
        await expect.poll(() => cache.readState().salvaged, { timeout: 30_000 }).not.toBeNull();
      }
      const [snapshot] = await cache.listSnapshots('one');
      const { putAside, salvaged } = cache.readState();
      const damaged = putAside === null ? null : join(putAside.folder, 'cache.sqlite');
      if (damaged !== null) expect((await stat(damaged)).size).toBe((await stat(model.file)).size);
      return { snapshot, putAside, salvaged, folder: dirname(place.file), file: place.file };
    } finally {
      await cache.close();
    }
  };
  const countMarks = (file: string): number[] => {
    const database = new Database(file, { readonly: true });
    try {
      return ['record_marks', 'status_samples'].map((table) =>
        Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()),
      );
    } finally {
      database.close();
    }
  };

  it.each(FIELDS)('loses nothing where it is in %s', async (_name, byte, bit) => {
    const { snapshot, file } = await openFlipped(byte, bit);
    expect(snapshot).toMatchObject({ state: 'complete', recordCount: RECORDS });
    expect(countMarks(file)).toEqual([1, 1]);
  });

  it(
    `loses nothing at ${FLIPS} places of the header and the list of tables`,
    async () => {
      const random = createRandom(FLIPS);
      for (let flip = 0; flip < FLIPS; flip += 1) {
        const at = Math.floor(random() * (flip % 2 === 0 ? HEADER_BYTES : PAGE_BYTES));
        const bit = Math.floor(random() * 8);
        const { snapshot, file, folder } = await openFlipped(at, bit);
        const place = `bit ${bit} of byte ${at}`;
        expect([place, snapshot?.recordCount, ...countMarks(file)]).toEqual([place, RECORDS, 1, 1]);
        await rm(folder, { recursive: true, force: true });
      }
    },
    60_000 + FLIPS * 10_000,
  );

  it(
    `says what is lost at ${FLIPS} places anywhere`,
    async () => {
      const random = createRandom(FLIPS + 1);
      const { size } = await stat(model.file);
      for (let flip = 0; flip < FLIPS; flip += 1) {
        const at = Math.floor(random() * size);
        const bit = Math.floor(random() * 8);
        const { snapshot, putAside, salvaged, folder } = await openFlipped(at, bit);
        const left = snapshot?.recordCount ?? 0;
        const place = `bit ${bit} of byte ${at}: ${left} records`;
        if (left < RECORDS) {
          expect([place, putAside === null]).toEqual([place, false]);
          expect([place, snapshot?.state ?? 'gone']).not.toEqual([place, 'complete']);
          expect([place, salvaged?.records]).toEqual([place, left]);
        }
        await rm(folder, { recursive: true, force: true });
      }
    },
    60_000 + FLIPS * 10_000,
  );
});
