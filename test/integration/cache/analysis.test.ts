import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StatusSample } from '../../../src-main/common/model/status.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  toOutbound,
} from './cache-fixture.ts';

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
