import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Emit, EventName, Handlers } from '../../../src-main/common/contract/index.ts';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import type { Settings } from '../../../src-main/common/model/settings/settings.ts';
import { createCacheHandlers } from '../../../src-main/core/app/app-handlers.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { SavedConnection } from '../../../src-main/core/connections/connection-file.ts';
import { createEvents } from '../../../src-main/core/host.ts';
import {
  createHousekeeping,
  createSnapshotsHandlers,
  type Housekeeping,
} from '../../../src-main/core/snapshots/snapshots-handlers.ts';
import { createTaskRegistry, type TaskRegistry } from '../../../src-main/core/tasks/task-registry.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  toBody,
  toNewSnapshot,
  toPage,
} from './cache-fixture.ts';

const DAY_MS = 86_400_000;
const UNDO_MS = 300_000;
let place: Awaited<ReturnType<typeof createFolder>>;
let cache: Cache;
let tasks: TaskRegistry;
let housekeeping: Housekeeping;
let call: Pick<Handlers, Extract<keyof Handlers, `snapshots/${string}` | `cache/${string}`>>;
let nowMs: number;
let limits: Partial<Settings>;
let events: [EventName, unknown][];
let zones: Map<string, string>;
let notify: Emit;

beforeEach(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
  nowMs = FROM_MS + 1000;
  limits = { retentionDays: 0, retentionBytes: 0 };
  events = [];
  const now = () => nowMs;
  const { emit, on, onAny } = createEvents();
  notify = emit;
  onAny((...event) => events.push(event));
  const logger = createSilentLogger();
  const settings = { get: () => limits as Settings, update: () => Promise.reject(new Error('not asked')) };
  tasks = createTaskRegistry({ now, emit, logger });
  housekeeping = createHousekeeping({ cache, settings, events: { emit, on }, logger, now });
  zones = new Map();
  const connections = {
    get: (id: string) => ({ id, serviceZone: zones.get(id) ?? 'UTC' }) as SavedConnection,
  };
  call = {
    ...createSnapshotsHandlers({ cache, connections, tasks, emit, housekeeping, now }),
    ...createCacheHandlers({ cache, housekeeping }),
  };
});
afterEach(async () => {
  vi.useRealTimers();
  housekeeping.stop();
  await tasks.stop();
  await cache.close();
  await place.remove();
});

const heard = (name: EventName) => events.filter(([event]) => event === name).map(([, payload]) => payload);
const fill = (fetchedAtMs = FROM_MS) =>
  fillSnapshot(
    cache,
    Array.from({ length: 1500 }, (_, index) => createDocument(index, { Payload: 'x'.repeat(700) })),
    { startedAtMs: fetchedAtMs },
  );

test('a removal can be undone for five minutes, then the space is freed, and each step is announced', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const id = await fill();
  expect(await call['snapshots/remove']({ snapshotIds: [id] })).toEqual({
    restorableUntilMs: nowMs + UNDO_MS,
  });
  expect(await call['snapshots/restore']({ snapshotIds: [id] })).toMatchObject([{ id, recordCount: 1500 }]);
  expect(heard('snapshots/removed')).toEqual([{ snapshotIds: [id] }]);
  expect(heard('snapshots/changed')).toMatchObject([{ id }]);
  nowMs += 1000;
  await call['snapshots/remove']({ snapshotIds: [id] });
  vi.advanceTimersByTime(UNDO_MS - 1);
  expect(heard('snapshots/purged')).toEqual([]);
  vi.advanceTimersByTime(1);
  await expect.poll(() => heard('snapshots/purged')).toHaveLength(1);
  expect(heard('snapshots/purged')).toMatchObject([{ snapshotIds: [id] }]);
  expect((heard('snapshots/purged')[0] as { freedBytes: number }).freedBytes).toBeGreaterThan(300_000);
  await expect(call['snapshots/restore']({ snapshotIds: [id] })).rejects.toMatchObject({
    code: 'cache.snapshot-not-found',
  });
});

test('the task that works on a snapshot is cancelled before it is removed', async () => {
  const id = await fill();
  const task = tasks.start(
    { kind: 'export', connectionId: 'one', snapshotId: id, total: null },
    async ({ signal }) => {
      while (!signal.aborted) await new Promise((go) => setTimeout(go, 5));
      signal.throwIfAborted();
    },
  );
  await call['snapshots/remove']({ snapshotIds: [id] });
  expect(tasks.get(task.id).state).toBe('cancelled');
});

test('what was not undone is deleted for good at the next start, or when its space is reclaimed', async () => {
  const [first, second] = [await fill(), await fill()];
  await call['snapshots/remove']({ snapshotIds: [first] });
  await housekeeping.begin();
  expect(heard('snapshots/purged')).toMatchObject([{ snapshotIds: [first] }]);
  await call['snapshots/remove']({ snapshotIds: [second] });
  const { freedBytes } = await call['cache/reclaim'](null);
  expect(freedBytes).toBeGreaterThan(300_000);
});

