import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CacheState } from '../../../src-main/common/model/cache/snapshot.ts';
import { toRecordId } from '../../../src-main/common/model/records/record.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { openFile } from '../../../src-main/core/cache/file/open-file.ts';
import type { ChildProcess } from '../../../src-main/node/fork-process.ts';
import { toCacheError } from '../../../src-main/core/cache/file/open-database.ts';
import { createWriter } from '../../../src-main/core/cache/threads/writer-operations.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  openTestEngine,
  toBody,
  toNewSnapshot,
  toPage,
} from '../../integration/cache/cache-fixture.ts';
import { mountSmallDisk, resizeDisk } from '../../support/files/mount-folder.ts';
import { checkWhole } from './writer-rig.ts';

/** More seconds than records fit, one each second. */
const LONG_S = 10_000_000;
const PAGE_SIZE = 200;
const MEGABYTE = 1_048_576;
let place: Awaited<ReturnType<typeof createFolder>>;

beforeEach(async () => {
  place = await createFolder();
});
afterEach(() => place.remove());

function toPageBody(page: number): ArrayBuffer {
  const from = page * PAGE_SIZE;
  const documents = Array.from({ length: PAGE_SIZE }, (_, offset) => createDocument(from + offset));
  return toBody(documents, String(from + PAGE_SIZE), 100_000_000);
}
const toCursor = (page: number): string => (page === 0 ? '' : String(page * PAGE_SIZE));

/** Stores pages until one fails; returns how many are stored, and the failure. */
async function fillUp(cache: Cache, id: number, from: number): Promise<{ pages: number; failure: unknown }> {
  for (let page = from; page < 2000; page += 1) {
    try {
      await cache.storePage(toPage(id, toCursor(page)), toPageBody(page)).stored;
    } catch (failure) {
      return { pages: page, failure };
    }
  }
  throw new Error('The disk never got full.');
}

test('T-6: on a full disk what is stored can be read, and once there is room the download goes on to the end', async (context) => {
  const unmount = mountSmallDisk(place.folder, 5 * MEGABYTE);
  if (unmount === null) return context.skip('no small file system can be mounted here');
  try {
    const cache = await openTestCache(place.file);
    const states: CacheState[] = [];
    cache.watchState((state) => states.push(state));
    const { id } = await cache.createSnapshot(toNewSnapshot({}, LONG_S));
    const { pages, failure } = await fillUp(cache, id, 0);
    expect(failure).toMatchObject({ code: 'cache.disk-full' });
    expect(pages).toBeGreaterThan(3);
    expect(states.at(-1)).toMatchObject({ mode: 'out-of-space', lowSpace: true });

    // Reads go on; trying again without room changes nothing.
    expect(await cache.getSnapshot(id)).toMatchObject({ pageCount: pages, recordCount: pages * PAGE_SIZE });
    const ids = Array.from({ length: 5 }, (_, seq) => toRecordId(id, seq));
    expect(await cache.readRows({ report: 'inbound-detail', ids })).toHaveLength(5);
    expect(await cache.retry()).toMatchObject({ mode: 'out-of-space' });
    expect((await fillUp(cache, id, pages)).failure).toMatchObject({ code: 'cache.disk-full' });

    expect(resizeDisk(place.folder, 96 * MEGABYTE)).toBe(true);
    expect(await cache.retry()).toMatchObject({ mode: 'ready', lowSpace: true });
    for (let page = pages; page < pages + 10; page += 1) {
      await cache.storePage(toPage(id, toCursor(page)), toPageBody(page)).stored;
    }
    await cache.close();
    expect(await checkWhole(place.file, PAGE_SIZE)).toBe(pages + 10);
  } finally {
    unmount();
  }
});

