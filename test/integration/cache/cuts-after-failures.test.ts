import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Remark } from '../../../src-main/common/model/cache/snapshot.ts';
import { openFile, type OpenedFile } from '../../../src-main/core/cache/file/open-file.ts';
import { createWriter } from '../../../src-main/core/cache/threads/writer-operations.ts';
import { createStoredPages } from '../../../src-main/core/cache/read/stored-pages.ts';
import { createSnapshotReader } from '../../../src-main/core/cache/read/snapshot-rows.ts';
import { prepareLeavingOut } from '../../../src-main/core/cache/write/left-out.ts';
import { preparePageWrites } from '../../../src-main/core/cache/write/page-writes.ts';
import { toEndMs } from '../../../src-main/common/model/period.ts';
import { toWireDate } from '../../../src-main/common/reporting/wire-documents.ts';
import { readPage } from '../../../src-main/common/reporting/reading/read-page.ts';
import { createDocument, createFolder, FROM_MS, toBody, toNewSnapshot, toPage } from './cache-fixture.ts';

/** A snapshot of two slices, the first of them half an hour. */
const CUT_MS = FROM_MS + 1_800_000;
let place: Awaited<ReturnType<typeof createFolder>>;
let opened: OpenedFile;
let writer: ReturnType<typeof createWriter>;

function start(): void {
  opened = openFile(place.file, 1);
  opened.database.pragma('busy_timeout = 20');
  writer = createWriter(opened, place.file, true);
}
/** As after the end of the application; what is only remembered is gone. */
function restart(): void {
  writer.close(false);
  start();
}
beforeEach(async () => {
  place = await createFolder();
  start();
});
afterEach(async () => {
  writer.close(false);
  await place.remove();
});

type Document = ReturnType<typeof createDocument>;
const at = (index: number, atMs: number): Document =>
  createDocument(index, { Date: new Date(atMs).toISOString() });
const context = { progress: () => undefined } as never;

function begin(): number {
  const { id, period } = writer.operations.createSnapshot(toNewSnapshot());
  const cut = { toMs: CUT_MS, endDate: toWireDate(CUT_MS - 1000, 'UTC') };
  const first = { ...period, ...cut };
  const second = { ...period, fromMs: CUT_MS, startDate: toWireDate(CUT_MS, 'UTC'), toMs: toEndMs(period) };
  writer.operations.queueDownload({
    snapshotId: id,
    queuedAtMs: FROM_MS,
    baseAddress: '',
    reportIdentifier: '',
    sliceDays: null,
    mayCut: false,
    askedStart: '',
    slices: [first, second],
    resumedCount: 0,
    refreshOf: null,
  });
  return id;
}
interface Sent {
  readonly sent?: string;
  readonly next?: string;
  readonly total?: number;
}
function store(id: number, documents: readonly Document[], { sent = '', next = '', total }: Sent): void {
  const body = toBody(documents, next, total);
  writer.operations.storePage({ page: toPage(id, sent), bytes: body }, context);
}
const readRecords = (id: number): { count: number; remarks: readonly Remark[] } => {
  const { recordCount, remarks } = createSnapshotReader(opened.database).get(id);
  return { count: recordCount, remarks };
};

/** The records near the cut come with both slices, as from a service that includes its ends. */
const NEAR = [at(8, CUT_MS), at(9, CUT_MS + 400)];
const FIRST = [...Array.from({ length: 6 }, (_, index) => at(index, FROM_MS + index * 1000)), ...NEAR];
const SECOND = [...NEAR, ...Array.from({ length: 12 }, (_, index) => at(20 + index, CUT_MS + 5000 + index))];

