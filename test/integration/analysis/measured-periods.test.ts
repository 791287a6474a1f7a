import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnalysisHandlers } from '../../../src-main/core/app/app-handlers.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  openTestEngine,
  toNewSnapshot,
  toOutbound,
} from '../cache/cache-fixture.ts';
import { measureTimes, near } from './measured-plainly.ts';

const ALL = { conditions: [] };
const MINUTE_MS = 60_000;
const documents = Array.from({ length: 600 }, (_, second) => createDocument(second));

let cache: Cache;
let engine: Engine;
let place: Awaited<ReturnType<typeof createFolder>>;
let analysis: ReturnType<typeof createAnalysisHandlers>;
beforeAll(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
  engine = openTestEngine(place.file);
  analysis = createAnalysisHandlers({ engine });
  const fill = (fromS: number, toS: number, startedAtMs: number) =>
    fillSnapshot(cache, documents.slice(fromS, toS), {
      startedAtMs,
      period: {
        ...toNewSnapshot().period,
        fromMs: FROM_MS + fromS * 1000,
        toMs: FROM_MS + (toS - 1) * 1000,
      },
    });
  await fill(0, 400, FROM_MS);
  await fill(300, 600, FROM_MS + 1000);
  await fill(100, 150, FROM_MS + 2000);
  await fillSnapshot(
    cache,
    documents.map((document, index) => toOutbound(document, index % 2 === 0 ? '7' : '')),
    { report: 'outbound-detail' },
  );
});
afterAll(async () => {
  await engine.close();
  await cache.close();
  await place.remove();
});

const toScope = (report: 'inbound-detail' | 'outbound-detail', fromS = 0, toS = 600) => ({
  connectionId: 'one',
  report,
  fromMs: FROM_MS + fromS * 1000,
  toMs: FROM_MS + toS * 1000,
});

describe('what is measured over a period', () => {
  it('counts each moment once, whatever snapshots overlap there', async () => {
    const scope = toScope('inbound-detail', 50, 550);
    const found = documents.slice(50, 550);
    const { groups, total } = await analysis['analysis/group-records']({
      scope,
      filter: ALL,
      by: ['channel'],
    });
    expect(total.count).toBe(500);
    expect(total.response).toEqual(near(measureTimes(found.map(({ ReponseTime }) => ReponseTime))));
    expect(total.botLatency).toEqual(near(measureTimes(found.map(({ BotLatency }) => BotLatency))));
    expect(groups.map(({ count }) => count)).toEqual([167, 167, 166]);
    const edges = Array.from({ length: 11 }, (_, minute) => FROM_MS + minute * MINUTE_MS);
    const series = await analysis['analysis/read-series']({ scope, filter: ALL, edges });
    expect(series.map(({ count }) => count)).toEqual([10, 60, 60, 60, 60, 60, 60, 60, 60, 10]);
    const { cells } = await analysis['analysis/read-heat-map']({
      scope,
      filter: ALL,
      zone: 'Asia/Kathmandu',
    });
    // Friday, 15:45 to 15:54 there.
    expect(cells.flatMap(({ count }, hour) => (count > 0 ? [[hour, count]] : []))).toEqual([
      [4 * 24 + 15, 500],
    ]);
    const read = { scope, filter: ALL, field: 'botLatencyMs' as const };
    const { times, missingCount } = await analysis['analysis/read-distribution'](read);
    expect([times.count, missingCount]).toEqual([500, 0]);
  });

  it('has no value where the report lacks the field, and none for an empty text', async () => {
    const scope = toScope('outbound-detail');
    const { groups, total } = await analysis['analysis/group-records']({
      scope,
      filter: ALL,
      by: ['actionId', 'errorFamily'],
    });
    expect(groups.map(({ key, count }) => [...key, count])).toEqual([
      ['7', null, 300],
      [null, null, 150],
      [null, 'Timed out', 150],
    ]);
    expect(total.botLatency).toEqual(measureTimes([]));
    const { groups: one } = await analysis['analysis/group-records']({
      scope: toScope('inbound-detail'),
      filter: ALL,
      by: ['actionId'],
    });
    expect(one.map(({ key, count }) => [...key, count])).toEqual([[null, 600]]);
    const read = { scope, filter: ALL, field: 'botLatencyMs' as const };
    expect(await analysis['analysis/read-distribution'](read)).toMatchObject({
      buckets: [],
      missingCount: 600,
    });
  });

  it('is refused without rising edges or with a zone that does not exist', async () => {
    const scope = toScope('inbound-detail');
    const refused = { code: 'app.invalid-input' };
    const series = (edges: number[]) => async () =>
      analysis['analysis/read-series']({ scope, filter: ALL, edges });
    await expect(series([10, 10])).rejects.toMatchObject(refused);
    await expect(series([10, 20, 15])).rejects.toMatchObject(refused);
    const heat = async () => analysis['analysis/read-heat-map']({ scope, filter: ALL, zone: 'Mars/Olympus' });
    await expect(heat).rejects.toMatchObject(refused);
  });
});
