import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  toBody,
  toNewSnapshot,
  toOutbound,
  toPage,
} from './cache-fixture.ts';

let cache: Cache;
let place: Awaited<ReturnType<typeof createFolder>>;
const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => createDocument(from + index));

beforeAll(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
});
afterAll(async () => {
  await cache.close();
  await place.remove();
});

/** Changes the file behind the cache's back, as a failing disk would. */
function tamper(sql: string, ...values: unknown[]): void {
  const database = new Database(place.file);
  database.prepare(sql).run(...values);
  database.close();
}

const verify = (id: number) =>
  cache.verifyPages(id, { signal: new AbortController().signal, onProgress: () => undefined });

test('a name, a note and a pin stay, and what is left out is not changed', async () => {
  const id = await fillSnapshot(cache, many(1));
  expect(await cache.getSnapshot(id)).toMatchObject({
    name: '',
    note: '',
    pinned: false,
    verification: null,
  });
  await cache.annotateSnapshot({ snapshotId: id, name: '  Outage of May ', pinned: true });
  await cache.annotateSnapshot({ snapshotId: id, note: 'see ticket 5' });
  expect(await cache.getSnapshot(id)).toMatchObject({
    name: 'Outage of May',
    note: 'see ticket 5',
    pinned: true,
  });
  await cache.annotateSnapshot({ snapshotId: id, name: '', pinned: false });
  expect(await cache.getSnapshot(id)).toMatchObject({ name: '', note: 'see ticket 5', pinned: false });
  await expect(cache.annotateSnapshot({ snapshotId: 99_999, name: 'x' })).rejects.toMatchObject({
    code: 'cache.snapshot-not-found',
  });
});

test('a removal can be undone with everything in place, until it is purged', async () => {
  const documents = many(3000).map((document) => ({ ...document, Payload: 'x'.repeat(600) }));
  const id = await fillSnapshot(cache, documents);
  const before = await cache.getSnapshot(id);
  await cache.removeSnapshots({ snapshotIds: [id], nowMs: FROM_MS });
  await expect(cache.getSnapshot(id)).rejects.toMatchObject({ code: 'cache.snapshot-not-found' });
  expect((await cache.readStorage()).reclaimableBytes).toBeGreaterThan(500_000);
  expect(await cache.purgeRemoved(FROM_MS - 1)).toMatchObject({ snapshotIds: [], freedBytes: 0 });
  expect(await cache.restoreSnapshots([id, 99_999])).toEqual([before]);
  expect((await cache.readRecord({ snapshotId: id, seq: 2999 })).payload).toBe('x'.repeat(600));

  const sizeBefore = (await cache.readStorage()).databaseBytes;
  await cache.removeSnapshots({ snapshotIds: [id], nowMs: FROM_MS });
  const { snapshotIds, freedBytes } = await cache.purgeRemoved(FROM_MS);
  expect(snapshotIds).toEqual([id]);
  expect(freedBytes).toBeGreaterThan(500_000);
  expect((await cache.readStorage()).databaseBytes).toBeLessThanOrEqual(sizeBefore - freedBytes);
  expect(await cache.restoreSnapshots([id])).toEqual([]);
});

test('the journal gives the provenance of each page, and what was set aside', async () => {
  const { id } = await cache.createSnapshot(toNewSnapshot());
  await cache.storePage(toPage(id, ''), toBody(many(2), 'a', 4)).stored;
  await cache.storePage(toPage(id, 'a'), toBody([createDocument(2), 7], '', 4)).stored;
  await cache.finishSnapshot({ snapshotId: id, state: 'complete', failure: null });
  const { total, pages } = await cache.readJournal({ snapshotId: id, offset: 1, limit: 5 });
  expect(total).toBe(2);
  expect(pages).toMatchObject([
    {
      pageNumber: 1,
      cursorSent: 'a',
      cursorReceived: null,
      entryCount: 2,
      firstSeq: 2,
      recordCount: 1,
      setAsideCount: 1,
      damaged: false,
      totalDocument: 4,
      status: 200,
    },
  ]);
  expect(pages[0]!.recordsSha256).toMatch(/^[0-9a-f]{64}$/);
  expect(await cache.readSetAside({ snapshotId: id, offset: 0, limit: 5 })).toMatchObject({
    total: 1,
    entries: [{ pageNumber: 1, place: 1, text: '7' }],
  });
  expect(await verify(id)).toEqual({ damagedPages: [], missingPages: 0, uncheckedPages: 0 });
});