describe('a page whose write failed and is tried again', () => {
  test('while another process holds the write lock: its doubles are left out once more', () => {
    const id = begin();
    store(id, FIRST, { total: FIRST.length });
    writer.operations.beginNextSlice({ snapshotId: id });
    const other = new Database(place.file);
    other.exec('BEGIN IMMEDIATE');
    const again = (): void => store(id, SECOND, { total: SECOND.length });
    expect(again).toThrow('locked');
    other.exec('ROLLBACK');
    other.close();
    again();
    expect(readRecords(id).count).toBe(FIRST.length + SECOND.length - NEAR.length);
  });

  test('on a disk that was full: its doubles are left out once more', () => {
    const id = begin();
    store(id, FIRST, { total: FIRST.length });
    writer.operations.beginNextSlice({ snapshotId: id });
    const pages = Number(opened.database.pragma('page_count', { simple: true }));
    opened.database.pragma(`max_page_count = ${pages}`);
    const random = Array.from({ length: 40_000 }, (_, index) => Math.sin(index).toString(36)).join('');
    const wide = [...NEAR, at(40, CUT_MS + 9000)].map((document, index) =>
      index < 2 ? document : { ...document, Payload: random },
    );
    expect(() => store(id, wide, {})).toThrow('full');
    opened.database.pragma('max_page_count = 1000000');
    store(id, SECOND, { total: SECOND.length });
    expect(readRecords(id).count).toBe(FIRST.length + SECOND.length - NEAR.length);
  });

  test('in a walk that goes on after it: what earlier pages of the walk left out stays left out', () => {
    const id = begin();
    store(id, FIRST, { total: FIRST.length });
    writer.operations.beginNextSlice({ snapshotId: id });
    store(id, [NEAR[0]!, ...SECOND.slice(2, 8)], { next: 'c1' });
    const other = new Database(place.file);
    other.exec('BEGIN IMMEDIATE');
    const again = (): void => store(id, [NEAR[1]!, ...SECOND.slice(8)], { sent: 'c1' });
    expect(again).toThrow('locked');
    other.close();
    again();
    expect(readRecords(id).count).toBe(FIRST.length + SECOND.length - NEAR.length);
  });
});

describe('pages that overlap by one cursor each', () => {
  /** 100 records in pages of 20 that begin with the end of the one before: 104 come. */
  function storeOverlapping(id: number, slice: 0 | 1, restartAfter: number | null): void {
    const startMs = slice === 0 ? FROM_MS : CUT_MS + 5000;
    const all = Array.from({ length: 100 }, (_, index) => at(index + slice * 500, startMs + index * 10));
    for (let page = 0; page < 5; page += 1) {
      const from = page * 20;
      const documents = all.slice(Math.max(0, from - 1), from + 20);
      const next = page === 4 ? '' : `${slice}-${page}`;
      store(id, documents, { sent: page === 0 ? '' : `${slice}-${page - 1}`, next, total: 100 });
      if (page === restartAfter) restart();
    }
  }
  const codes = (id: number): string[] => readRecords(id).remarks.map(({ code }) => code);

  test('are remarked for also when the cache was opened again after the second of them', () => {
    const id = begin();
    storeOverlapping(id, 0, 1);
    expect(codes(id)).toContain('pages-overlap');
  });

  test.each([null, 1])(
    'are remarked for in the second of two slices, with a restart after page %s',
    (after) => {
      const id = begin();
      store(id, FIRST, { total: FIRST.length });
      writer.operations.beginNextSlice({ snapshotId: id });
      storeOverlapping(id, 1, after);
      expect(readRecords(id).count).toBe(FIRST.length + 104);
      expect(readRecords(id).remarks).toContainEqual(
        expect.objectContaining({ code: 'pages-overlap', count: 4 }),
      );
    },
  );

  test.each([null, 1])(
    'in both of two slices are remarked for in each, with a restart after page %s',
    (after) => {
      const id = begin();
      storeOverlapping(id, 0, after);
      writer.operations.beginNextSlice({ snapshotId: id });
      storeOverlapping(id, 1, after);
      expect(readRecords(id).remarks).toContainEqual(
        expect.objectContaining({ code: 'pages-overlap', count: 8 }),
      );
    },
  );
});

