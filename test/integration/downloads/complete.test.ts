import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DownloadPlan } from '../../../src-main/common/model/cache/download.ts';
import type { QuirkName } from '../../../src-main/common/model/connections/local-service.ts';
import type { Period } from '../../../src-main/common/model/period.ts';
import { toOwnTotal } from '../../../src-main/common/model/cache/snapshot.ts';
import { toAskedEnd } from '../../../src-main/core/downloads/slice-period.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { post, toReportAddress } from '../../support/service/service-calls.ts';
import { startTestService } from '../../support/service/running-service.ts';
import {
  DAY_MS,
  lastDays,
  readFromCache,
  readFromService,
  remarksOf,
  startUnconnectedRig,
  type DownloadRig,
} from './download-rig.ts';

let service: RunningService;
let rig: DownloadRig;
const period = lastDays(6);

async function start(quirks: readonly QuirkName[] = [], pageSize = 100, now?: () => number): Promise<void> {
  service = await startTestService({ quirks, ...(now === undefined ? {} : { now }) });
  await rig.connect(service, pageSize);
}
async function download(asked: Period, sliceDays: number | null = null): Promise<number> {
  const { taskId, snapshotId } = await rig.start(asked, { sliceDays });
  await rig.whenTaskEnds(taskId);
  return snapshotId;
}
const codesOf = async (snapshotId: number): Promise<string[]> =>
  (await rig.readSnapshot(snapshotId)).remarks.map(({ code }) => code);

beforeAll(async () => {
  rig = await startUnconnectedRig();
});
afterEach(() => service.stop());
afterAll(() => rig.stop());

