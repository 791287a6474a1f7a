import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  FROM_MS,
  toBody,
  toNewSnapshot,
  toPage,
} from './cache-fixture.ts';
import { toRecordId } from '../../../src-main/common/model/records/record.ts';

let cache: Cache;
let place: Awaited<ReturnType<typeof createFolder>>;

beforeEach(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
});
afterEach(async () => {
  await cache.close();
  await place.remove();
});

function readAll(): Record<string, unknown[]> {
  const database = new Database(place.file, { readonly: true });
  const tables = ['snapshots', 'slices', 'pages', 'remarks', 'inbound_records', 'page_bodies', 'set_aside'];
  const all = Object.fromEntries(
    tables.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]),
  );
  database.close();
  return all;
}
const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

test('a page, its records, its provenance and the next cursor are stored together', async () => {
  const { id } = await cache.createSnapshot(toNewSnapshot());
  const body = toBody([createDocument(0), createDocument(1)], 'next', 4);
  const sha256 = createHash('sha256').update(new Uint8Array(body)).digest('hex');
  const size = body.byteLength;
  const page = cache.storePage(toPage(id, ''), body);
  expect(await page.head).toEqual({ recordCount: 2, totalDocument: 4, nextCursor: 'next', end: null });
  expect(await page.stored).toMatchObject({
    recordCount: 2,
    pageCount: 1,
    totalDocument: 4,
    sizeBytes: size,
  });
  const all = readAll();
  expect(all['inbound_records']).toHaveLength(2);
  expect(all['snapshots']![0]).toMatchObject({ record_count: 2 });
  expect(all['slices']![0]).toMatchObject({ next_cursor: 'next', entry_count: 2 });
  expect(all['pages']![0]).toMatchObject({
    cursor_sent: '',
    cursor_received: 'next',
    record_count: 2,
    size_bytes: size,
    sha256,
    total_document: 4,
    execution_time_ms: 12,
    status: 200,
  });
});

test('the head of a page arrives before the page is stored', async () => {
  const { id } = await cache.createSnapshot(toNewSnapshot());
  const order: string[] = [];
  const documents = Array.from({ length: 5000 }, (_, index) => createDocument(index));
  const page = cache.storePage(toPage(id, ''), toBody(documents));
  await Promise.all([page.head.then(() => order.push('head')), page.stored.then(() => order.push('stored'))]);
  expect(order).toEqual(['head', 'stored']);
});

test.each([
  ['<html>no</html>', 'client.html'],
  ['{"isValid":true,', 'client.truncated'],
  ['{"isValid":false,"errors":[{"field":"startDate","message":"missing"}]}', 'client.invalid-request'],
  ['"word"', 'client.unexpected-shape'],
])('a page that cannot be read (%s) leaves the cache as it was', async (text, code) => {
  const id = await fillSnapshot(cache, [createDocument(0)]);
  const { id: open } = await cache.createSnapshot(toNewSnapshot());
  const before = hash(readAll());
  const page = cache.storePage(toPage(open, ''), new Uint8Array(Buffer.from(text)).buffer);
  const stored = expect(page.stored).rejects.toMatchObject({ code });
  await expect(page.head).rejects.toMatchObject({ code });
  await stored;
  expect(hash(readAll())).toBe(before);
  expect(id).toBeLessThan(open);
});

test('the same page stored twice changes nothing, and one out of order is refused', async () => {
  const { id } = await cache.createSnapshot(toNewSnapshot());
  const body = (): ArrayBuffer => toBody([createDocument(0)], 'next', 2);
  await cache.storePage(toPage(id, ''), body()).stored;
  const before = hash(readAll());
  const again = cache.storePage(toPage(id, ''), body());
  expect(await again.head).toMatchObject({ nextCursor: 'next', recordCount: 1 });
  await again.stored;
  await expect(cache.storePage(toPage(id, 'elsewhere'), body()).stored).rejects.toMatchObject({
    code: 'app.invalid-input',
  });
  expect(hash(readAll())).toBe(before);
});

test('decision 8, client: a repeated cursor ends the walk with a remark', async () => {
  const { id } = await cache.createSnapshot(toNewSnapshot());
  await cache.storePage(toPage(id, ''), toBody([createDocument(0)], 'a', 9)).stored;
  await cache.storePage(toPage(id, 'a'), toBody([createDocument(1)], 'b', 9)).stored;
  const page = cache.storePage(toPage(id, 'b'), toBody([createDocument(2)], 'a', 9));
  expect(await page.head).toMatchObject({ end: 'cursor-repeated', nextCursor: null });
  expect((await page.stored).remarks).toContainEqual({ code: 'cursor-repeated', count: 1 });
});

test('decision 10, client: a total that changes while paging is remarked', async () => {
  const { id } = await cache.createSnapshot(toNewSnapshot());
  await cache.storePage(toPage(id, ''), toBody([createDocument(0)], 'a', 9)).stored;
  const { remarks, totalDocument } = await cache.storePage(
    toPage(id, 'a'),
    toBody([createDocument(1)], 'b', 10),
  ).stored;
  expect(remarks).toContainEqual({ code: 'total-changed', count: 1, detail: '9 → 10' });
  expect(totalDocument).toBe(10);
});

test('everything can be read again after reopening, and a dead download is incomplete', async () => {
  const documents = [createDocument(0, { Payload: 'p'.repeat(5000) }), createDocument(1)];
  const id = await fillSnapshot(cache, documents);
  const { id: open } = await cache.createSnapshot(toNewSnapshot());
  await cache.close();
  cache = await openTestCache(place.file);
  expect(cache.readState().putAside).toBeNull();
  expect(await cache.getSnapshot(open)).toMatchObject({
    state: 'incomplete',
    remarks: [{ code: 'interrupted', count: 1 }],
  });
  const detail = await cache.readRecord({ snapshotId: id, seq: 0 });
  expect(detail).toMatchObject({
    payload: 'p'.repeat(5000),
    payloadPreview: 'p'.repeat(120),
    payloadLength: 5000,
  });
  expect(detail).toMatchObject({ dateMs: Date.parse(documents[0]!.Date), botLatencyMs: 0, actionId: null });
  await expect(cache.readRecord({ snapshotId: id, seq: 9 })).rejects.toMatchObject({
    code: 'cache.snapshot-not-found',
  });
});

test('a removed snapshot is gone with its records, and none of its rows can be read', async () => {
  const id = await fillSnapshot(
    cache,
    Array.from({ length: 6000 }, (_, index) => createDocument(index)),
  );
  const kept = await fillSnapshot(cache, [createDocument(0)]);
  await cache.removeSnapshots({ snapshotIds: [id], nowMs: FROM_MS });
  await cache.purgeRemoved(FROM_MS);
  await expect(cache.getSnapshot(id)).rejects.toMatchObject({ code: 'cache.snapshot-not-found' });
  const ids = [toRecordId(id, 0), toRecordId(id, 1)];
  await expect(cache.readRows({ report: 'inbound-detail', ids })).rejects.toMatchObject({
    code: 'cache.view-closed',
  });
  expect((await cache.listSnapshots(null)).map((snapshot) => snapshot.id)).toEqual([kept]);
  expect(readAll()['inbound_records']).toHaveLength(1);
  expect(readAll()['page_bodies']).toHaveLength(1);
  expect((await cache.readStorage()).inboundDetailBytes).toBeGreaterThan(0);
  await cache.removeConnection('one');
  expect(await cache.listSnapshots('one')).toEqual([]);
});