test('retention runs at the start and after downloads, says what it removed, and can be undone', async () => {
  nowMs = FROM_MS + 40 * DAY_MS;
  const old = await fill(FROM_MS);
  const pinned = await fill(FROM_MS);
  await call['snapshots/annotate']({ snapshotId: pinned, pinned: true });
  const young = await fill(nowMs - DAY_MS);
  await housekeeping.begin();
  expect(heard('snapshots/removed')).toEqual([]);

  limits = { retentionDays: 30, retentionBytes: 0 };
  const download = { kind: 'download' } as Task;
  notify('tasks/changed', { ...download, endedAtMs: null });
  notify('tasks/changed', { ...download, endedAtMs: nowMs });
  await expect.poll(() => cache.readState().retired).not.toBeNull();
  expect(heard('snapshots/removed')).toEqual([{ snapshotIds: [old] }]);
  expect((await call['cache/read-state'](null)).retired).toMatchObject({
    atMs: nowMs,
    snapshots: [{ id: old, reason: 'age', recordCount: 1500, connectionId: 'one' }],
  });
  expect(await call['snapshots/restore']({ snapshotIds: [old] })).toHaveLength(1);

  limits = { retentionDays: 0, retentionBytes: 900_000 };
  await housekeeping.begin();
  expect((await cache.listSnapshots(null)).map(({ id }) => id).sort()).toEqual([pinned, young]);
});

test('verification is a task with progress, whose result is kept with each snapshot and announced', async () => {
  const ids = [await fill(), await fill()];
  const { taskId } = await call['snapshots/verify']({ snapshotIds: null });
  expect(await tasks.whenEnded(taskId)).toMatchObject({
    kind: 'verify',
    state: 'done',
    done: 3000,
    total: 3000,
  });
  expect(await Promise.all(ids.map((id) => cache.getSnapshot(id)))).toMatchObject(
    ids.map((id) => ({ id, verification: { atMs: nowMs, damagedPages: 0 } })),
  );
  expect(heard('snapshots/changed')).toHaveLength(2);
  expect((await call['cache/read-state'](null)).fileCheck).toMatchObject({ sound: true });
  await expect(call['snapshots/verify']({ snapshotIds: [999] })).rejects.toMatchObject({
    code: 'cache.snapshot-not-found',
  });
  const { taskId: cancelled } = await call['snapshots/verify']({ snapshotIds: ids });
  tasks.cancel(cancelled);
  expect((await tasks.whenEnded(cancelled)).state).toBe('cancelled');
});

test('reading again is a task, in the zone that the connection has now, and leaves out what is being downloaded', async () => {
  const [id, other] = [await fill(), await fill()];
  const arriving = await cache.createSnapshot(toNewSnapshot());
  await cache.storePage(toPage(arriving.id, ''), toBody([createDocument(0)], 'more', 9)).stored;
  const { taskId } = await call['snapshots/read-again']({ snapshotIds: null });
  expect(await tasks.whenEnded(taskId)).toMatchObject({
    kind: 'read-again',
    state: 'done',
    done: 3001,
    total: 3001,
    readingOutcome: { changedIds: [], unchangedIds: [other, id], skippedIds: [arriving.id] },
  });
  expect(await call['snapshots/get-reading']({ snapshotId: id })).toMatchObject({
    zone: 'UTC',
    pageCount: 2,
  });
  expect(await call['snapshots/get-reading']({ snapshotId: arriving.id })).toBeNull();

  zones.set('one', 'America/Bogota');
  events.length = 0;
  const first = await call['snapshots/read-again']({ snapshotIds: [id] });
  // It waits for the other one, so that the check never meets a page that is being replaced.
  const check = await call['snapshots/verify']({ snapshotIds: [id] });
  expect(await tasks.whenEnded(first.taskId)).toMatchObject({
    readingOutcome: { changedIds: [id], unchangedIds: [], skippedIds: [] },
  });
  expect(await tasks.whenEnded(check.taskId)).toMatchObject({ state: 'done' });
  // The dates of these records name their zone: only the period that was asked for moves.
  expect(heard('snapshots/changed')).toMatchObject([
    { id, reading: 0, period: { zone: 'America/Bogota', fromMs: FROM_MS + 5 * 3_600_000 } },
    { id, verification: { damagedPages: 0 } },
  ]);
  await expect(call['snapshots/read-again']({ snapshotIds: [999] })).rejects.toMatchObject({
    code: 'cache.snapshot-not-found',
  });
});

test('retention runs once a day where nothing is downloaded, such as while an application only follows', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  housekeeping.stop();
  const logger = createSilentLogger();
  limits = { retentionDays: 1, retentionBytes: 0 };
  const { emit, on, onAny } = createEvents();
  onAny((...event) => events.push(event));
  const settings = { get: () => limits as Settings };
  housekeeping = createHousekeeping({ cache, settings, events: { emit, on }, logger, now: () => nowMs });
  const id = await fill();
  await housekeeping.begin();
  expect(heard('snapshots/removed')).toEqual([]);
  nowMs += DAY_MS - 1;
  vi.advanceTimersByTime(DAY_MS - 1);
  expect(heard('snapshots/removed')).toEqual([]);
  nowMs += DAY_MS;
  vi.advanceTimersByTime(DAY_MS);
  await expect.poll(() => heard('snapshots/removed')).toEqual([{ snapshotIds: [id] }]);
});

test('retention runs when its settings change, and not when others do', async () => {
  const id = await fill();
  nowMs += 3 * DAY_MS;
  notify('settings/changed', { ...limits, theme: 'dark' } as Settings);
  limits = { retentionDays: 1, retentionBytes: 0 };
  notify('settings/changed', limits as Settings);
  await expect.poll(() => heard('snapshots/removed')).toEqual([{ snapshotIds: [id] }]);
});
