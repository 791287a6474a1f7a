import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Period } from '../../../src-main/common/model/period.ts';
import { type RecordOrder, toRecordId } from '../../../src-main/common/model/records/record.ts';
import type { PeriodScope } from '../../../src-main/common/model/records/record-filter.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { createOverviewHandlers } from '../../../src-main/core/overview/overview-handlers.ts';
import { createRecordsHandlers } from '../../../src-main/core/records/records-handlers.ts';
import {
  createDocument,
  fillSnapshot,
  FROM_MS,
  toBody,
  toNewSnapshot,
  toOutbound,
  toPage,
} from '../cache/cache-fixture.ts';
import { shareCache } from '../cache/share-cache.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';

const HOUR_MS = 3_600_000;
const RECEIVED: RecordOrder = [{ column: 'received', descending: false }];
const ALL = { conditions: [] };

let cache: Cache;
let engine: Engine;
let killEngine: () => void;
let records: ReturnType<typeof createRecordsHandlers>;
let overview: ReturnType<typeof createOverviewHandlers>;
shareCache((shared) => {
  ({ cache, engine } = shared);
  killEngine = () => shared.processes.at(-1)?.kill();
  records = createRecordsHandlers({ cache, engine, connections: { listSaved: () => [] } });
  overview = createOverviewHandlers({
    engine,
    ledger: openLedger(cache),
    now: () => FROM_MS + 4 * 3_600_000,
  });
});

const createMany = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => createDocument(from + index));
const toPeriod = (fromS: number, toS: number): Period => ({
  ...toNewSnapshot().period,
  fromMs: FROM_MS + fromS * 1000,
  toMs: FROM_MS + (toS - 1) * 1000,
});
const toScope = (fromS: number, toS: number): PeriodScope => ({
  connectionId: 'one',
  report: 'inbound-detail',
  fromMs: FROM_MS + fromS * 1000,
  toMs: FROM_MS + toS * 1000,
});
const sum = (buckets: readonly { counts: number[] }[]): number =>
  buckets.flatMap(({ counts }) => counts).reduce((total, count) => total + count, 0);

describe('a view', () => {
  it('reads its rows in order, from anywhere, and counts what it left out', async () => {
    const id = await fillSnapshot(cache, createMany(1000));
    const view = await records['records/open-view']({
      scope: { snapshotId: id },
      filter: { conditions: [{ field: 'responseCode', classes: ['5xx'] }] },
      order: [{ column: 'responseTimeMs', descending: true }],
    });
    expect(view).toMatchObject({ rowCount: 250, totalCount: 1000 });
    const rows = await records['records/read-rows']({ viewId: view.viewId, offset: 240, limit: 20 });
    expect(rows).toHaveLength(10);
    const times = rows.map(({ responseTimeMs }) => responseTimeMs ?? 0);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(rows[0]).toMatchObject({ snapshotId: id, responseCode: 500, error: 'Timed out' });
  });

  it('of a running download covers the records that were there when it was opened', async () => {
    const { id } = await cache.createSnapshot(toNewSnapshot());
    await cache.storePage(toPage(id, ''), toBody([createDocument(0)], 'a', 2)).stored;
    const view = await records['records/open-view']({
      scope: { snapshotId: id },
      filter: ALL,
      order: RECEIVED,
    });
    await cache.storePage(toPage(id, 'a'), toBody([createDocument(1)], '', 2)).stored;
    expect(view).toMatchObject({ rowCount: 1, totalCount: 1 });
    const rows = await records['records/read-rows']({ viewId: view.viewId, offset: 0, limit: 5 });
    expect(rows.map(({ seq }) => seq)).toEqual([0]);
    const later = await records['records/open-view']({
      scope: { snapshotId: id },
      filter: ALL,
      order: RECEIVED,
    });
    expect(later.rowCount).toBe(2);
  });

  it('has a histogram, facets and error families of its own records, while more arrive', async () => {
    const { id } = await cache.createSnapshot(toNewSnapshot());
    const question = { scope: toScope(0, 3600), filter: ALL };
    const [fromMs, toMs] = [FROM_MS, FROM_MS + 3_600_000];
    const count = async (viewId?: string): Promise<number[]> => {
      const asked = { ...question, ...(viewId === undefined ? {} : { viewId }) };
      const chart = { zone: 'UTC', maxBuckets: 20, split: 'class' as const, withMedian: true };
      const { buckets } = await records['records/read-histogram']({ ...asked, ...chart, fromMs, toMs });
      const { codeClasses } = await records['records/read-facets'](asked);
      const { errorCount } = await records['records/find-error-families']({ ...asked, fromMs, toMs });
      return [sum(buckets), codeClasses.reduce((total, each) => total + each.count, 0), errorCount];
    };
    await cache.storePage(toPage(id, ''), toBody(createMany(40), 'a', 80)).stored;
    const { viewId, rowCount } = await records['records/open-view']({ ...question, order: RECEIVED });
    const before = await count();
    await cache.storePage(toPage(id, 'a'), toBody(createMany(40, 40), '', 80)).stored;
    expect(await count(viewId)).toEqual(before);
    expect(before.slice(0, 2)).toEqual([rowCount, rowCount]);
    await records['records/close-view']({ viewId });
    expect((await count(viewId)).slice(0, 2)).toEqual([80, 80]);
  });

  it('is closed when too many newer ones are open', async () => {
    const id = await fillSnapshot(cache, createMany(10));
    const openOne = () =>
      records['records/open-view']({ scope: { snapshotId: id }, filter: ALL, order: RECEIVED });
    const { viewId } = await openOne();
    for (let count = 0; count < 16; count += 1) await openOne();
    await expect(
      (async () => records['records/read-rows']({ viewId, offset: 0, limit: 1 }))(),
    ).rejects.toMatchObject({ code: 'cache.view-closed' });
  });
});

