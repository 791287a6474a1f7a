import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StatusSample } from '../../../src-main/common/model/connections/status.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { openEngineSource } from '../../../src-main/core/cache/read/engine-source.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  toOutbound,
} from '../../integration/cache/cache-fixture.ts';

const PAGE_BYTES = 4096;
const SAMPLE: StatusSample = {
  connectionId: 'one',
  checkedAtMs: FROM_MS,
  roundTripMs: 20,
  platform: 'up',
  connector: 'down',
  internalResponseTimeMs: 5,
  sessions: 3,
  traffic: [],
  trafficText: '',
  failure: null,
};
let place: Awaited<ReturnType<typeof createFolder>>;
let cache: Cache;

beforeEach(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
});
afterEach(async () => {
  await cache.close();
  await place.remove();
});

const documents = Array.from({ length: 600 }, (_, index) =>
  createDocument(index, { Payload: `${index}`.padEnd(500, 'x') }),
);

/** The number of a database page that holds the payload of a record of the middle. */
async function findPage(payload: string): Promise<number> {
  return Math.floor((await readFile(place.file)).indexOf(payload) / PAGE_BYTES);
}

async function overwritePage(page: number): Promise<void> {
  const file = await open(place.file, 'r+');
  await file.write(Buffer.alloc(PAGE_BYTES, 0xff), 0, undefined, page * PAGE_BYTES);
  await file.close();
}

test('what is whole in a damaged file is brought over: whole snapshots, whole pages, status samples', async () => {
  const sound = await fillSnapshot(cache, documents.slice(0, 50), {}, 20);
  const hurt = await fillSnapshot(cache, documents, {}, 100);
  const outbound = await fillSnapshot(cache, [toOutbound(createDocument(0), '7')], {
    report: 'outbound-detail',
  });
  await cache.annotateSnapshot({ snapshotId: sound, name: 'kept', note: 'a note', pinned: true });
  await cache.addStatusSample(SAMPLE);
  const marked = { snapshotId: sound, seq: 3 };
  await cache.changeMarks({ records: [marked], change: { mark: 'star', note: 'kept' }, nowMs: FROM_MS });
  const patterns = [{ pattern: 'No answer in <number>', family: 'No answer in <number>' }];
  const open = openEngineSource(place.file);
  await cache.saveErrorPatterns({
    found: [{ connectionId: 'one', direction: 'inbound', patterns }],
    cacheIdentity: open.identity,
  });
  open.close();
  const before = await Promise.all([sound, outbound].map((id) => cache.getSnapshot(id)));
  await cache.close();

  // Somewhere in the fourth page of the middle one.
  const page = await findPage('345xxxxxxxx');
  expect(page).toBeGreaterThan(0);
  await overwritePage(page);
  const hash = async (file: string) =>
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  const damaged = await hash(place.file);

  cache = await openTestCache(place.file);
  const { startedAtMs, putAside } = cache.readState();
  await expect.poll(() => cache.readState().salvaged, { timeout: 20_000 }).not.toBeNull();
  expect(cache.readState().startedAtMs).toBeGreaterThanOrEqual(startedAtMs);
  expect(await hash(join(putAside!.folder, 'cache.sqlite'))).toBe(damaged);

  // The same under the same ids.
  expect(await Promise.all([sound, outbound].map((id) => cache.getSnapshot(id)))).toEqual(before);
  const { recordCount, pageCount, ...rest } = await cache.getSnapshot(hurt);
  // What one page of the file belongs to is lost; the pages behind it are as sound as those before it.
  expect(pageCount).toBeGreaterThanOrEqual(4);
  expect(pageCount).toBeLessThan(6);
  expect(recordCount).toBe(pageCount * 100);
  const last = await cache.readRecord({ snapshotId: hurt, seq: recordCount - 1 });
  expect(last).toMatchObject({ payload: '599'.padEnd(500, 'x') });
  expect(rest).toMatchObject({
    state: 'incomplete',
    remarks: [{ code: 'pages-damaged', count: 6 - pageCount }],
  });
  expect(cache.readState().salvaged).toEqual({
    snapshots: 3,
    records: 51 + recordCount,
    lostPages: 6 - pageCount,
  });
  for (const id of [sound, hurt, outbound]) {
    const check = { signal: new AbortController().signal, onProgress: () => undefined };
    expect(await cache.verifyPages(id, check)).toMatchObject({ damagedPages: [], missingPages: 0 });
  }
  expect(await cache.readRecord(marked)).toMatchObject({ mark: { mark: 'star', note: 'kept' } });
  const source = openEngineSource(place.file);
  expect(source.listErrorPatterns('one', 'inbound')).toEqual(patterns);
  source.close();
  const history = await cache.readStatusHistory({
    connectionId: 'one',
    nowMs: FROM_MS + 1000,
    spanMs: 60_000,
    ticks: 1,
  });
  expect(history.latest).toEqual(SAMPLE);
  const next = await fillSnapshot(cache, [createDocument(0)]);
  expect(next).toBeGreaterThan(outbound);
  expect((await cache.checkFile(new AbortController().signal)).sound).toBe(true);
});