describe('a download', () => {
  it('decision 5, client: cut into days, loses and doubles nothing at the cuts', async () => {
    await start();
    const snapshotId = await download(period, 1);
    const records = await readFromService(service, period);
    expect(readFromCache(rig.dataFolder, snapshotId)).toEqual(records);
    const snapshot = await rig.readSnapshot(snapshotId);
    expect(snapshot).toMatchObject({ state: 'complete', recordCount: records.length });
    expect(remarksOf(snapshot)).toEqual([]);
    expect(toOwnTotal(snapshot)).toBe(records.length);
    const shown = await rig.readDownload(snapshotId);
    expect(shown).toMatchObject({ sliceDays: 1, slicesDone: shown.sliceCount });
    expect(shown.sliceCount).toBe(Math.ceil(period.toMs / DAY_MS) - Math.floor(period.fromMs / DAY_MS));
    const starts = new Set(rig.network.pages.map(({ startDate }) => startDate));
    expect(starts.size).toBe(shown.sliceCount);
  });

  it('says of each record how its page was requested, with no secret in it', async () => {
    await start();
    const snapshotId = await download(period, 1);
    const { recordCount } = await rig.readSnapshot(snapshotId);
    const asked = [];
    for (let seq = 0; seq < recordCount; seq += 7) {
      asked.push(await rig.ask('downloads/read-page-request', { snapshotId, seq }));
    }
    const sent = rig.network.pages.map((page) => JSON.stringify(page));
    expect(asked.filter(({ body }) => !sent.includes(body))).toEqual([]);
    expect(new Set(asked.map(({ body }) => body)).size).toBeGreaterThan(6);
    const [{ method, address, isKept }] = asked as [(typeof asked)[number]];
    expect([method, isKept]).toEqual(['POST', true]);
    expect(address).toBe(`${service.url}${toReportAddress(service, 'inbound-detail')}`);
    const text = JSON.stringify(asked);
    for (const secret of [service.accessToken, service.accessTokenSecret]) expect(text).not.toContain(secret);
    expect(text.toLowerCase()).not.toContain('authorization');
    const gone = rig.ask('downloads/read-page-request', { snapshotId, seq: recordCount });
    await expect(gone).rejects.toMatchObject({ code: 'cache.snapshot-not-found' });
  });

  it('continues in the middle of its slices after a restart', async () => {
    await start();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    rig.network.before = async (page) => {
      if (page > 8) await promise;
    };
    const { snapshotId } = await rig.start(period, { sliceDays: 1 });
    await rig.until(snapshotId, ({ slicesDone }) => slicesDone >= 1);
    rig.network.before = null;
    await rig.restart();
    resolve(undefined);
    await rig.until(snapshotId, ({ state }) => state === 'ended');
    expect(readFromCache(rig.dataFolder, snapshotId)).toEqual(await readFromService(service, period));
    expect(await rig.readSnapshot(snapshotId)).toMatchObject({ state: 'complete' });
  });

  it('begins again when its cursor expired, without doubling', async () => {
    let shiftMs = 0;
    await start(['cursor-expires'], 100, () => Date.now() + shiftMs);
    rig.network.before = (page) => {
      if (page === 5) shiftMs = 60_000;
      return Promise.resolve();
    };
    const snapshotId = await download(period);
    expect(await codesOf(snapshotId)).toContain('cursor-expired');
    expect(await rig.readSnapshot(snapshotId)).toMatchObject({ state: 'complete' });
    expect(readFromCache(rig.dataFolder, snapshotId)).toEqual(await readFromService(service, period));
    expect(rig.network.pages.filter(({ lastDocument }) => lastDocument === '')).toHaveLength(2);
    const { taskId } = await rig.ask('snapshots/verify', { snapshotIds: [snapshotId] });
    await rig.whenTaskEnds(taskId);
    expect((await rig.readSnapshot(snapshotId)).verification).toMatchObject({ damagedPages: 0 });
  });

  it('leaves what it has alone when the service returns other records after an expired cursor', async () => {
    let shiftMs = 0;
    await start(['cursor-expires'], 100, () => Date.now() + shiftMs);
    const other = {
      isValid: true,
      totalDocument: 300,
      lastDocument: 'next',
      documents: [{ Date: 'x', Client: 'other' }],
    };
    rig.network.before = (page) => {
      if (page === 5) shiftMs = 60_000;
      if (page === 6) rig.network.answer = () => Response.json(other);
      return Promise.resolve();
    };
    const snapshotId = await download(period);
    expect(await rig.readSnapshot(snapshotId)).toMatchObject({
      state: 'incomplete',
      failure: 'downloads.changed-meanwhile',
    });
    const kept = readFromCache(rig.dataFolder, snapshotId);
    expect(kept.length).toBeGreaterThanOrEqual(300);
    expect(kept).toEqual((await readFromService(service, period)).slice(0, kept.length));
  });

  it.each([['cursor-repeats'], ['cursor-cycles']] as const)(
    'decision 8, client: %s ends it as incomplete; a retry reads again and doubles nothing',
    async (quirk) => {
      await start([quirk]);
      const snapshotId = await download(period);
      expect(await rig.readSnapshot(snapshotId)).toMatchObject({ state: 'incomplete', failure: null });
      expect(await codesOf(snapshotId)).toContain('cursor-repeated');
      const before = readFromCache(rig.dataFolder, snapshotId);
      const { taskId } = await rig.ask('downloads/retry', { snapshotId });
      await rig.whenTaskEnds(taskId);
      expect(readFromCache(rig.dataFolder, snapshotId)).toEqual(before);
      const certificate = await rig.ask('downloads/read-certificate', { snapshotId });
      expect(certificate).toMatchObject({
        isComplete: false,
        reasons: ['cursor-repeated', 'fewer-than-total'],
      });
    },
  );

  it('decision 8, client: stops at a page that comes twice under a new cursor, and stores it once', async () => {
    await start();
    let answers = 0;
    const asked = { startDate: period.startDate, endDate: period.endDate, size: 100, lastDocument: '' };
    const response = await post(service, toReportAddress(service, 'inbound-detail'), asked);
    const first = await response.text();
    rig.network.answer = () => {
      answers += 1;
      const content = JSON.parse(first) as Record<string, unknown>;
      return Response.json({ ...content, executionTime: answers, lastDocument: `page ${answers}` });
    };
    const snapshotId = await download(period);
    expect(answers).toBe(2);
    expect(await codesOf(snapshotId)).toContain('page-repeated');
    expect(await rig.readSnapshot(snapshotId)).toMatchObject({ state: 'incomplete', recordCount: 100 });
  });

  it.each([
    ['cursor-never-empty'],
    ['small-pages'],
    ['token-30s'],
    ['unauthorised-mid-page'],
    ['duplicate-records'],
  ] as const)('is complete in spite of %s', async (quirk) => {
    await start([quirk]);
    const snapshotId = await download(period);
    expect(await rig.readSnapshot(snapshotId)).toMatchObject({ state: 'complete' });
    expect((await codesOf(snapshotId)).includes('short-page')).toBe(quirk === 'small-pages');
    expect(readFromCache(rig.dataFolder, snapshotId).length).toBeGreaterThan(1000);
  });

  it('is certified: what was asked, what came, and a checksum that anyone can compute again', async () => {
    await start();
    const snapshotId = await download(period, 2);
    const snapshot = await rig.readSnapshot(snapshotId);
    const certificate = await rig.ask('downloads/read-certificate', { snapshotId });
    expect(certificate).toMatchObject({
      snapshotId,
      serviceAddress: service.url,
      tenant: 1001,
      report: 'inbound-detail',
      sliceDays: 2,
      recordCount: snapshot.recordCount,
      pageCount: snapshot.pageCount,
      isComplete: true,
      reasons: [],
      firstTotal: snapshot.totalDocument,
      lastTotal: snapshot.totalDocument,
      setAsideCount: 0,
      period,
    });
    expect(toOwnTotal(snapshot)).toBe(snapshot.recordCount);
    expect(certificate.slices.reduce((sum, { recordCount }) => sum + recordCount, 0)).toBe(
      snapshot.recordCount,
    );
    const database = new Database(join(rig.dataFolder, 'cache.sqlite'), { readonly: true });
    const sums = database
      .prepare('SELECT sha256 FROM pages WHERE snapshot_id = ? ORDER BY page_number')
      .pluck()
      .all(snapshotId) as string[];
    database.close();
    const hash = createHash('sha256');
    for (const sum of sums) hash.update(`${sum}\n`);
    expect(certificate.pagesSha256).toBe(hash.digest('hex'));
    const exported = await rig.ask('downloads/export-certificate', { snapshotId });
    expect(JSON.parse(exported.text)).toEqual({
      ...certificate,
      pageSha256: sums,
      howToRecompute: expect.stringContaining('each followed by a line feed') as string,
    });
    expect(exported.fileName).toMatch(/^certificate-inbound-detail-[\d-]+-to-[\d-]+-\d+\.json$/);
  });

  it('is forecast before it starts, by what the service says and how earlier ones went', async () => {
    await start();
    const { connectionId } = rig;
    const plan = async (asked: Period): Promise<DownloadPlan> => {
      const input = { connectionId, report: 'inbound-detail', period: asked } as const;
      const task = await rig.whenTaskEnds((await rig.ask('downloads/start-plan', input)).taskId);
      expect(task).toMatchObject({ kind: 'plan', state: 'done' });
      return task.plan!;
    };
    const records = (await readFromService(service, { ...period, endDate: toAskedEnd(period) })).length;
    const assumed = await plan(period);
    expect(assumed).toMatchObject({ recordCount: records, basis: 'assumed', suggestedSliceDays: null });
    expect(assumed.pageCount).toBe(Math.ceil(records / 100));
    expect(assumed.freeBytes).toBeGreaterThan(0);
    const snapshotId = await download(period);
    const measured = await plan(period);
    expect(measured.basis).toBe('measured');
    const { sizeBytes } = await rig.readSnapshot(snapshotId);
    expect(measured.receivedBytes).toBe(sizeBytes);
    const long = await plan(lastDays(30, period.toMs));
    expect(long.suggestedSliceDays).toBe(1);
  });

  it('fetches just the gaps of a span, and nothing once there are none', async () => {
    await start();
    const { connectionId } = rig;
    const part = lastDays(2, period.toMs - 2 * DAY_MS);
    const middleId = await download(part);
    const span = {
      connectionId,
      report: 'inbound-detail',
      fromMs: period.fromMs,
      toMs: period.toMs,
    } as const;
    const gaps = await rig.ask('downloads/find-gaps', span);
    expect(gaps.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [period.fromMs, part.fromMs - 1000],
      [part.toMs + 1000, period.toMs],
    ]);
    const started = await rig.ask('downloads/fetch-gaps', span);
    expect(started).toHaveLength(2);
    expect(await rig.ask('downloads/find-gaps', span)).toEqual([]);
    for (const { taskId } of started) await rig.whenTaskEnds(taskId);
    expect(await rig.ask('downloads/fetch-gaps', span)).toEqual([]);
    const [first, second] = started.map(({ snapshotId }) => readFromCache(rig.dataFolder, snapshotId));
    const middle = readFromCache(rig.dataFolder, middleId);
    expect([...first!, ...middle, ...second!]).toEqual(await readFromService(service, period));
  });

  it('decision 27, client: a refresh reads the period again and names what it refreshes', async () => {
    await start();
    const old = await download(period);
    const { taskId, snapshotId } = await rig.ask('downloads/refresh', { snapshotId: old });
    await rig.whenTaskEnds(taskId);
    const fresh = await rig.readSnapshot(snapshotId);
    expect(fresh).toMatchObject({ refreshOf: old, state: 'complete', failure: null, period });
    expect(readFromCache(rig.dataFolder, snapshotId)).toEqual(readFromCache(rig.dataFolder, old));
  });
});