describe('a histogram', () => {
  it('has buckets of a round length that begin at round times of the shown clock', async () => {
    await fillSnapshot(cache, createMany(3600));
    const { buckets } = await records['records/read-histogram']({
      scope: toScope(0, 3600),
      filter: ALL,
      fromMs: FROM_MS + 61_000,
      toMs: FROM_MS + 3_600_000,
      zone: 'Asia/Kathmandu',
      maxBuckets: 20,
      split: 'class',
      withMedian: false,
    });
    expect(new Set(buckets.map(({ fromMs, toMs }) => toMs - fromMs))).toEqual(new Set([300_000]));
    expect(buckets[0]!.fromMs).toBe(FROM_MS);
    expect(sum(buckets)).toBe(3600);
  });
});

describe('facets', () => {
  it('respect the conditions on other fields, and not those on their own', async () => {
    const id = await fillSnapshot(cache, createMany(240));
    const facets = await records['records/read-facets']({
      scope: { snapshotId: id },
      filter: {
        conditions: [
          { field: 'channel', values: [1] },
          { field: 'responseCode', classes: ['2xx'] },
        ],
      },
    });
    expect(facets.channels.map(({ value, count }) => [value, count])).toEqual([
      [0, 40],
      [1, 40],
      [2, 40],
    ]);
    expect(facets.codeClasses).toEqual([
      { value: '2xx', count: 40 },
      { value: '4xx', count: 20 },
      { value: '5xx', count: 20 },
    ]);
  });

  it('count every record by its class, however many different codes there are', async () => {
    const codes = Array.from({ length: 600 }, (_none, place) =>
      createDocument(place, { ReponseCode: 1000 + place }),
    );
    const id = await fillSnapshot(cache, [...codes, createDocument(600, { ReponseCode: 200 })]);
    const filter = { conditions: [{ field: 'responseCode' as const, classes: ['2xx' as const] }] };
    const { codeClasses } = await records['records/read-facets']({ scope: { snapshotId: id }, filter });
    expect(codeClasses).toEqual([
      { value: '2xx', count: 1 },
      { value: 'none', count: 600 },
    ]);
  });

  it('count families of errors, and no record without an error', async () => {
    const id = await fillSnapshot(cache, createMany(240));
    const filter = { conditions: [{ field: 'errorFamily' as const, values: ['another'] }] };
    const { errorFamilies, codeClasses } = await records['records/read-facets']({
      scope: { snapshotId: id },
      filter,
    });
    expect(errorFamilies.length).toBeGreaterThan(0);
    expect(errorFamilies.map(({ value }) => value)).not.toContain('');
    expect(errorFamilies.find(({ value }) => value === 'Timed out')?.count).toBe(60);
    expect(codeClasses).toEqual([]);
  });
});