test('what the end of the application cut short is brought over at the next start, and nothing twice', async () => {
  const [first, second, hurt] = [
    await fillSnapshot(cache, documents.slice(0, 100), {}, 50),
    await fillSnapshot(cache, documents.slice(100, 200), {}, 50),
    await fillSnapshot(cache, documents.slice(200), {}, 100),
  ];
  for (const checkedAtMs of [FROM_MS, FROM_MS + 1000])
    await cache.addStatusSample({ ...SAMPLE, checkedAtMs });
  const whole = await Promise.all([first, second].map((id) => cache.getSnapshot(id)));
  await cache.close();
  await overwritePage(await findPage('345xxxxxxxx'));
  const isSalvaged = () =>
    expect.poll(() => cache.readState().salvaged, { timeout: 20_000 }).toMatchObject({ snapshots: 3 });
  cache = await openTestCache(place.file);
  await isSalvaged();
  const { salvaged, putAside } = cache.readState();
  const rest = await cache.getSnapshot(hurt);
  await cache.close();

  // As it would have been: the first snapshot is there, the others hidden, one of two samples.
  const database = new Database(place.file);
  database.prepare('UPDATE snapshots SET is_removed = 3 WHERE snapshot_id IN (?, ?)').run(second, hurt);
  database.prepare('DELETE FROM status_samples WHERE checked_at_ms = ?').run(FROM_MS);
  database.close();
  const marker = join(putAside!.folder, 'salvage.json');
  expect(existsSync(marker)).toBe(false);
  await writeFile(marker, JSON.stringify({ tries: 1 }));

  cache = await openTestCache(place.file);
  await isSalvaged();
  expect(cache.readState()).toMatchObject({ salvaged, putAside: null });
  expect(await Promise.all([first, second].map((id) => cache.getSnapshot(id)))).toEqual(whole);
  expect(await cache.getSnapshot(hurt)).toEqual(rest);
  await cache.close();
  const after = new Database(place.file, { readonly: true });
  expect(after.prepare('SELECT checked_at_ms FROM status_samples ORDER BY 1').pluck().all()).toEqual([
    FROM_MS,
    FROM_MS + 1000,
  ]);
  after.close();
});

test('a file that ends the application again and again is left alone after a few starts', async () => {
  const id = await fillSnapshot(cache, documents.slice(0, 10));
  await cache.close();
  const folder = join(dirname(place.file), 'damaged', '2026-11-20T00-00-00.000Z');
  await mkdir(folder, { recursive: true });
  await copyFile(place.file, join(folder, 'cache.sqlite'));
  await writeFile(join(folder, 'salvage.json'), JSON.stringify({ tries: 3 }));
  const database = new Database(place.file);
  database.prepare('UPDATE snapshots SET is_removed = 2 WHERE snapshot_id = ?').run(id);
  database.close();
  cache = await openTestCache(place.file);
  await fillSnapshot(cache, documents.slice(0, 10));
  expect(cache.readState().salvaged).toBeNull();
  expect((await cache.listSnapshots(null)).map((snapshot) => snapshot.id)).not.toContain(id);
});

test('a snapshot half brought over when the application was killed is not shown, and deleted at the next start', async () => {
  const id = await fillSnapshot(cache, documents.slice(0, 10));
  await cache.close();
  const database = new Database(place.file);
  database.prepare('UPDATE snapshots SET is_removed = 3 WHERE snapshot_id = ?').run(id);
  database.close();
  cache = await openTestCache(place.file);
  expect(await cache.listSnapshots(null)).toEqual([]);
  expect((await cache.purgeRemoved(FROM_MS)).snapshotIds).toEqual([id]);
  expect((await stat(place.file)).size).toBeGreaterThan(0);
});
