import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../src-main/common/reporting/reports.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError, type ErrorCode } from '../../../src-main/common/contract/errors.ts';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { PageRequest } from '../../../src-main/core/client/reporting-client.ts';
import type { ConnectionStore } from '../../../src-main/core/connections/create-connections.ts';
import {
  createDownloads,
  createDownloadsHandlers,
  type DownloadStarter,
} from '../../../src-main/core/downloads/downloads-handlers.ts';
import { createTaskRegistry, type TaskRegistry } from '../../../src-main/core/tasks/task-registry.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import {
  createDocument,
  createFolder,
  openTestCache,
  toBody,
  toNewSnapshot,
} from '../cache/cache-fixture.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';

const TOTAL = 500;
const HOUR_MS = 3_600_000;
const { period } = toNewSnapshot();

let place: Awaited<ReturnType<typeof createFolder>>;
let cache: Cache;
let tasks: TaskRegistry;
let downloads: ReturnType<typeof createDownloadsHandlers>;
let starter: DownloadStarter;
let nowMs: number;
/** Failures that the next pages meet, in order; the service itself is sound. */
let failures: AppError[];
/** Codes that storing, or keeping a state, fails with; null while the disk is sound. */
let storeFailure: ErrorCode | null;
let keepFailure: ErrorCode | null;
/** A page that can't be stored is read before that shows. */
let isReadFirst: boolean;
let waits: number[];
/** What the clock shows beside each wait: a machine that slept. */
let sleptMs: number;

function fetchPage({ size, lastDocument }: PageRequest) {
  const failure = failures.shift();
  if (failure !== undefined) return Promise.reject(failure);
  const from = Number(lastDocument);
  const documents = Array.from({ length: Math.min(size, TOTAL - from) }, (_, offset) =>
    createDocument(from + offset),
  );
  const next = from + documents.length < TOTAL ? String(from + documents.length) : '';
  const bytes = toBody(documents, next, TOTAL);
  return Promise.resolve({
    bytes,
    status: 200,
    requestedAtMs: nowMs,
    receivedAtMs: nowMs,
    serverTimeMs: null,
  });
}

beforeEach(async () => {
  place = await createFolder();
  const opened = await openTestCache(place.file);
  [nowMs, failures, storeFailure, keepFailure, waits, sleptMs] = [
    period.toMs + HOUR_MS,
    [],
    null,
    null,
    [],
    0,
  ];
  isReadFirst = false;
  cache = {
    ...opened,
    storePage: (page, bytes) => {
      if (storeFailure === null) return opened.storePage(page, bytes);
      const full = Promise.reject(new AppError(storeFailure, 'No room.'));
      full.catch(() => undefined);
      const read = { recordCount: 100, totalDocument: TOTAL, nextCursor: '100', end: null };
      return { head: isReadFirst ? Promise.resolve(read) : full, stored: full };
    },
    changeDownload: (change) =>
      keepFailure === null || change.state === 'running'
        ? opened.changeDownload(change)
        : Promise.reject(new AppError(keepFailure, 'No room.')),
  };
  const emit = (): void => undefined;
  const logger = createSilentLogger();
  tasks = createTaskRegistry({ now: () => nowMs, emit, logger });
  const connections = {
    get: (connectionId: string) => {
      if (connectionId === 'gone') throw new AppError('connections.not-found', 'No such connection.');
      return {
        tenant: 1,
        pageSize: 100,
        baseAddress: 'http://127.0.0.1:1',
        serviceZone: 'UTC',
        reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
      };
    },
    clientFor: () => ({ fetchPage }),
  } as unknown as ConnectionStore;
  const shared = { cache, connections, tasks, now: () => nowMs };
  const parts = createDownloads({
    ...shared,
    emit,
    logger,
    random: () => 0.5,
    clock: {
      now: () => nowMs,
      wait: (ms) => {
        waits.push(ms);
        nowMs += ms + sleptMs;
        return Promise.resolve();
      },
    },
  });
  starter = parts.starter;
  downloads = createDownloadsHandlers({
    ...shared,
    ...parts,
    ledger: openLedger(cache),
    readFreeBytes: () => null,
  });
});
afterEach(async () => {
  await tasks.stop();
  await cache.close();
  await place.remove();
});

