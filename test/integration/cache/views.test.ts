import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CODE_CLASSES,
  toCodeClass,
  type RecordFilter,
  type RecordOrder,
  type RecordRow,
} from '../../../src-main/common/model/record.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  toNewSnapshot,
  toBody,
  toPage,
} from './cache-fixture.ts';

const COUNT = 240;
const CLIENTS = ['Ana', 'ana', 'Ñandú', 'ñandÚ', 'bo_b%', ''];
// Dates that fall back and repeat, one unreadable, so that no order is the order received.
const documents = Array.from({ length: COUNT }, (_, index) =>
  createDocument(index, {
    Date: index % 50 === 7 ? 'soon' : new Date(FROM_MS + ((index * 71) % 97) * 1000).toISOString(),
    Client: CLIENTS[index % CLIENTS.length]!,
    Payload: index % 9 === 0 ? 'Needle ÁRBOL' : `plain ${index}`,
  }),
);

let cache: Cache;
let place: Awaited<ReturnType<typeof createFolder>>;
let id: number;
let model: RecordRow[];

beforeAll(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
  id = await fillSnapshot(cache, documents, {}, 50);
  model = documents.map((document, seq) => ({
    ...{ seq, dateText: document.Date, sessionId: document.Id, channel: document.Channel },
    dateMs: document.Date === 'soon' ? null : Date.parse(document.Date),
    ...{ service: document.Service, client: document.Client, responseTimeMs: document.ReponseTime },
    ...{ responseCode: document.ReponseCode, error: document.Error, origin: document.Origin },
    ...{ botLatencyMs: document.BotLatency, actionId: null, payloadPreview: document.Payload.slice(0, 120) },
  }));
});
afterAll(async () => {
  await cache.close();
  await place.remove();
});

function matches(row: RecordRow, filter: RecordFilter): boolean {
  const list = <Value>(wanted: readonly Value[] | undefined, value: Value): boolean =>
    wanted === undefined || wanted.length === 0 || wanted.includes(value);
  const search = filter.search?.toLowerCase() ?? '';
  const texts = [row.client, row.error, row.sessionId, row.origin, row.payloadPreview];
  return (
    texts.some((text) => text.toLowerCase().includes(search)) &&
    list(filter.codeClasses, toCodeClass(row.responseCode)) &&
    list(filter.responseCodes, row.responseCode!) &&
    list(filter.channels, row.channel!) &&
    list(filter.services, row.service!) &&
    list(filter.origins, row.origin) &&
    (filter.sessionId === undefined || row.sessionId === filter.sessionId) &&
    (filter.minResponseTimeMs === undefined || row.responseTimeMs! >= filter.minResponseTimeMs) &&
    (filter.fromMs === undefined || (row.dateMs !== null && row.dateMs >= filter.fromMs)) &&
    (filter.toMs === undefined || (row.dateMs !== null && row.dateMs < filter.toMs))
  );
}

function compare(a: RecordRow, b: RecordRow, { column }: RecordOrder): number {
  if (column === 'received') return a.seq - b.seq;
  const key = (row: RecordRow): string | number | null => {
    const value = row[column];
    return typeof value === 'string' ? value.toLowerCase() : value;
  };
  const [left, right] = [key(a), key(b)];
  if (left === right) return a.seq - b.seq;
  if (left === null) return -1;
  if (right === null) return 1;
  return left < right ? -1 : 1;
}

const filters: fc.Arbitrary<RecordFilter> = fc.record(
  {
    search: fc.constantFrom(
      '',
      'ana',
      'NEEDLE',
      'árbol',
      'ÑAND',
      '_',
      '%',
      'timed',
      'web',
      '0000-4000',
      'zzz',
    ),
    codeClasses: fc.subarray([...CODE_CLASSES]),
    responseCodes: fc.subarray([200, 404, 500]),
    channels: fc.subarray([0, 1, 2]),
    services: fc.subarray([10, 11]),
    origins: fc.subarray(['web', 'app']),
    sessionId: fc.constantFrom(documents[3]!.Id, 'none'),
    minResponseTimeMs: fc.integer({ min: 0, max: 100 }),
    fromMs: fc.integer({ min: 0, max: 100 }).map((second) => FROM_MS + second * 1000),
    toMs: fc.integer({ min: 0, max: 100 }).map((second) => FROM_MS + second * 1000),
  },
  { requiredKeys: [] },
);
const orders: fc.Arbitrary<RecordOrder> = fc.record({
  column: fc.constantFrom<RecordOrder['column']>(
    'received',
    'dateMs',
    'responseCode',
    'channel',
    'service',
    'origin',
    'client',
    'responseTimeMs',
    'botLatencyMs',
    'actionId',
    'error',
  ),
  descending: fc.boolean(),
});

