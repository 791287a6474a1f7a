import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Snapshot, SnapshotReading } from '../../../src-main/common/model/cache/snapshot.ts';
import type { Period } from '../../../src-main/common/model/period.ts';
import { fromWireDate } from '../../../src-main/common/reporting/wire-documents.ts';
import { toRecordId } from '../../../src-main/common/model/records/record.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
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
} from './cache-fixture.ts';

const ZONE = 'America/Bogota';
const SHIFT_MS = 5 * 3_600_000;
let cache: Cache;
let engine: Engine;
let place: Awaited<ReturnType<typeof createFolder>>;

beforeEach(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
  engine = openTestEngine(place.file);
});
afterEach(async () => {
  await engine.close();
  await cache.close();
  await place.remove();
});

/** Records as they come, every third with a date that names no zone. */
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const document = createDocument(index);
    return index % 3 === 0 ? { ...document, Date: document.Date.slice(0, 19).replace('T', ' ') } : document;
  });

function toPeriodIn({ period }: Pick<Snapshot, 'period'>, zone: string): Period {
  const read = (text: string): number => Number(fromWireDate(text, zone));
  return { ...period, fromMs: read(period.startDate), toMs: read(period.endDate), zone };
}

async function readAgain(id: number, zone?: string): Promise<SnapshotReading | null> {
  const snapshot = await cache.getSnapshot(id);
  const period = toPeriodIn(snapshot, zone ?? snapshot.period.zone);
  return cache.readAgain(
    { snapshotId: id, atMs: FROM_MS, period, stillOpen: false },
    { signal: new AbortController().signal, onProgress: () => undefined },
  );
}

const verify = (id: number) =>
  cache.verifyPages(id, { signal: new AbortController().signal, onProgress: () => undefined });

async function readRows(id: number) {
  const { recordCount } = await cache.getSnapshot(id);
  const ids = Array.from({ length: recordCount }, (_, seq) => toRecordId(id, seq));
  const rows = await cache.readExportBatch({ report: 'inbound-detail', ids, includePayload: true });
  return rows.map((row) => ({ ...row, snapshotId: 0 }));
}
async function readJournal(id: number) {
  const [journal, aside] = await Promise.all([
    cache.readJournal({ snapshotId: id, offset: 0, limit: 100 }),
    cache.readSetAside({ snapshotId: id, offset: 0, limit: 100 }),
  ]);
  return { pages: journal.pages.map((page) => ({ ...page, sha256: '' })), aside };
}
/** Everything that is kept of a snapshot's records. */
const readKept = async (id: number) => ({ rows: await readRows(id), journal: await readJournal(id) });

/** Changes the file as an older reader would have left it. */
function change(...statements: string[]): void {
  const database = new Database(place.file);
  for (const sql of statements) database.exec(sql);
  database.close();
}

const countByHour = (id: number, fromMs: number) =>
  engine.readHistogram({
    scope: { snapshotId: id },
    filter: { conditions: [] },
    edges: [fromMs, fromMs + SHIFT_MS, fromMs + 2 * SHIFT_MS],
    split: 'class',
    withMedian: false,
  });

test('with the time zone corrected, dates without a zone move, and all is as if downloaded in that zone', async () => {
  const id = await fillSnapshot(cache, many(250), {}, 100);
  const view = await engine.openView({
    scope: { snapshotId: id },
    filter: { conditions: [] },
    order: [{ column: 'dateMs', descending: false }],
  });
  const before = await countByHour(id, FROM_MS);
  expect(await readAgain(id, ZONE)).toMatchObject({
    zone: ZONE,
    zoneBefore: 'UTC',
    isPartial: false,
    pageCount: 3,
    changedPages: 3,
    changedRecords: 84,
    newlyReadable: 0,
    noLongerReadable: 0,
    fields: [{ field: 'dateMs', count: 84 }],
    unreadPages: 0,
    leftPages: 0,
  });
  const reading = await cache.getReading(id);
  expect(reading?.examples).toHaveLength(20);
  expect(reading?.examples[1]).toEqual({
    pageNumber: 0,
    place: 3,
    field: 'dateMs',
    before: FROM_MS + 3000,
    after: FROM_MS + 3000 + SHIFT_MS,
  });

  // The engine follows without being told, and a view of what it saw before is closed.
  const after = await countByHour(id, FROM_MS);
  expect(after).not.toEqual(before);
  await expect(engine.readIds({ viewId: view.viewId, offset: 0, limit: 10 })).rejects.toMatchObject({
    code: 'cache.view-closed',
  });
  const snapshot = await cache.getSnapshot(id);
  const { period } = snapshot;
  const fresh = await cache.createSnapshot({ ...toNewSnapshot(), period });
  for (let from = 0; from < 250; from += 100) {
    const page = { ...toPage(fresh.id, from === 0 ? '' : `after ${from}`), zone: ZONE };
    const next = from === 200 ? '' : `after ${from + 100}`;
    await cache.storePage(page, toBody(many(250).slice(from, from + 100), next, 250)).stored;
  }
  await cache.finishSnapshot({ snapshotId: fresh.id, state: 'complete', failure: null });
  expect(await readKept(id)).toEqual(await readKept(fresh.id));
  expect(await countByHour(fresh.id, FROM_MS)).toEqual(after);
  const { remarks } = await cache.getSnapshot(fresh.id);
  expect(snapshot.remarks).toEqual(remarks);
  expect(period).toMatchObject({ zone: ZONE, fromMs: FROM_MS + SHIFT_MS });
  expect(await verify(id)).toMatchObject({ damagedPages: [], missingPages: 0 });
});