async function run(operation: 'start' | 'resume' = 'start'): Promise<{ task: Task; snapshotId: number }> {
  const { taskId, snapshotId } = await (operation === 'start'
    ? downloads['downloads/start']({ connectionId: 'one', report: 'inbound-detail', period })
    : downloads['downloads/resume']({ snapshotId: 1 }));
  return { task: await tasks.whenEnded(taskId), snapshotId };
}
const readDownload = async () => (await downloads['downloads/list']({ connectionId: null }))[0];

/** Fails the page after the first with the code, as often as given. */
function failLater(code: ErrorCode, times: number, details = {}): void {
  const sound = cache.storePage.bind(cache);
  cache.storePage = (page, bytes) => {
    cache.storePage = sound;
    failures = Array.from({ length: times }, () => new AppError(code, 'No.', details));
    return sound(page, bytes);
  };
}

test('a period whose texts and instants are not the same times is refused, and nothing is begun', async () => {
  for (const change of [
    { toMs: period.toMs + 60_000 },
    { fromMs: period.fromMs - HOUR_MS },
    { startDate: '2026-11-19 10:00:00' },
    { endDate: 'today' },
    { zone: 'Europe/Madrid' },
    { zone: 'Nowhere/There' },
    { fromMs: -(2 ** 53), toMs: 2 ** 53 - 1 },
  ]) {
    const input = {
      connectionId: 'one',
      report: 'inbound-detail',
      period: { ...period, ...change },
    } as const;
    const start = async () => downloads['downloads/start'](input);
    await expect(start(), JSON.stringify(change)).rejects.toMatchObject({ code: 'app.invalid-input' });
  }
  expect(await cache.listSnapshots(null)).toEqual([]);
});

test('a full disk pauses with its reason and loses nothing, and a resume continues', async () => {
  storeFailure = 'cache.disk-full';
  const { task, snapshotId } = await run();
  expect(task).toMatchObject({ state: 'paused', error: { code: 'cache.disk-full' } });
  expect(await readDownload()).toMatchObject({
    state: 'paused',
    snapshotState: 'paused',
    failure: { code: 'cache.disk-full' },
    canResume: true,
  });
  storeFailure = null;
  expect((await run('resume')).task.state).toBe('done');
  expect(await cache.getSnapshot(snapshotId)).toMatchObject({ state: 'complete', recordCount: TOTAL });
});

test('a page that could be read and not stored does not count as progress', async () => {
  [storeFailure, isReadFirst] = ['cache.disk-full', true];
  expect((await run()).task).toMatchObject({ state: 'paused', done: 0, total: TOTAL });
});

test('a pause that the full disk keeps from being written is shown all the same', async () => {
  [storeFailure, keepFailure] = ['cache.disk-full', 'cache.disk-full'];
  const { task } = await run();
  expect(task.state).toBe('paused');
  expect(await readDownload()).toMatchObject({ state: 'paused', failure: { code: 'cache.disk-full' } });
  [storeFailure, keepFailure] = [null, null];
  expect((await run('resume')).task.state).toBe('done');
  expect(await readDownload()).toMatchObject({ state: 'ended', snapshotState: 'complete', failure: null });
});

test('a download whose pause could not be written is ended by cancelling it', async () => {
  [storeFailure, keepFailure] = ['cache.disk-full', 'cache.disk-full'];
  const { snapshotId } = await run();
  [storeFailure, keepFailure] = [null, null];
  const cancelled = await downloads['downloads/cancel']({ snapshotId });
  expect(cancelled).toMatchObject({ state: 'ended', failure: { code: 'app.cancelled' } });
  expect(await readDownload()).toEqual(cancelled);
});

