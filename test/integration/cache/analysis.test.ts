import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StatusSample } from '../../../src-main/common/model/status.ts';
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

const HOUR_MS = 3_600_000;
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

const createMany = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => createDocument(from + index));
const sum = (buckets: readonly { counts: number[] }[]): number =>
  buckets.flatMap(({ counts }) => counts).reduce((total, count) => total + count, 0);

test('overlapping snapshots count once, and the newest speaks for each instant', async () => {
  const period = (fromS: number, toS: number) => ({
    ...toNewSnapshot().period,
    fromMs: FROM_MS + fromS * 1000,
    toMs: FROM_MS + (toS - 1) * 1000,
  });
  await fillSnapshot(cache, createMany(100), { period: period(0, 100), startedAtMs: FROM_MS + 1 });
  // Seconds 50 to 150 again: the service now has a second record in each.
  const later = [...createMany(100, 50), ...createMany(100, 50)];
  await fillSnapshot(cache, later, { period: period(50, 150), startedAtMs: FROM_MS + 2 });
  await fillSnapshot(cache, createMany(10), { connectionId: 'two' });
  const volume = await cache.readVolume({
    connectionId: 'one',
    report: 'inbound-detail',
    fromMs: FROM_MS,
    toMs: FROM_MS + 200_000,
    buckets: 4,
  });
  expect(volume.buckets.map((bucket) => sum([bucket]))).toEqual([50, 100, 100, 0]);
  expect(volume.coverage).toBeCloseTo(0.75);
  const outbound = await cache.readVolume({
    connectionId: 'one',
    report: 'outbound-detail',
    fromMs: FROM_MS,
    toMs: FROM_MS + 200_000,
    buckets: 4,
  });
  expect([sum(outbound.buckets), outbound.coverage]).toEqual([0, 0]);
});

test('a download that did not end fills what no complete snapshot covers, without counting as coverage', async () => {
  const { id } = await cache.createSnapshot(toNewSnapshot({}, 100));
  await cache.storePage(toPage(id, ''), toBody(createMany(60), 'more', 100)).stored;
  const read = () =>
    cache.readVolume({
      connectionId: 'one',
      report: 'inbound-detail',
      fromMs: FROM_MS,
      toMs: FROM_MS + 100_000,
      buckets: 1,
    });
  expect(await read()).toMatchObject({ coverage: 0, buckets: [{ counts: [30, 0, 15, 15, 0] }] });
  await cache.storePage(toPage(id, 'more'), toBody(createMany(40, 60), '', 100)).stored;
  await cache.finishSnapshot({ snapshotId: id, state: 'complete', failure: null });
  const after = await read();
  expect([sum(after.buckets), after.coverage]).toEqual([100, 1]);
});

test('a computed summary groups inbound records with their origin and outbound ones without', async () => {
  const documents = createMany(120);
  const inbound = await fillSnapshot(cache, documents);
  const outbound = await fillSnapshot(
    cache,
    documents.map((document) => toOutbound(document, '-1')),
    { report: 'outbound-detail' },
  );
  const computed = await cache.computeSummary(inbound);
  expect(computed).toMatchObject({ source: 'computed', requestCount: 120 });
  const [group] = computed.groups;
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
  const own = await cache.computeSummary(outbound);
  expect(new Set(own.groups.map(({ origin }) => origin))).toEqual(new Set([null]));
  expect(new Set(own.groups.map(({ averageBotLatencyMs }) => averageBotLatencyMs))).toEqual(new Set([null]));
});

test('a reported summary is read back as the service gave it', async () => {
  const group = { Id: 's', ReponseCode: 200, Channel: 1, Service: 2, Origin: 'web', Count: '12' };
  const document = { ...group, AvegareReponseTime: 1.5, AvegareBotLatency: 3 };
  const id = await fillSnapshot(cache, [document], { report: 'inbound-summary' });
  expect(await cache.readSummary(id)).toEqual({
    ...{ source: 'reported', snapshotId: id, requestCount: 12 },
    groups: [
      {
        ...{ channel: 1, service: 2, origin: 'web', responseCode: 200, count: 12, sessionId: 's' },
        ...{ averageResponseTimeMs: 1.5, averageBotLatencyMs: 3 },
      },
    ],
  });
});

test('a session is found in both directions, in time order, each request once', async () => {
  const documents = createMany(21);
  await fillSnapshot(cache, documents);
  const newer = await fillSnapshot(cache, documents, { startedAtMs: FROM_MS + 1000 });
  const outbound = await fillSnapshot(
    cache,
    documents.map((document) => toOutbound(document, '7')),
    { report: 'outbound-detail' },
  );
  await fillSnapshot(cache, documents, { connectionId: 'two' });
  const requests = await cache.readSession({ connectionId: 'one', sessionId: documents[3]!.Id });
  expect(requests.map(({ direction, snapshotId, seq }) => [direction, snapshotId, seq])).toEqual(
    [3, 10, 17].flatMap((seq) => [
      ['inbound', newer, seq],
      ['outbound', outbound, seq],
    ]),
  );
  expect(requests[1]).toMatchObject({ actionId: '7', botLatencyMs: null });
});