test('every window of every view is what a plain filter and sort give', async () => {
  await fc.assert(
    fc.asyncProperty(filters, orders, fc.nat(COUNT), fc.nat(40), async (filter, order, start, length) => {
      const expected = model.filter((row) => matches(row, filter)).sort((a, b) => compare(a, b, order));
      if (order.descending) expected.reverse();
      const view = await cache.openView({ snapshotId: id, filter, order });
      expect(view).toMatchObject({ rowCount: expected.length, totalCount: COUNT });
      const rows = await cache.readRows({ viewId: view.viewId, offset: start, limit: length });
      expect(rows).toEqual(expected.slice(start, start + length));
      const histogram = await cache.readHistogram({ viewId: view.viewId, buckets: 60 });
      const counted = histogram.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0);
      expect(counted).toBe(expected.filter((row) => row.dateMs !== null).length);
      await cache.closeView(view.viewId);
    }),
    { numRuns: 120 },
  );
});

test('a histogram has equal spans of whole seconds and counts by class', async () => {
  const { viewId } = await cache.openView({
    snapshotId: id,
    filter: {},
    order: { column: 'received', descending: true },
  });
  const buckets = await cache.readHistogram({ viewId, buckets: 7 });
  expect(new Set(buckets.map(({ fromMs, toMs }) => toMs - fromMs))).toEqual(new Set([515_000]));
  expect(buckets).toHaveLength(7);
  const dated = model.filter((row) => row.dateMs !== null);
  expect(buckets[0]!.counts).toEqual(
    CODE_CLASSES.map((name) => dated.filter((row) => toCodeClass(row.responseCode) === name).length),
  );
});

test('facets count distinct values, the most frequent first', async () => {
  const facets = await cache.readFacets(id);
  expect(facets.codeClasses).toEqual([
    { value: '2xx', count: 120 },
    { value: '4xx', count: 60 },
    { value: '5xx', count: 60 },
  ]);
  expect(facets.responseCodes[0]).toEqual({ value: 200, count: 120 });
  expect(facets.channels.map(({ count }) => count)).toEqual([80, 80, 80]);
});

test('a view of a running download covers the rows that were there', async () => {
  const { id: open } = await cache.createSnapshot(toNewSnapshot());
  await cache.storePage(toPage(open, ''), toBody([createDocument(0)], 'a', 2)).stored;
  const view = await cache.openView({
    snapshotId: open,
    filter: {},
    order: { column: 'received', descending: true },
  });
  await cache.storePage(toPage(open, 'a'), toBody([createDocument(1)], '', 2)).stored;
  expect(view).toMatchObject({ rowCount: 1, totalCount: 1 });
  expect((await cache.readRows({ viewId: view.viewId, offset: 0, limit: 5 })).map(({ seq }) => seq)).toEqual([
    0,
  ]);
});

test('the view used longest ago closes when too many are open', async () => {
  const open = () =>
    cache.openView({ snapshotId: id, filter: {}, order: { column: 'received', descending: false } });
  const { viewId: first } = await open();
  for (let count = 0; count < 16; count += 1) await open();
  await expect(cache.readRows({ viewId: first, offset: 0, limit: 1 })).rejects.toMatchObject({
    code: 'cache.view-closed',
  });
});

test('an export reads every row of the view once, in its order, and stops when cancelled', async () => {
  const { viewId } = await cache.openView({
    snapshotId: id,
    filter: { channels: [1] },
    order: { column: 'client', descending: true },
  });
  const rows = [];
  for await (const batch of cache.readForExport(viewId, true, new AbortController().signal))
    rows.push(...batch);
  expect(rows.map(({ seq }) => seq)).toEqual(
    (await cache.readRows({ viewId, offset: 0, limit: 500 })).map(({ seq }) => seq),
  );
  expect(rows[0]!.payload).toBe(documents[rows[0]!.seq]!.Payload);

  const big = await fillSnapshot(
    cache,
    Array.from({ length: 5000 }, (_, index) => createDocument(index)),
    {},
    5000,
  );
  const { viewId: bigView } = await cache.openView({
    snapshotId: big,
    filter: {},
    order: { column: 'received', descending: false },
  });
  const controller = new AbortController();
  const sizes: number[] = [];
  const walk = async (): Promise<void> => {
    for await (const batch of cache.readForExport(bigView, false, controller.signal)) {
      sizes.push(batch.length);
      controller.abort();
    }
  };
  await expect(walk()).rejects.toMatchObject({ name: 'AbortError' });
  expect(sizes).toEqual([2000]);
});
