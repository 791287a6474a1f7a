import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { StatusSample } from '../../../src-main/common/model/connections/status.ts';
import { createFolder, FROM_MS, openTestCache, toNewSnapshot, toPage } from './cache-fixture.ts';

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

test('a reported summary has what is no field of it, each group its own, and the time of its query', async () => {
  const group = (code: number, more: string) =>
    `{"Id":"s","ReponseCode":${code},"Channel":1,"Service":2,"Origin":"web","Count":"3","AvegareBotLatency":4,${more}}`;
  const groups = [
    '{"Id":"o","ReponseCode":200,"Channel":1,"Service":2,"Count":"9","AvegareReponseTime":1,"Region":"not inbound"}',
    group(200, '"AvegareReponseTime":"12abc","Region":"eu","Big":12345678901234567890'),
    '{"Count":"not a number"}',
    group(500, '"AvegareReponseTime":1.5'),
    group(404, '"AvegareReponseTime":1e400,"Price":1.50'),
  ];
  const body = `{"isValid":true,"executionTime":7.5,"lastDocument":"","documents":[${groups.join(',')}]}`;
  const { id } = await cache.createSnapshot(toNewSnapshot({ report: 'inbound-summary' }));
  await cache.storePage(toPage(id, ''), new Uint8Array(Buffer.from(body)).buffer).stored;
  const summary = await cache.readSummary(id);
  expect(summary.executionTimeMs).toBe(7.5);
  expect(summary.groups.map(({ responseCode, extra }) => [responseCode, extra])).toEqual([
    [200, { Region: '"eu"', Big: '12345678901234567890', AvegareReponseTime: '"12abc"' }],
    [500, undefined],
    [404, { Price: '1.50', AvegareReponseTime: '1e400' }],
  ]);
});

test('a status sample has what is no field of it, also after it was kept', async () => {
  const plain: StatusSample = {
    connectionId: 'one',
    checkedAtMs: FROM_MS,
    roundTripMs: 5,
    platform: 'up',
    connector: 'up',
    internalResponseTimeMs: null,
    sessions: null,
    traffic: [],
    trafficText: '',
    failure: null,
  };
  const extra = { fields: { 'Connector.Reason': '"restart"', InternalReponseTime: '1e400' }, leftOut: 2 };
  const sample = { ...plain, extra };
  await cache.addStatusSample({ ...plain, checkedAtMs: FROM_MS - 1000 });
  await cache.addStatusSample(sample);
  const span = { connectionId: 'one', nowMs: FROM_MS, spanMs: 60_000, ticks: 1 };
  expect((await cache.readStatusHistory(span)).latest).toEqual(sample);
});

test('seen: fields beside the records that were nowhere; each page has its own, as received', async () => {
  const { id } = await cache.createSnapshot(toNewSnapshot());
  const toBytes = (more: string) => {
    const record = '{"Id":"s","Date":"2026-11-20T10:00:00Z","Channel":1}';
    return new Uint8Array(Buffer.from(`{"isValid":true,"documents":[${record}],${more}}`)).buffer;
  };
  const first = toBytes('"lastDocument":"next","region":"eu","price":1.50');
  await cache.storePage(toPage(id, ''), first).stored;
  await cache.storePage(toPage(id, 'next'), toBytes('"lastDocument":"","totalDocument":"many"')).stored;
  const read = (pageNumber: number) => cache.readEnvelope({ snapshotId: id, pageNumber });
  expect(await read(0)).toEqual({ fields: { region: '"eu"', price: '1.50' }, leftOut: 0 });
  expect(await read(1)).toEqual({ fields: { totalDocument: '"many"' }, leftOut: 0 });
  await expect(read(2)).rejects.toMatchObject({ code: 'cache.page-damaged' });
});