test.each<[string, string, number[]]>([
  [
    'other bytes of a page',
    'UPDATE page_bodies SET body = (SELECT body FROM page_bodies WHERE page_number = 1) WHERE page_number = 0 AND snapshot_id = ?',
    [0],
  ],
  [
    'a flipped bit of a page',
    "UPDATE page_bodies SET body = CAST(substr(body, 1, 40) || x'00' || substr(body, 42) AS BLOB) WHERE page_number = 2 AND snapshot_id = ?",
    [2],
  ],
  ['a time', 'UPDATE inbound_records SET response_time_ms = 1e9 WHERE record_id = ? * 4294967296 + 12', [1]],
  ['a missing record', 'DELETE FROM inbound_records WHERE record_id = ? * 4294967296 + 25', [2]],
  ['a missing page', 'DELETE FROM page_bodies WHERE page_number = 0 AND snapshot_id = ?', [0]],
  [
    'a counter of the journal',
    'UPDATE pages SET first_seq = 11 WHERE page_number = 1 AND snapshot_id = ?',
    [1, 2],
  ],
])('D-17: verification finds %s', async (_kind, sql, damaged) => {
  const extra = {
    Payload: '😀'.repeat(1500),
    Strange: { deep: [1, null] },
    ReponseTime: 0.1,
    BotLatency: null,
  };
  const documents = [...many(29), { ...createDocument(29), ...extra }];
  const id = await fillSnapshot(cache, documents, {}, 10);
  expect(await verify(id)).toEqual({ damagedPages: [], missingPages: 0, uncheckedPages: 0 });
  tamper(sql, id);
  const check = await verify(id);
  expect(check.damagedPages).toEqual(damaged);
  const saved = await cache.saveVerification({ snapshotId: id, atMs: FROM_MS, check });
  expect(saved.verification).toEqual({ atMs: FROM_MS, damagedPages: damaged.length });
  const { pages } = await cache.readJournal({ snapshotId: id, offset: 0, limit: 10 });
  expect(pages.filter((page) => page.damaged).map(({ pageNumber }) => pageNumber)).toEqual(damaged);
});

test('verification covers outbound records and summaries, misses no lost page, and can be cancelled', async () => {
  const outbound = await fillSnapshot(cache, [toOutbound(createDocument(0), '5')], {
    report: 'outbound-detail',
  });
  const group = { Channel: 1, Service: 2, Origin: 'web', ReponseCode: 200, Count: '12' };
  const summary = await fillSnapshot(cache, [group], { report: 'inbound-summary' });
  expect((await verify(outbound)).damagedPages).toEqual([]);
  expect((await verify(summary)).damagedPages).toEqual([]);
  tamper("UPDATE outbound_records SET action_id = 'no' WHERE record_id = ? * 4294967296", outbound);
  tamper('UPDATE summary_groups SET request_count = 13 WHERE snapshot_id = ?', summary);
  expect((await verify(outbound)).damagedPages).toEqual([0]);
  expect((await verify(summary)).damagedPages).toEqual([0]);
  tamper('DELETE FROM pages WHERE snapshot_id = ?', summary);
  expect(await verify(summary)).toMatchObject({ damagedPages: [], missingPages: 1 });

  const large = await fillSnapshot(cache, many(3000));
  const controller = new AbortController();
  const running = cache.verifyPages(large, {
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  await expect(running).rejects.toMatchObject({ code: 'app.cancelled' });
});

test('pages stored before there were checksums are counted apart, not as damaged', async () => {
  const id = await fillSnapshot(cache, many(3));
  tamper('UPDATE pages SET records_sha256 = NULL WHERE snapshot_id = ?', id);
  expect(await verify(id)).toEqual({ damagedPages: [], missingPages: 0, uncheckedPages: 1 });
});
