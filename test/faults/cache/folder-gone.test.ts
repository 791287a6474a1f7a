import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  toBody,
  toNewSnapshot,
  toPage,
} from '../../integration/cache/cache-fixture.ts';

const GONE = { code: 'cache.folder-gone' };
const documents = Array.from({ length: 40 }, (_, index) => createDocument(index));
let place: Awaited<ReturnType<typeof createFolder>>;
let folder: string;
let cache: Cache;

beforeEach(async () => {
  place = await createFolder();
  folder = join(place.folder, 'data');
  await mkdir(folder);
  cache = await openTestCache(join(folder, 'cache.sqlite'));
});
afterEach(async () => {
  await cache.close();
  await place.remove();
});

const readAll = async (id: number): Promise<number> => (await cache.getSnapshot(id)).recordCount;

test('a folder that is removed while the cache is open is noticed, and nothing is said to be saved any more', async () => {
  const id = await fillSnapshot(cache, documents);
  await rm(folder, { recursive: true });
  // Before anybody looked.
  await expect(cache.createSnapshot(toNewSnapshot())).rejects.toMatchObject(GONE);
  expect(cache.readState().mode).toBe('folder-gone');
  await expect(cache.storePage(toPage(id, ''), toBody(documents, '')).stored).rejects.toMatchObject(GONE);
  await expect(
    cache.annotateSnapshot({ snapshotId: id, name: 'lost', note: '', pinned: false }),
  ).rejects.toMatchObject(GONE);
  // What was cached can be read until the end.
  expect(await readAll(id)).toBe(documents.length);
  expect(await cache.retry()).toMatchObject({ mode: 'folder-gone' });
  // Another folder by its name is not the one that was removed.
  await mkdir(folder);
  await expect(cache.createSnapshot(toNewSnapshot())).rejects.toMatchObject(GONE);
  expect(await readdir(folder)).toEqual([]);
});

test('that it is gone, and back, is noticed without a call', async () => {
  const id = await fillSnapshot(cache, documents);
  const away = join(dirname(folder), 'away');
  const readMode = (): string => cache.readState().mode;
  await rename(folder, away);
  await expect.poll(readMode, { timeout: 30_000 }).toBe('folder-gone');
  await rename(away, folder);
  await expect.poll(readMode, { timeout: 30_000 }).toBe('ready');
  const next = await fillSnapshot(cache, documents);
  await cache.close();
  cache = await openTestCache(join(folder, 'cache.sqlite'));
  expect(await Promise.all([id, next].map(readAll))).toEqual([documents.length, documents.length]);
});