describe('decision 33, client: everything cached of a period', () => {
  it('counts each moment once, from the snapshot that was fetched later', async () => {
    await fillSnapshot(cache, createMany(100), { period: toPeriod(0, 100), startedAtMs: FROM_MS + HOUR_MS });
    // Seconds 50 to 150 again: the service now has a second record in each.
    const later = [...createMany(100, 50), ...createMany(100, 50)];
    await fillSnapshot(cache, later, { period: toPeriod(50, 150), startedAtMs: FROM_MS + HOUR_MS + 1 });
    await fillSnapshot(cache, createMany(10), { connectionId: 'two' });
    const volume = await overview['overview/read-volume']({
      connectionId: 'one',
      fromMs: FROM_MS,
      toMs: FROM_MS + 200_000,
      buckets: 4,
    });
    expect(volume.inbound.map((bucket) => sum([bucket]))).toEqual([50, 100, 100, 0]);
    expect(volume.inboundCoverage).toBeCloseTo(0.75);
    expect([sum(volume.outbound), volume.outboundCoverage]).toEqual([0, 0]);
  });

  it('takes the larger of two snapshots where the later one is not complete', async () => {
    await fillSnapshot(cache, createMany(100), { period: toPeriod(0, 100), startedAtMs: FROM_MS + HOUR_MS });
    const { id } = await cache.createSnapshot(
      toNewSnapshot({ period: toPeriod(0, 100), startedAtMs: FROM_MS + HOUR_MS + 1 }),
    );
    await cache.storePage(toPage(id, '', FROM_MS + 500), toBody(createMany(30), 'more', 100)).stored;
    const view = await records['records/open-view']({ scope: toScope(0, 100), filter: ALL, order: RECEIVED });
    expect(view.rowCount).toBe(100);
  });

  it('holds records without a readable date once, with a period that holds their whole snapshot', async () => {
    const odd = createDocument(5, { Date: 'soon' });
    await fillSnapshot(cache, [...createMany(10), odd], { period: toPeriod(0, 10) });
    const count = async (fromS: number, toS: number) =>
      (await records['records/open-view']({ scope: toScope(fromS, toS), filter: ALL, order: RECEIVED }))
        .rowCount;
    expect(await count(0, 10)).toBe(11);
    expect(await count(0, 5)).toBe(5);
  });

  it('gives one number in the table, the summary, the histogram, the facets and row by row, for any period', async () => {
    // Each second has one record; snapshots overlap, one is partial, one was fetched again.
    await fillSnapshot(cache, createMany(300), { period: toPeriod(0, 300), startedAtMs: FROM_MS + HOUR_MS });
    await fillSnapshot(cache, createMany(200, 200), {
      period: toPeriod(200, 400),
      startedAtMs: FROM_MS + HOUR_MS + 1,
    });
    const { id } = await cache.createSnapshot(
      toNewSnapshot({ period: toPeriod(350, 600), startedAtMs: FROM_MS + 3 }),
    );
    await cache.storePage(toPage(id, '', FROM_MS + 900), toBody(createMany(100, 350), 'more', 250)).stored;
    await fillSnapshot(cache, createMany(50, 500), { period: toPeriod(500, 550), startedAtMs: FROM_MS + 4 });
    /** Seconds of which a record is cached: 0 to 449, and 500 to 549. */
    const countPlainly = (fromS: number, toS: number): number =>
      Array.from({ length: toS - fromS }, (_, index) => fromS + index).filter(
        (second) => second < 450 || (second >= 500 && second < 550),
      ).length;
    await fc.assert(
      fc.asyncProperty(fc.nat(600), fc.integer({ min: 1, max: 300 }), async (fromS, length) => {
        const scope = toScope(fromS, fromS + length);
        const expected = countPlainly(fromS, fromS + length);
        const { viewId, rowCount } = await records['records/open-view']({
          scope,
          filter: ALL,
          order: RECEIVED,
        });
        expect(rowCount).toBe(expected);
        const groups = await engine.summarise(scope);
        expect(groups.reduce((total, { count }) => total + count, 0)).toBe(expected);
        const { buckets } = await records['records/read-histogram']({
          scope,
          filter: ALL,
          fromMs: scope.fromMs,
          toMs: scope.toMs,
          zone: 'UTC',
          maxBuckets: 60,
          split: 'class',
          withMedian: false,
        });
        expect(sum(buckets)).toBe(expected);
        const facets = await records['records/read-facets']({ scope, filter: ALL });
        expect(facets.channels.reduce((total, { count }) => total + count, 0)).toBe(expected);
        const rows = await records['records/read-rows']({ viewId, offset: 0, limit: 500 });
        expect(new Set(rows.map(({ dateMs }) => dateMs)).size).toBe(expected);
        await records['records/close-view']({ viewId });
      }),
      { numRuns: Number(process.env['PERIOD_RUNS'] ?? 12) },
    );
  }, 120_000);
});