test('T-6: a disk that is full when the application starts is reported, and harms nothing', async (context) => {
  const unmount = mountSmallDisk(place.folder, 2 * MEGABYTE);
  if (unmount === null) return context.skip('no small file system can be mounted here');
  try {
    const cache = await openTestCache(place.file);
    const { id } = await cache.createSnapshot(toNewSnapshot({}, LONG_S));
    await cache.storePage(toPage(id, ''), toPageBody(0)).stored;
    await cache.close();
    const ballast = join(place.folder, 'ballast');
    await writeFile(ballast, Buffer.alloc(4 * MEGABYTE)).catch(() => undefined);
    await expect(openTestCache(place.file)).rejects.toMatchObject({ code: 'cache.disk-full' });
    await rm(ballast);
    const again = await openTestCache(place.file);
    expect(await again.getSnapshot(id)).toMatchObject({ recordCount: PAGE_SIZE });
    await again.close();
  } finally {
    unmount();
  }
});

test('T-6: a database that may not grow refuses whole pages, and takes them once it may', async () => {
  const opened = openFile(place.file, 1);
  const writer = createWriter(opened, place.file, true);
  const { signal } = new AbortController();
  const context = { signal, pause: () => Promise.resolve(), progress: () => undefined };
  const { id } = writer.operations.createSnapshot(toNewSnapshot({}, LONG_S));
  const store = (page: number) =>
    writer.operations.storePage({ page: toPage(id, toCursor(page)), bytes: toPageBody(page) }, context);
  opened.database.pragma('max_page_count = 150');
  let pages = 0;
  let failure: unknown = null;
  while (failure === null) {
    try {
      store(pages);
      pages += 1;
    } catch (error) {
      failure = toCacheError(error);
    }
  }
  expect(failure).toMatchObject({ code: 'cache.disk-full', details: { sqlite: 'SQLITE_FULL' } });
  expect(opened.database.inTransaction).toBe(false);
  const reader = new Database(place.file, { readonly: true });
  expect(reader.prepare('SELECT count(*) FROM inbound_records').pluck().get()).toBe(pages * PAGE_SIZE);
  reader.close();
  opened.database.pragma('max_page_count = 100000');
  for (let page = pages; page < pages + 5; page += 1) store(page);
  writer.close(false);
  expect(await checkWhole(place.file, PAGE_SIZE)).toBe(pages + 5);
});

test('where the engine can not write, that is said; what it has is counted on, and the rest once there is room', async (context) => {
  const disk = await createFolder();
  const unmount = mountSmallDisk(disk.folder, 8 * MEGABYTE);
  if (unmount === null) return context.skip('no small file system can be mounted here');
  const cache = await openTestCache(place.file);
  const processes: ChildProcess[] = [];
  const engineFile = join(disk.folder, 'analysis.duckdb');
  const engine = openTestEngine(place.file, processes, undefined, { engineFile });
  try {
    const many = Array.from({ length: 500 }, (_, index) => createDocument(index));
    const first = { snapshotId: await fillSnapshot(cache, many) };
    const count = async (scope: { snapshotId: number }): Promise<number> =>
      (await engine.summarise(scope)).reduce((total, group) => total + group.count, 0);
    expect(await count(first)).toBe(500);
    const filler = join(disk.folder, 'filler');
    await expect(writeFile(filler, Buffer.alloc(16 * MEGABYTE))).rejects.toMatchObject({ code: 'ENOSPC' });
    const payload = (index: number): string => createHash('sha512').update(String(index)).digest('hex');
    const long = many.map((document, index) => ({ ...document, Payload: payload(index).repeat(40) }));
    const second = { snapshotId: await fillSnapshot(cache, long, { startedAtMs: FROM_MS + 1 }) };
    for (let round = 0; round < 4; round += 1) {
      await expect(count(second)).rejects.toMatchObject({ code: 'cache.disk-full' });
      expect(await count(first)).toBe(500);
    }
    expect(processes).toHaveLength(1);
    await engine.restart();
    expect(await count(first)).toBe(500);
    await expect(count(second)).rejects.toMatchObject({ code: 'cache.disk-full' });
    await rm(filler);
    expect(await count(second)).toBe(500);
  } finally {
    await engine.close();
    await cache.close();
    unmount();
    await disk.remove();
  }
});