test('attention is drawn to errors and slowness of the last hour only', async () => {
  const place = { Channel: 1, Service: 5, ReponseCode: 200, ReponseTime: 100 };
  const at = (ms: number, changes: object = {}) =>
    createDocument(0, { ...place, ...changes, Date: new Date(FROM_MS + ms).toISOString() });
  const usual = Array.from({ length: 200 }, (_, index) => at(index * 30_000));
  const calm = Array.from({ length: 100 }, (_, index) => at(2 * HOUR_MS + index * 30_000, { Service: 6 }));
  const recent = Array.from({ length: 60 }, (_, index) =>
    at(3 * HOUR_MS + index * 30_000, { ReponseTime: 250, ReponseCode: index < 25 ? 500 : 200 }),
  );
  const id = await fillSnapshot(cache, [...usual, ...calm, ...recent]);
  const found = await cache.readAttention('one');
  expect(found.map(({ kind, count }) => [kind, count])).toEqual([
    ['errors-up', 25],
    ['slower', 60],
  ]);
  expect(found[1]).toMatchObject({ snapshotId: id, direction: 'inbound', channel: 1, service: 5 });
  expect(found[1]).toMatchObject({ recent: 250, usual: 100 });
  expect(found[1]!.trend).toHaveLength(16);
  expect(found[1]!.trend.at(-1)).toBe(250);
  expect(await cache.readAttention('two')).toEqual([]);
});

function createSample(atMs: number, changes: Partial<StatusSample> = {}): StatusSample {
  return {
    ...{ connectionId: 'one', checkedAtMs: FROM_MS + atMs, roundTripMs: 5, platform: 'up', connector: 'up' },
    ...{ internalResponseTimeMs: 100, sessions: 3, trafficText: '', failure: null },
    traffic: [{ Division: 1, Channel: 2, Service: 3, Sessions: 3 }],
    ...changes,
  };
}

test('decision 28, client: only what the service said counts towards uptime', async () => {
  const unreachable: Partial<StatusSample> = {
    ...{ platform: 'unreachable', connector: 'unreachable', failure: 'client.unreachable' },
    ...{ internalResponseTimeMs: null, sessions: null, roundTripMs: null, traffic: [] },
  };
  const samples = [
    createSample(1_000),
    createSample(11_000, { platform: 'down', internalResponseTimeMs: 300 }),
    createSample(12_000, { internalResponseTimeMs: 500 }),
    createSample(21_000),
    createSample(31_000, unreachable),
    createSample(32_000, unreachable),
  ];
  for (const sample of samples) await cache.addStatusSample(sample);
  await cache.addStatusSample(createSample(2_000, { connectionId: 'two', platform: 'down' }));
  const history = await cache.readStatusHistory({
    connectionId: 'one',
    nowMs: FROM_MS + 50_000,
    spanMs: 50_000,
    ticks: 5,
  });
  expect(history.latest).toEqual(samples[5]);
  expect(history.lastAnswered).toEqual(samples[3]);
  expect(history.ticks.map(({ platform }) => platform)).toEqual([
    'up',
    'partly',
    'up',
    'unreachable',
    'not-checked',
  ]);
  expect(history.ticks.map(({ internalResponseTimeMs }) => internalResponseTimeMs)).toEqual([
    100,
    400,
    100,
    null,
    null,
  ]);
  expect(history).toMatchObject({
    ...{ platformUptime: 0.75, connectorUptime: 1, platformSinceMs: FROM_MS + 31_000 },
    ...{ medianResponseTimeMs: 200, maxResponseTimeMs: 500 },
  });
  const none = await cache.readStatusHistory({
    connectionId: 'three',
    nowMs: FROM_MS,
    spanMs: 50_000,
    ticks: 2,
  });
  expect(none).toMatchObject({ latest: null, platformUptime: null, platformSinceMs: null });
});

test('storage is divided among the reports and never more than the file', async () => {
  await fillSnapshot(cache, createMany(2000));
  await fillSnapshot(
    cache,
    createMany(500).map((document) => toOutbound(document, '1')),
    { report: 'outbound-detail' },
  );
  const storage = await cache.readStorage();
  expect(storage.inboundDetailBytes).toBeGreaterThan(storage.outboundDetailBytes);
  expect(storage.outboundDetailBytes).toBeGreaterThan(0);
  expect(storage.totalBytes).toBeGreaterThanOrEqual(storage.databaseBytes);
});