describe('a computed summary', () => {
  it('groups inbound records with their origin and outbound ones without', async () => {
    const documents = createMany(120);
    const inbound = await fillSnapshot(cache, documents);
    const outbound = await fillSnapshot(
      cache,
      documents.map((document) => toOutbound(document, '-1')),
      { report: 'outbound-detail' },
    );
    const [group] = await engine.summarise({ snapshotId: inbound });
    const members = documents.filter(
      (document) =>
        document.Channel === group!.channel &&
        document.Service === group!.service &&
        document.Origin === group!.origin &&
        document.ReponseCode === group!.responseCode,
    );
    const average = members.reduce((total, { ReponseTime }) => total + ReponseTime, 0) / members.length;
    expect(group).toMatchObject({ count: members.length, sessionId: members.at(-1)!.Id });
    expect(group!.averageResponseTimeMs).toBeCloseTo(average);
    const own = await engine.summarise({ snapshotId: outbound });
    expect(own.length).toBeGreaterThan(0);
    expect(new Set(own.map(({ origin }) => origin))).toEqual(new Set([null]));
    expect(new Set(own.map(({ averageBotLatencyMs }) => averageBotLatencyMs))).toEqual(new Set([null]));
  });
});

describe('a trend of errors', () => {
  it('leaves out what is before its period, and what is after it', async () => {
    const failing = [0, 9, 10, 11, 33, 34, 50].map((second) =>
      createDocument(second, { ReponseCode: 500, Error: 'Timed out' }),
    );
    const id = await fillSnapshot(cache, failing);
    const period = { fromMs: FROM_MS + 10_000, toMs: FROM_MS + 34_000 };
    const question = { scope: { snapshotId: id }, filter: ALL, ...period };
    const [family] = (await records['records/find-error-families'](question)).families;
    expect(family?.count).toBe(7);
    expect(family?.trend).toEqual([1, 1, ...Array.from({ length: 21 }, () => 0), 1]);
    const [group] = (await records['records/group-errors']({ ...question, by: 'responseCode' })).groups;
    expect(group?.trend).toEqual(family?.trend);
  });
});

describe('a session', () => {
  it('is found whole in any letter case, however each of its records spells it', async () => {
    const spellings = ['abcdef00-0000-4000-8000-0000000000ab', 'ABCDEF00-0000-4000-8000-0000000000AB'];
    const mixed = 'aBcDeF00-0000-4000-8000-0000000000Ab';
    await fillSnapshot(
      cache,
      [...spellings, mixed].map((Id, index) => createDocument(index, { Id })),
    );
    for (const sessionId of [...spellings, mixed]) {
      const session = await records['records/read-session']({ connectionId: 'one', sessionId, limit: 10 });
      expect(session.inbound.requests).toBe(3);
    }
  });

  it('is found in both directions, in the order of time, each request once', async () => {
    const documents = createMany(21);
    await fillSnapshot(cache, documents);
    const newer = await fillSnapshot(cache, documents, { startedAtMs: FROM_MS + 1000 });
    const outbound = await fillSnapshot(
      cache,
      documents.map((document) => toOutbound(document, '7')),
      { report: 'outbound-detail' },
    );
    await fillSnapshot(cache, documents, { connectionId: 'two' });
    const read = (limit: number) =>
      records['records/read-session']({ connectionId: 'one', sessionId: documents[3]!.Id, limit });
    const { requests, ...counted } = await read(1000);
    expect(requests.map(({ direction, snapshotId, seq }) => [direction, snapshotId, seq])).toEqual(
      [3, 10, 17].flatMap((seq) => [
        ['inbound', newer, seq],
        ['outbound', outbound, seq],
      ]),
    );
    expect(requests[1]).toMatchObject({ actionId: '7', botLatencyMs: null });
    // What was said comes with it; the row has it from the payload.
    const rows = await cache.readRows({ report: 'inbound-detail', ids: [toRecordId(newer, 3)] });
    expect(rows[0]?.payloadPreview).not.toBe('');
    expect(requests[0]?.payloadPreview).toBe(rows[0]?.payloadPreview);
    const failures = requests.filter(({ responseCode }) => (responseCode ?? 0) >= 400);
    expect(counted).toEqual({
      inbound: { requests: 3, failures: failures.length / 2 },
      outbound: { requests: 3, failures: failures.length / 2 },
      undatedCount: 0,
      firstMs: requests[0]?.dateMs,
      lastMs: requests.at(-1)?.dateMs,
      endMs: Math.max(...requests.map(({ dateMs, responseTimeMs }) => dateMs + (responseTimeMs ?? 0))),
      untimedCount: 0,
    });
    expect(await read(0)).toEqual({ ...counted, requests: [] });
    expect((await read(2)).requests).toEqual(requests.slice(0, 2));
  });

  it('is found by a GUID in any letter case', async () => {
    const Id = '9060f371-3f71-470e-92cc-2d35dc95274c';
    await fillSnapshot(cache, [createDocument(0, { Id }), createDocument(1, { Id: Id.toUpperCase() })]);
    for (const sessionId of [Id, Id.toUpperCase(), Id.replace('f', 'F')]) {
      const question = { connectionId: 'one', sessionId, limit: 10 };
      expect((await records['records/read-session'](question)).requests).toHaveLength(2);
    }
  });

  it('counts requests without a readable date, and those that nobody has heard of not at all', async () => {
    const documents = createMany(21);
    await fillSnapshot(
      cache,
      documents.map((document, index) => (index === 10 ? { ...document, Date: 'soon' } : document)),
    );
    const read = (sessionId: string) =>
      records['records/read-session']({ connectionId: 'one', sessionId, limit: 100 });
    const session = await read(documents[3]!.Id);
    expect(session.inbound.requests).toBe(3);
    expect(session.undatedCount).toBe(1);
    expect(session.requests).toHaveLength(2);
    expect(await read('nobody')).toMatchObject({ requests: [], firstMs: null, lastMs: null, endMs: null });
  });

  it('ends with the last response that is known, and counts the requests that have none', async () => {
    const [first, second, third] = [0, 1000, 2000].map((afterMs, index) => ({
      ...createDocument(0, { Date: new Date(FROM_MS + afterMs).toISOString() }),
      ReponseTime: [5000, 10, -1][index]!,
    }));
    await fillSnapshot(cache, [first!, second!, third!]);
    const session = await records['records/read-session']({
      connectionId: 'one',
      sessionId: first!.Id,
      limit: 0,
    });
    expect(session).toMatchObject({
      firstMs: FROM_MS,
      lastMs: FROM_MS + 2000,
      endMs: FROM_MS + 5000,
      untimedCount: 1,
    });
  });
});