test('marks stay with their records, whatever these become', async () => {
  const id = await fillSnapshot(cache, many(60), {}, 20);
  const places = [0, 1, 21].map((seq) => ({ snapshotId: id, seq }));
  await cache.changeMarks({ records: places, change: { note: 'seen' }, nowMs: FROM_MS });
  change(`UPDATE inbound_records SET error = 'read badly' WHERE record_id = ${toRecordId(id, 40)}`);
  const noteOf = async (seq: number) => (await cache.readRecord({ snapshotId: id, seq })).mark?.note ?? null;
  await cache.changeMarks({
    records: [{ snapshotId: id, seq: 40 }],
    change: { note: 'odd' },
    nowMs: FROM_MS,
  });
  expect((await readAgain(id, ZONE))?.changedPages).toBe(3);
  expect(await Promise.all([0, 1, 2, 21, 40].map(noteOf))).toEqual(['seen', 'seen', null, 'seen', 'odd']);
  const database = new Database(place.file);
  const dates = database.prepare('SELECT date_ms FROM record_marks ORDER BY date_ms').pluck().all();
  database.close();
  const shifted = FROM_MS + SHIFT_MS;
  expect(dates).toEqual([FROM_MS + 1000, FROM_MS + 40_000, shifted, shifted + 21_000]);
});

test('where nothing reads otherwise, nothing is stored anew', async () => {
  const id = await fillSnapshot(cache, [...many(120), 7], {}, 50);
  const before = await readKept(id);
  expect(await cache.getReading(id)).toBeNull();
  expect(await readAgain(id)).toMatchObject({
    pageCount: 3,
    changedPages: 0,
    changedRecords: 0,
    fields: [],
    examples: [],
    zone: 'UTC',
  });
  expect(await readKept(id)).toEqual(before);
  expect((await cache.getSnapshot(id)).reading).toBe(0);
  await expect(readAgain(999)).rejects.toMatchObject({ code: 'cache.snapshot-not-found' });
});

test('what an older reader read otherwise is replaced, field by field', async () => {
  const id = await fillSnapshot(cache, many(30), {}, 10);
  const before = await readKept(id);
  const base = toRecordId(id, 0);
  change(
    `UPDATE inbound_records SET response_code = NULL WHERE record_id >= ${base + 20}`,
    `UPDATE inbound_records SET payload_preview = '{"te', error = 'É' WHERE record_id = ${base + 21}`,
    `UPDATE pages SET records_sha256 = 'other' WHERE snapshot_id = ${id} AND page_number = 1`,
  );
  expect(await readAgain(id)).toMatchObject({
    changedPages: 2,
    changedRecords: 10,
    fields: [
      { field: 'responseCode', count: 10 },
      { field: 'error', count: 1 },
      { field: 'payload', count: 1 },
    ],
  });
  expect(await readKept(id)).toEqual(before);
  expect((await cache.getSnapshot(id)).reading).toBe(2);
});

test('entries that are read today get their places, and the records after them move', async () => {
  const documents = [...many(10), 7, ...many(20).slice(10), null, ...many(35).slice(20)];
  const id = await fillSnapshot(cache, documents, {}, 11);
  const whole = await readKept(id);
  const base = toRecordId(id, 0);
  const move = (from: number, by: number): string[] => [
    `UPDATE inbound_records SET record_id = -(record_id + ${by}) WHERE record_id >= ${base + from}`,
    'UPDATE inbound_records SET record_id = -record_id WHERE record_id < 0',
  ];
  // The first page lacks its second record, the second one has one that is none.
  change(
    `DELETE FROM inbound_records WHERE record_id = ${base + 1}`,
    ...move(2, -1),
    `UPDATE pages SET first_seq = first_seq - 1 WHERE snapshot_id = ${id} AND page_number > 0`,
    `UPDATE pages SET record_count = record_count - 1 WHERE snapshot_id = ${id} AND page_number = 0`,
    `INSERT INTO set_aside VALUES (${id}, 0, 1, 'no-known-field', '{}')`,
    ...move(19, 1),
    `INSERT INTO inbound_records (record_id, date_text, session_id, client, error, origin)
     VALUES (${base + 19}, 'no date', 's', '', '', '')`,
    `UPDATE pages SET first_seq = first_seq + 1 WHERE snapshot_id = ${id} AND page_number > 1`,
    `UPDATE pages SET record_count = record_count + 1 WHERE snapshot_id = ${id} AND page_number = 1`,
    `DELETE FROM set_aside WHERE snapshot_id = ${id} AND page_number = 1`,
  );
  await countByHour(id, FROM_MS);
  const reading = await readAgain(id);
  expect(reading).toMatchObject({ newlyReadable: 1, noLongerReadable: 1, unreadPages: 0 });
  expect(await readKept(id)).toEqual(whole);
  expect(await verify(id)).toMatchObject({ damagedPages: [], missingPages: 0 });
  const { recordCount } = await cache.getSnapshot(id);
  const { rowCount } = await engine.openView({
    scope: { snapshotId: id },
    filter: { conditions: [] },
    order: [{ column: 'received', descending: false }],
  });
  expect(rowCount).toBe(recordCount);
});