test('two calls at once to resume start one task, and so do two to retry', async () => {
  storeFailure = 'cache.disk-full';
  const { snapshotId } = await run();
  storeFailure = null;
  for (const operation of ['downloads/resume', 'downloads/refresh'] as const) {
    const answers = await Promise.allSettled(
      Array.from({ length: 2 }, async () => downloads[operation]({ snapshotId })),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const [first] = answers;
    if (first?.status === 'fulfilled') await tasks.whenEnded(first.value.taskId);
  }
});

/** Queues downloads as an application that was ended leaves them; returns their snapshots. */
async function leaveQueued(connectionIds: readonly string[]): Promise<number[]> {
  const snapshotIds: number[] = [];
  for (const connectionId of connectionIds) {
    const { id } = await cache.createSnapshot(toNewSnapshot({ connectionId }));
    const queued = {
      snapshotId: id,
      queuedAtMs: nowMs + id,
      baseAddress: '',
      sliceDays: null,
      mayCut: false,
      askedStart: '',
      slices: null,
    };
    await cache.queueDownload({ ...queued, reportIdentifier: '', resumedCount: 0, refreshOf: null });
    snapshotIds.push(id);
  }
  return snapshotIds;
}

test('interrupted downloads are resumed, except those of a removed connection', async () => {
  const [, goneId] = await leaveQueued(['one', 'gone', 'one']);
  await starter.resumeInterrupted();
  await Promise.all(tasks.list().map(({ id }) => tasks.whenEnded(id)));
  const list = await downloads['downloads/list']({ connectionId: null });
  const states = list.map(({ snapshotId, snapshotState }) => [snapshotId, snapshotState]);
  expect(states.toSorted()).toEqual([
    [goneId! - 1, 'complete'],
    [goneId, 'failed'],
    [goneId! + 1, 'complete'],
  ]);
  expect(list.find(({ snapshotId }) => snapshotId === goneId)).toMatchObject({
    state: 'ended',
    failure: { code: 'connections.not-found' },
  });
});

test('interrupted downloads are resumed although one of them is removed meanwhile', async () => {
  const [removedId] = await leaveQueued(['one', 'one']);
  const list = cache.listDownloads;
  Object.assign(cache, {
    listDownloads: async (connectionIds: readonly string[] | null) => {
      const rows = await list(connectionIds);
      await cache.removeSnapshots({ snapshotIds: [removedId!], nowMs });
      return rows;
    },
  });
  await starter.resumeInterrupted();
  await Promise.all(tasks.list().map(({ id }) => tasks.whenEnded(id)));
  expect(await readDownload()).toMatchObject({ snapshotState: 'complete' });
});

test('an application that closes before all are resumed leaves the others for the next start', async () => {
  await leaveQueued(['one', 'one']);
  await tasks.stop();
  await starter.resumeInterrupted();
  const rows = await cache.listDownloads(null);
  expect(rows.map(({ state, failure }) => [state, failure])).toEqual([
    ['queued', null],
    ['queued', null],
  ]);
});

test('credentials that are refused in the middle pause it, and at the beginning end it', async () => {
  failures = [new AppError('client.credentials-refused', 'No.', { status: 401 })];
  expect((await run()).task).toMatchObject({
    state: 'failed',
    error: { code: 'client.credentials-refused' },
  });
  failLater('client.credentials-refused', 1);
  expect((await run()).task).toMatchObject({
    state: 'paused',
    error: { code: 'client.credentials-refused' },
  });
});

test('a network that stays away is waited for with growing delays, twelve hours, then it is paused', async () => {
  failLater('client.unreachable', 2000);
  const { task } = await run();
  expect(task).toMatchObject({ state: 'paused', error: { code: 'client.unreachable' } });
  const waited = waits.reduce((sum, ms) => sum + ms, 0);
  expect(waited).toBeGreaterThanOrEqual(12 * HOUR_MS);
  expect(waited).toBeLessThan(12.1 * HOUR_MS);
});

test('a machine that slept tries again as soon as it wakes, and its sleep is not counted', async () => {
  failLater('client.unreachable', 5);
  sleptMs = 24 * HOUR_MS;
  expect((await run()).task.state).toBe('done');
  expect(waits).toHaveLength(5);
});

test('a garbled page is requested again, and one that stays garbled pauses the download', async () => {
  failLater('client.not-json', 3);
  expect((await run()).task.state).toBe('done');
  failLater('client.not-json', 100);
  expect((await run()).task).toMatchObject({ state: 'paused', error: { code: 'client.not-json' } });
});

test('a longer wait that the service asks for is kept', async () => {
  failLater('client.rate-limited', 1, { status: 429, retryAfterMs: 200_000 });
  expect((await run()).task.state).toBe('done');
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(200_000);
});

test('five expired cursors without a new record end the walk', async () => {
  failLater('client.invalid-request', 1);
  const sound = cache.restartWalk;
  let restarts = 0;
  Object.assign(cache, {
    restartWalk: async (restart: Parameters<typeof sound>[0]) => {
      restarts += 1;
      const row = await sound(restart);
      failLater('client.invalid-request', 1);
      return row;
    },
  });
  const { task, snapshotId } = await run();
  expect(task).toMatchObject({ state: 'failed', error: { code: 'client.invalid-request' } });
  expect(restarts).toBe(5);
  expect(await cache.getSnapshot(snapshotId)).toMatchObject({ state: 'incomplete' });
});