describe('recent traffic', () => {
  it('is counted minute by minute, back from the newest cached instant to the last gap only', async () => {
    const at = (second: number, ReponseCode = 200) =>
      createDocument(0, { ReponseCode, Date: new Date(FROM_MS + second * 1_000).toISOString() });
    const nowMs = FROM_MS + 4 * HOUR_MS;
    const before = 4 * 3_600;
    const early = [at(before - 1_500), at(before - 1_500)];
    const late = [at(before - 590), at(before - 580, 302), at(before - 310, 503), at(before - 130, 404)];
    const startedAtMs = nowMs - 120_000;
    await fillSnapshot(cache, early, { period: toPeriod(before - 3_000, before - 1_000), startedAtMs });
    await fillSnapshot(cache, late, { period: toPeriod(before - 600, before - 120), startedAtMs });
    const { inbound, outbound } = await overview['overview/read-recent-traffic']({ connectionId: 'one' });
    expect(outbound).toBeNull();
    expect(inbound?.toMs).toBe(nowMs - 120_000);
    expect(inbound?.minutes).toEqual([
      { successes: 2, failures: 0 },
      ...[0, 0, 0].map((failures) => ({ successes: 0, failures })),
      { successes: 0, failures: 1 },
      ...[0, 0].map((failures) => ({ successes: 0, failures })),
      { successes: 0, failures: 1 },
    ]);
  });

  it('that ended long ago is none', async () => {
    await fillSnapshot(cache, createMany(100), { period: toPeriod(0, 100) });
    expect(await overview['overview/read-recent-traffic']({ connectionId: 'one' })).toEqual({
      inbound: null,
      outbound: null,
    });
  });
});

describe("the engine's process", () => {
  it('that dies is started again, fed anew, and the question answered', async () => {
    const id = await fillSnapshot(cache, createMany(500));
    expect(await engine.summarise({ snapshotId: id })).not.toEqual([]);
    const dying = engine.summarise({ snapshotId: id });
    killEngine();
    const groups = await dying;
    expect(groups.reduce((total, { count }) => total + count, 0)).toBe(500);
  });

  it('reports a question about a snapshot that is gone as such', async () => {
    await expect(engine.summarise({ snapshotId: 9999 })).rejects.toMatchObject({
      code: 'cache.snapshot-not-found',
    });
  });
});
