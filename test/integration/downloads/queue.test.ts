import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import {
  lastDays,
  readFromCache,
  readFromService,
  remarksOf,
  startRig,
  type DownloadRig,
} from './download-rig.ts';

describe('downloads', () => {
  let service: RunningService;
  let rig: DownloadRig;
  const period = lastDays(6);

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    rig = await startRig(service);
  });
  afterEach(() => rig.stop());

  /** Lets pages through up to a number, then holds the next one until released or cancelled. */
  function holdAfter(pages: number): () => void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    rig.network.before = async (page) => {
      if (page > pages) await promise;
    };
    return () => resolve(undefined);
  }

  it('stop where they are when paused, and continue from the stored cursor', async () => {
    const release = holdAfter(3);
    const { taskId, snapshotId } = await rig.start(period);
    await rig.until(snapshotId, ({ recordCount }) => recordCount >= 200);
    const paused = await rig.ask('downloads/pause', { snapshotId });
    expect(paused).toMatchObject({
      state: 'paused',
      snapshotState: 'paused',
      canResume: true,
      failure: null,
    });
    expect((await rig.whenTaskEnds(taskId)).state).toBe('paused');
    // What its records reach is there in part; they come in the order of time.
    const { connectionId, report } = await rig.readSnapshot(snapshotId);
    const range = { connectionId, report, fromMs: period.fromMs, toMs: period.toMs + 1000, buckets: 1 };
    const { gaps } = await rig.ask('coverage/read', range);
    expect(gaps.map(({ state }) => state)).toEqual(['partial', 'missing']);
    release();
    const asked = rig.network.pages.length;
    const resumed = await rig.ask('downloads/resume', { snapshotId });
    expect(resumed.snapshotId).toBe(snapshotId);
    expect((await rig.whenTaskEnds(resumed.taskId)).state).toBe('done');
    expect(rig.network.pages[asked]?.lastDocument).not.toBe('');
    expect(await rig.readSnapshot(snapshotId)).toMatchObject({ state: 'complete' });
    expect(readFromCache(rig.dataFolder, snapshotId)).toEqual(await readFromService(service, period));
  });

  it('of one report wait for each other, of another report do not', async () => {
    const release = holdAfter(0);
    const first = await rig.start(period);
    const second = await rig.start(lastDays(2));
    const third = await rig.start(lastDays(1));
    const outbound = await rig.start(period, { report: 'outbound-detail' });
    await rig.until(first.snapshotId, ({ state }) => state === 'running');
    await rig.until(outbound.snapshotId, ({ state }) => state === 'running');
    expect((await rig.readDownload(second.snapshotId)).state).toBe('queued');
    const cancelled = await rig.ask('downloads/cancel', { snapshotId: third.snapshotId });
    expect(cancelled).toMatchObject({
      state: 'ended',
      snapshotState: 'failed',
      failure: { code: 'app.cancelled' },
    });
    await expect(rig.start(period)).rejects.toMatchObject({ code: 'downloads.already-running' });
    release();
    for (const { taskId } of [first, second, outbound]) {
      expect((await rig.whenTaskEnds(taskId)).state).toBe('done');
    }
    const asked = rig.network.pages.map(({ startDate }) => startDate);
    expect(asked.lastIndexOf(period.startDate)).toBeGreaterThan(0);
    expect(await rig.readSnapshot(second.snapshotId)).toMatchObject({ state: 'complete' });
  });

  it('survive the end of the application: running ones are resumed, paused ones stay paused', async () => {
    holdAfter(3);
    const running = await rig.start(period);
    const paused = await rig.start(lastDays(1));
    await rig.until(running.snapshotId, ({ recordCount }) => recordCount >= 200);
    await rig.ask('downloads/pause', { snapshotId: paused.snapshotId });
    rig.network.before = null;
    await rig.restart();
    await rig.until(running.snapshotId, ({ state }) => state === 'ended');
    const download = await rig.readDownload(running.snapshotId);
    expect(download).toMatchObject({ snapshotState: 'complete', resumedCount: 1, canResume: false });
    expect(remarksOf(await rig.readSnapshot(running.snapshotId))).toEqual([]);
    expect(readFromCache(rig.dataFolder, running.snapshotId)).toEqual(await readFromService(service, period));
    expect((await rig.readDownload(paused.snapshotId)).state).toBe('paused');
  });

  it('outlast a lost network, and say meanwhile what they wait for', async () => {
    const release = holdAfter(3);
    const { taskId, snapshotId } = await rig.start(period);
    await rig.until(snapshotId, ({ recordCount }) => recordCount >= 200);
    rig.network.isDown = true;
    release();
    const waiting = await rig.until(snapshotId, ({ state }) => state === 'waiting');
    expect(waiting.failure?.code).toBe('client.refused-connection');
    expect(waiting.retryAtMs).not.toBeNull();
    rig.network.isDown = false;
    expect((await rig.whenTaskEnds(taskId)).state).toBe('done');
    expect(await rig.readDownload(snapshotId)).toMatchObject({
      state: 'ended',
      failure: null,
      retryAtMs: null,
    });
    expect(readFromCache(rig.dataFolder, snapshotId)).toEqual(await readFromService(service, period));
    // On a slow machine the client has given up meanwhile, and rests for half a minute.
  }, 60_000);

  it('fail at once when nothing could be reached, and can be tried again', async () => {
    rig.network.isDown = true;
    const { taskId, snapshotId } = await rig.start(period);
    expect(await rig.whenTaskEnds(taskId)).toMatchObject({ state: 'failed' });
    expect(await rig.readSnapshot(snapshotId)).toMatchObject({ state: 'failed', recordCount: 0 });
    rig.network.isDown = false;
    // On a slow machine the client has given up meanwhile, and rests for half a minute.
    const retry = async (): Promise<string> => {
      const { taskId: again } = await rig.ask('downloads/retry', { snapshotId });
      return (await rig.whenTaskEnds(again)).state;
    };
    await expect.poll(retry, { timeout: 60_000, interval: 1_000 }).toBe('done');
    expect(await rig.readSnapshot(snapshotId)).toMatchObject({ state: 'complete', failure: null });
    await expect(rig.ask('downloads/resume', { snapshotId })).rejects.toMatchObject({
      code: 'downloads.not-resumable',
    });
  }, 90_000);

  it('keep what arrived when cancelled, and can still be resumed', async () => {
    const release = holdAfter(2);
    const { snapshotId } = await rig.start(period);
    await rig.until(snapshotId, ({ recordCount }) => recordCount >= 100);
    const cancelled = await rig.ask('downloads/cancel', { snapshotId });
    expect(cancelled).toMatchObject({ state: 'ended', snapshotState: 'incomplete', canResume: true });
    release();
    const { taskId } = await rig.ask('downloads/resume', { snapshotId });
    await rig.whenTaskEnds(taskId);
    expect(readFromCache(rig.dataFolder, snapshotId)).toEqual(await readFromService(service, period));
  });

  it('ask for smaller pages after 413 and for larger ones later', async () => {
    await rig.stop();
    rig = await startRig(service, 800);
    rig.network.answer = ({ size }) => (size > 300 ? new Response(null, { status: 413 }) : undefined);
    const { taskId, snapshotId } = await rig.start(period);
    expect((await rig.whenTaskEnds(taskId)).state).toBe('done');
    const sizes = rig.network.pages.map(({ size }) => size);
    expect(sizes.slice(0, 3)).toEqual([800, 400, 200]);
    expect(Math.max(...sizes.slice(3))).toBeGreaterThan(200);
    expect(readFromCache(rig.dataFolder, snapshotId)).toEqual(await readFromService(service, period));
  });
});