test('pages that are damaged, or whose snapshot still grows, are left as they are', async () => {
  const id = await fillSnapshot(cache, many(40), {}, 10);
  const base = toRecordId(id, 0);
  change(
    `UPDATE page_bodies SET body = x'00' WHERE snapshot_id = ${id} AND page_number = 0`,
    `UPDATE pages SET sha256 = 'ff' WHERE snapshot_id = ${id} AND page_number IN (1, 2)`,
    `DELETE FROM inbound_records WHERE record_id = ${base + 39}`,
    `UPDATE pages SET record_count = 9 WHERE snapshot_id = ${id} AND page_number = 3`,
    `INSERT INTO set_aside VALUES (${id}, 3, 9, 'no-known-field', '{}')`,
    `UPDATE snapshots SET state = 'incomplete', record_count = 39 WHERE snapshot_id = ${id}`,
  );
  const before = await readJournal(id);
  expect(await readAgain(id, ZONE)).toMatchObject({
    pageCount: 4,
    changedPages: 0,
    unreadPages: 3,
    leftPages: 1,
  });
  expect(await readJournal(id)).toEqual(before);
  // Its records stay in the zone in which they were read, and so does its period.
  expect((await cache.getSnapshot(id)).period.zone).toBe('UTC');
  // A journal whose places don't follow one another is no ground to move records on.
  change(
    `UPDATE snapshots SET state = 'complete' WHERE snapshot_id = ${id}`,
    `UPDATE pages SET first_seq = 1000 WHERE snapshot_id = ${id} AND page_number = 2`,
  );
  expect(await readAgain(id, ZONE)).toMatchObject({ changedPages: 0, unreadPages: 4, leftPages: 0 });
  change(`UPDATE snapshots SET state = 'downloading' WHERE snapshot_id = ${id}`);
  expect(await readAgain(id, ZONE)).toBeNull();
});

test('a summary is read again like records', async () => {
  const group = { Channel: 1, Service: 2, Origin: 'web', ReponseCode: 200, Count: '12' };
  const groups = [group, { ...group, ReponseCode: 500 }, { ...group, ReponseCode: 404 }];
  const id = await fillSnapshot(cache, groups, { report: 'inbound-summary' });
  const before = await cache.readSummary(id);
  change(
    `DELETE FROM summary_groups WHERE snapshot_id = ${id} AND seq = 2`,
    `UPDATE summary_groups SET request_count = 1 WHERE snapshot_id = ${id} AND seq = 0`,
    `UPDATE pages SET record_count = 2 WHERE snapshot_id = ${id}`,
  );
  expect(await readAgain(id)).toMatchObject({
    newlyReadable: 1,
    changedRecords: 1,
    fields: [{ field: 'count', count: 1 }],
  });
  expect(await cache.readSummary(id)).toEqual(before);
});

test('a cancelled run keeps what it did, says so, and the next one completes it', async () => {
  const id = await fillSnapshot(cache, many(300), {}, 30);
  const { period } = await cache.getSnapshot(id);
  const controller = new AbortController();
  const running = cache.readAgain(
    { snapshotId: id, atMs: FROM_MS, period: toPeriodIn({ period }, ZONE), stillOpen: false },
    { signal: controller.signal, onProgress: () => controller.abort() },
  );
  await expect(running).rejects.toMatchObject({ code: 'app.cancelled' });
  const partial = await expect
    .poll(() => cache.getReading(id))
    .not.toBeNull()
    .then(() => cache.getReading(id));
  expect(partial).toMatchObject({ isPartial: true });
  expect(partial?.changedPages).toBeGreaterThan(0);
  expect((await cache.getSnapshot(id)).period.zone).toBe('UTC');
  const whole = await readAgain(id, ZONE);
  expect(whole).toMatchObject({ isPartial: false, pageCount: 10 });
  expect((whole?.changedPages ?? 0) + (partial?.changedPages ?? 0)).toBe(10);
  expect(await verify(id)).toMatchObject({ damagedPages: [] });
});
