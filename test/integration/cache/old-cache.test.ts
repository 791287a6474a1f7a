import { readFile } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { REPORT_KINDS } from '../../../src-main/common/reporting/reports.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  toOutbound,
  type TestDocument,
} from './cache-fixture.ts';

/** A cache as version 0.1.0 wrote it: one snapshot of each report, with nulls, long texts, unknown fields. */
const OLD_CACHE = new URL('cache-of-0.1.0.sql', import.meta.url);

let cache: Cache;
let place: Awaited<ReturnType<typeof createFolder>>;

beforeAll(async () => {
  place = await createFolder();
  const database = new Database(place.file);
  database.exec(await readFile(OLD_CACHE, 'utf8'));
  database.close();
  cache = await openTestCache(place.file);
});
afterAll(async () => {
  await cache.close();
  await place.remove();
});

const findSnapshot = async (report: string) => {
  const snapshots = await cache.listSnapshots('one');
  return snapshots.filter((snapshot) => snapshot.report === report).sort((a, b) => a.id - b.id)[0]?.id ?? 0;
};
const readChecksums = async (snapshotId: number) => {
  const { pages } = await cache.readJournal({ snapshotId, offset: 0, limit: 100 });
  return pages.map(({ recordsSha256 }) => recordsSha256);
};

test.each(REPORT_KINDS)('the pages of %s still have the checksums that were stored', async (report) => {
  const id = await findSnapshot(report);
  const signal = new AbortController().signal;
  const check = await cache.verifyPages(id, { signal, onProgress: () => undefined });
  expect(check).toEqual({ damagedPages: [], missingPages: 0, uncheckedPages: 0 });
  expect(await readChecksums(id)).not.toContain(null);
});

test('the same pages are stored under the same checksums today', async () => {
  const nulls = { Channel: null, Service: null, ReponseTime: null, ReponseCode: null, BotLatency: null };
  const group = {
    Id: 's-1',
    ReponseCode: 200,
    Channel: 2,
    Service: 3,
    Count: '1204',
    AvegareReponseTime: 201.25,
  };
  const change = (index: number, changes: object): TestDocument => ({ ...createDocument(index), ...changes });
  const pages = {
    'inbound-detail': [
      createDocument(0),
      change(1, { ...nulls, Date: 'yesterday', Error: "it's \u{1F600} and é" }),
      'no record',
      change(2, { Payload: 'ab'.repeat(1050) }),
      change(3, { Division: [1, { deep: null }] }),
      createDocument(4),
    ],
    'outbound-detail': [
      toOutbound(createDocument(0), '-1'),
      toOutbound(change(1, { Payload: '' }), '17'),
      { ...toOutbound(createDocument(2), '5'), Reponse: null },
    ],
    'inbound-summary': [
      { ...group, Origin: 'web', AvegareBotLatency: 71 },
      { ...group, ReponseCode: 500, Origin: '', AvegareBotLatency: 3 },
    ],
    'outbound-summary': [group, { ...group, Channel: null, AvegareReponseTime: null }],
  };
  for (const report of REPORT_KINDS) {
    const pageSize = { 'inbound-detail': 3, 'outbound-detail': 2 }[report as string] ?? 1000;
    const id = await fillSnapshot(cache, pages[report], { report }, pageSize);
    expect(await readChecksums(id), report).toEqual(await readChecksums(await findSnapshot(report)));
  }
});

test('pages that an old cache kept as rows only say that they were made again from these', async () => {
  for (const report of REPORT_KINDS) {
    const snapshotId = await findSnapshot(report);
    const { pages } = await cache.readJournal({ snapshotId, offset: 0, limit: 100 });
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.every(({ rebuilt }) => rebuilt)).toBe(true);
  }
});

test('records are read as they were', async () => {
  const inbound = await findSnapshot('inbound-detail');
  expect(await cache.readRecord({ snapshotId: inbound, seq: 1 })).toMatchObject({
    seq: 1,
    dateText: 'yesterday',
    dateMs: null,
    channel: null,
    error: "it's \u{1F600} and é",
    botLatencyMs: null,
    actionId: null,
    response: null,
    payload: '{"text":"hello 1"}',
    payloadPreview: 'hello 1',
  });
  expect(await cache.readRecord({ snapshotId: inbound, seq: 2 })).toMatchObject({
    payloadLength: 2100,
    extra: {},
  });
  expect(await cache.readRecord({ snapshotId: inbound, seq: 3 })).toMatchObject({
    extra: { Division: '[1,{"deep":null}]' },
  });
  const outbound = await findSnapshot('outbound-detail');
  expect(await cache.readRecord({ snapshotId: outbound, seq: 1 })).toMatchObject({
    actionId: '17',
    response: '{"ok":true}',
  });
  const { groups } = await cache.readSummary(await findSnapshot('outbound-summary'));
  expect(groups).toMatchObject([
    { channel: 2, origin: null, count: 1204, averageResponseTimeMs: 201.25, averageBotLatencyMs: null },
    { channel: null, averageResponseTimeMs: null, sessionId: 's-1' },
  ]);
});
