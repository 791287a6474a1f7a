import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PeriodScope, RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import type { RecordMarkChange } from '../../../src-main/common/model/records/record.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  openTestEngine,
  type TestDocument,
} from './cache-fixture.ts';

let place: Awaited<ReturnType<typeof createFolder>>;
let cache: Cache;
let engine: Engine;

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

const createMany = (count: number, change: (index: number) => Partial<TestDocument> = () => ({})) =>
  Array.from({ length: count }, (_, index) => createDocument(index, change(index)));
const change = (snapshotId: number, seqs: readonly number[], change: RecordMarkChange): Promise<void> =>
  cache.changeMarks({ records: seqs.map((seq) => ({ snapshotId, seq })), change, nowMs: FROM_MS });
const SPAN = 2 ** 32;
const ids = (snapshotId: number, count: number): number[] =>
  Array.from({ length: count }, (_, seq) => snapshotId * SPAN + seq);
/** Marks by the place of their record. */
async function listMarks(snapshotId: number, count: number): Promise<Record<number, string>> {
  const rows = await cache.readRows({ report: 'inbound-detail', ids: ids(snapshotId, count) });
  return Object.fromEntries(
    rows.flatMap(({ seq, mark }) => (mark === undefined ? [] : [[seq, `${mark.mark ?? ''}/${mark.note}`]])),
  );
}

test('marks and notes are changed apart from each other, kept, and taken away', async () => {
  const id = await fillSnapshot(cache, createMany(20));
  await change(id, [3, 5], { mark: 'star' });
  await change(id, [5, 9], { note: '  see <b>ticket</b> 5 ' });
  expect(await listMarks(id, 20)).toEqual({
    3: 'star/',
    5: 'star/see <b>ticket</b> 5',
    9: '/see <b>ticket</b> 5',
  });
  expect(await cache.readRecord({ snapshotId: id, seq: 5 })).toMatchObject({ mark: { mark: 'star' } });
  await cache.close();
  cache = await openTestCache(place.file);
  await change(id, [3, 5], { mark: null });
  await change(id, [9], { note: '' });
  expect(await listMarks(id, 20)).toEqual({ 5: '/see <b>ticket</b> 5' });
});

test('a mark is on the same record of every snapshot, and on no record that differs in anything', async () => {
  const older = await fillSnapshot(cache, createMany(20));
  await change(older, [2, 4, 6], { mark: 'flag' });
  const newer = await fillSnapshot(
    cache,
    // One that changed in its payload, one that changed in its time, and one more before the others.
    [
      createDocument(90),
      ...createMany(20, (index) =>
        index === 4 ? { Payload: 'other' } : index === 6 ? { ReponseTime: 12.5 } : {},
      ),
    ],
  );
  expect(await listMarks(newer, 21)).toEqual({ 3: 'flag/' });
  expect(await listMarks(older, 20)).toEqual({ 2: 'flag/', 4: 'flag/', 6: 'flag/' });
});

test('a snapshot that is removed and restored has its marks, and one that is fetched again too', async () => {
  const id = await fillSnapshot(cache, createMany(10));
  await change(id, [1], { mark: 'check', note: 'kept' });
  await cache.removeSnapshots({ snapshotIds: [id], nowMs: FROM_MS });
  // A view that was opened before shows its rows until they are deleted.
  expect(await listMarks(id, 10)).toEqual({ 1: 'check/kept' });
  await cache.restoreSnapshots([id]);
  expect(await listMarks(id, 10)).toEqual({ 1: 'check/kept' });
  await cache.removeSnapshots({ snapshotIds: [id], nowMs: FROM_MS });
  await cache.purgeRemoved(FROM_MS);
  const again = await fillSnapshot(cache, createMany(10));
  expect(await listMarks(again, 10)).toEqual({ 1: 'check/kept' });
  await cache.removeConnection('one');
  expect(await listMarks(await fillSnapshot(cache, createMany(10)), 10)).toEqual({});
});

test('filters find marks and notes, also what has none, in a period as in a snapshot', async () => {
  const documents = createMany(40);
  const id = await fillSnapshot(cache, documents);
  const refreshed = await fillSnapshot(cache, documents);
  await change(id, [1, 2], { mark: 'star' });
  await change(id, [2, 30], { note: 'Ticket 7' });
  const { connectionId, period } = await cache.getSnapshot(id);
  const whole: PeriodScope = {
    connectionId,
    report: 'inbound-detail',
    fromMs: period.fromMs,
    toMs: period.toMs + 1000,
  };
  const count = async (
    conditions: RecordFilter['conditions'],
    scope: PeriodScope | { snapshotId: number } = whole,
  ) =>
    (
      await engine.openView({
        scope,
        filter: { conditions },
        order: [{ column: 'received', descending: false }],
      })
    ).rowCount;
  expect(await count([{ field: 'mark', values: ['star'] }])).toBe(2);
  expect(await count([{ field: 'mark', values: ['star'] }], { snapshotId: refreshed })).toBe(2);
  expect(await count([{ field: 'mark', values: ['star', 'flag'], exclude: true }])).toBe(38);
  expect(await count([{ field: 'mark', values: [''] }])).toBe(38);
  expect(await count([{ field: 'mark', values: [''], exclude: true }])).toBe(2);
  expect(await count([{ field: 'note', text: 'ticket' }])).toBe(2);
  expect(
    await count([
      { field: 'note', text: 'ticket' },
      { field: 'mark', values: [''] },
    ]),
  ).toBe(1);
  expect(await count([{ field: 'note', regex: '^.*TICK.t' }])).toBe(2);
  expect(await count([{ field: 'note', wildcard: '*tick*t*' }])).toBe(2);
  expect(await count([{ field: 'note', wildcard: 'x*' }])).toBe(0);
  const alternatives: RecordFilter['conditions'] = [
    {
      any: [
        { conditions: [{ field: 'mark', values: ['star'] }] },
        { conditions: [{ field: 'note', regex: 'ticket' }] },
      ],
    },
  ];
  expect(await count(alternatives)).toBe(3);
  expect(await count([{ ...alternatives[0]!, exclude: true }])).toBe(37);
  await change(id, [1, 2, 30], { mark: null, note: '' });
  expect(await count([{ field: 'mark', values: ['star'] }])).toBe(0);
  expect(await count([{ field: 'mark', values: ['star'], exclude: true }])).toBe(40);
});

test('exports carry marks when asked', async () => {
  const id = await fillSnapshot(cache, createMany(3));
  await change(id, [1], { mark: 'question', note: 'why?' });
  const batch = { report: 'inbound-detail' as const, ids: ids(id, 3), includePayload: false };
  const marks = async (includeMarks: boolean) =>
    (await cache.readExportBatch({ ...batch, includeMarks })).map(({ mark }) => mark?.note ?? null);
  expect(await marks(true)).toEqual([null, 'why?', null]);
  expect(await marks(false)).toEqual([null, null, null]);
});