describe('a record dated after its slice', () => {
  test.each([
    ['far in the future', Date.UTC(9999, 11, 31)],
    ['two seconds past the cut', CUT_MS + 2000],
  ])('%s: the records at the cut are still recognised', (_kind, lateMs) => {
    const id = begin();
    const first = [...FIRST, at(30, lateMs)];
    store(id, first, { total: first.length });
    writer.operations.beginNextSlice({ snapshotId: id });
    store(id, SECOND, { total: SECOND.length });
    expect(readRecords(id).count).toBe(first.length + SECOND.length - NEAR.length);
  });

  test('with pages of one record, the first page of the next slice is no repeat of the one that holds the cut', () => {
    const id = begin();
    const first = [at(1, FROM_MS), NEAR[0]!, at(30, Date.UTC(9999, 11, 31))];
    const second = [NEAR[0]!, at(31, CUT_MS + 5000), at(32, CUT_MS + 6000)];
    for (const [slice, documents] of [first, second].entries()) {
      if (slice === 1) writer.operations.beginNextSlice({ snapshotId: id });
      for (const [place, document] of documents.entries()) {
        const next = place === 2 ? '' : `${slice}-${place}`;
        const sent = place === 0 ? '' : `${slice}-${place - 1}`;
        store(id, [document], { sent, next, total: 3 });
      }
    }
    const { count, remarks } = readRecords(id);
    expect(count).toBe(5);
    expect(remarks.map(({ code }) => code)).not.toContain('page-repeated');
  });
});

describe('what lies near a cut', () => {
  const rush = (count: number): Document[] =>
    Array.from({ length: count }, (_, index) => at(100 + index, CUT_MS));

  test.each([
    ['few', 3, false],
    ['few, after a restart', 3, true],
    ['as many as a rush brings', 400, false],
    ['as many as a rush brings, after a restart', 400, true],
  ])('is left out of the next slice once: %s', (_name, count, isRestarted) => {
    const id = begin();
    const near = rush(count);
    const first = [...FIRST.slice(0, 6), ...near];
    const second = [...near, ...SECOND.slice(2), at(600, CUT_MS)];
    store(id, first, { total: first.length });
    if (isRestarted) restart();
    writer.operations.beginNextSlice({ snapshotId: id });
    store(id, second, { total: second.length });
    expect(readRecords(id).count).toBe(first.length + second.length - count);
  });

  test('is kept in mind from the page that held it, which is not opened again', () => {
    const id = begin();
    store(id, FIRST, { total: FIRST.length });
    // Only what is kept in mind can be compared now.
    opened.database.exec('UPDATE page_bodies SET body = zeroblob(1)');
    writer.operations.beginNextSlice({ snapshotId: id });
    store(id, SECOND, { total: SECOND.length });
    expect(readRecords(id).count).toBe(FIRST.length + SECOND.length - NEAR.length);
  });
});

test('two sliced downloads in turn read what lies near their cuts once each, not anew for each page', () => {
  const ids = [begin(), begin()];
  for (const id of ids) {
    store(id, FIRST, { total: FIRST.length });
    writer.operations.beginNextSlice({ snapshotId: id });
  }
  let opens = 0;
  const stored = createStoredPages(opened.database);
  const { findLeftOut } = prepareLeavingOut(opened.database, {
    ...stored,
    readBody: (...page) => {
      opens += 1;
      return stored.readBody(...page);
    },
  });
  const { readWalk } = preparePageWrites(opened.database);
  const snapshots = createSnapshotReader(opened.database);
  const read = readPage(new Uint8Array(toBody([at(50, CUT_MS + 9000)])), {
    report: 'inbound-detail',
    zone: 'UTC',
  });
  for (let turn = 0; turn < 20; turn += 1) {
    for (const id of ids) findLeftOut(snapshots.get(id), readWalk(id)!, read);
  }
  expect(opens).toBe(ids.length);
});
