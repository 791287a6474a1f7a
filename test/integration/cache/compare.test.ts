import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  type TestDocument,
} from './cache-fixture.ts';

let cache: Cache;
let place: Awaited<ReturnType<typeof createFolder>>;

beforeAll(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
});
afterAll(async () => {
  await cache.close();
  await place.remove();
});

test('a refreshed snapshot shows what was added, removed and changed, with both records', async () => {
  const older = Array.from({ length: 25 }, (_, index) => createDocument(index));
  const newer = older
    .filter((_, index) => index !== 4)
    .map((document, index) => (index === 20 ? { ...document, ReponseCode: 503 } : document));
  newer.push(createDocument(40));
  const olderId = await fillSnapshot(cache, older, {}, 10);
  const newerId = await fillSnapshot(cache, newer, {}, 10);
  const found = await cache.compareSnapshots({ olderId, newerId });
  expect(found).toMatchObject({ unchanged: 23, added: 1, removed: 1, changed: 1 });
  expect(found.differences).toMatchObject([
    { kind: 'changed', older: { seq: 21, responseCode: 200 }, newer: { seq: 20, responseCode: 503 } },
    { kind: 'removed', older: { seq: 4 }, newer: null },
    { kind: 'added', older: null, newer: { seq: 24, dateText: createDocument(40).Date } },
  ]);
});

test('the same report fetched again has no differences, at any page size', async () => {
  const documents = Array.from({ length: 50 }, (_, index) => createDocument(index));
  const first = await fillSnapshot(cache, documents, {}, 10);
  const second = await fillSnapshot(cache, documents, {}, 10);
  const third = await fillSnapshot(cache, documents, {}, 7);
  const same = { unchanged: 50, added: 0, removed: 0, changed: 0, differences: [] };
  expect(await cache.compareSnapshots({ olderId: first, newerId: second })).toEqual(same);
  expect(await cache.compareSnapshots({ olderId: first, newerId: third })).toEqual(same);
});

test('decisions 26 and 37, client: identical records are counted, never taken for one', async () => {
  const kinds = [0, 1, 2, 3].map((index) => createDocument(index, { Id: `session ${index}` }));
  const bags = fc.array(fc.constantFrom(...kinds), { maxLength: 12 });
  const count = (list: readonly TestDocument[], document: TestDocument): number =>
    list.filter((entry) => entry === document).length;
  // A page of different records that comes a third time is taken for a service that goes in circles.
  const goesInCircles = (list: readonly TestDocument[], size: number): boolean => {
    const pages = Array.from({ length: Math.ceil(list.length / size) }, (_, page) =>
      list.slice(page * size, (page + 1) * size).map(({ Id }) => Id),
    );
    const equal = Map.groupBy(
      pages.filter((ids) => new Set(ids).size > 1),
      (ids) => ids.join(),
    );
    return [...equal.values()].some(({ length }) => length > 2);
  };
  await fc.assert(
    fc.asyncProperty(bags, bags, fc.integer({ min: 1, max: 4 }), async (older, newer, pageSize) => {
      fc.pre(!goesInCircles(older, pageSize) && !goesInCircles(newer, pageSize));
      const olderId = await fillSnapshot(cache, older, {}, pageSize);
      const newerId = await fillSnapshot(cache, newer, {}, pageSize);
      const found = await cache.compareSnapshots({ olderId, newerId });
      const unchanged = kinds.reduce(
        (sum, kind) => sum + Math.min(count(older, kind), count(newer, kind)),
        0,
      );
      expect(found).toMatchObject({
        unchanged,
        changed: 0,
        removed: older.length - unchanged,
        added: newer.length - unchanged,
      });
    }),
    { numRuns: Number(process.env['ANSWER_RUNS'] ?? 12) },
  );
});

test('at most 200 differences are listed, and all are counted', async () => {
  const older = await fillSnapshot(cache, []);
  const newer = await fillSnapshot(
    cache,
    Array.from({ length: 500 }, (_, index) => createDocument(index)),
  );
  const found = await cache.compareSnapshots({ olderId: older, newerId: newer });
  expect(found).toMatchObject({ added: 500, removed: 0 });
  expect(found.differences.map(({ newer: record }) => record?.seq)).toEqual(
    Array.from({ length: 200 }, (_, seq) => seq),
  );
});

test('other pairs are refused', async () => {
  const inbound = await fillSnapshot(cache, []);
  const outbound = await fillSnapshot(cache, [], { report: 'outbound-detail' });
  const summary = await fillSnapshot(cache, [], { report: 'inbound-summary' });
  for (const [olderId, newerId] of [
    [inbound, outbound],
    [summary, summary],
    [inbound, inbound],
  ] as const) {
    await expect(cache.compareSnapshots({ olderId, newerId })).rejects.toMatchObject({
      code: 'app.invalid-input',
    });
  }
});
