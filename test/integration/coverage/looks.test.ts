import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import type { EventArguments } from '../../../src-main/common/contract/index.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../src-main/common/reporting/reports.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { ConnectionStore } from '../../../src-main/core/connections/create-connections.ts';
import {
  createDownloads,
  createSummaryStarter,
} from '../../../src-main/core/downloads/downloads-handlers.ts';
import { toPeriod } from '../../../src-main/core/downloads/slice-period.ts';
import { createTaskRegistry, type TaskRegistry } from '../../../src-main/core/tasks/task-registry.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';
import { createFolder, FROM_MS, openTestCache, toBody } from '../cache/cache-fixture.ts';

const DAY_MS = 86_400_000;

let cache: Cache;
let tasks: TaskRegistry;
let close: () => Promise<void>;
let nowMs: number;
let isThere: boolean;
let events: EventArguments[];
let start: ReturnType<typeof createSummaryStarter>;
beforeEach(async () => {
  const place = await createFolder();
  cache = await openTestCache(place.file);
  [nowMs, isThere, events] = [FROM_MS + DAY_MS, true, []];
  const now = (): number => nowMs;
  const emit = (...event: EventArguments): void => void events.push(event);
  const fetchPage = () =>
    isThere
      ? Promise.resolve({ bytes: toBody([], '', 0), status: 200, requestedAtMs: nowMs, receivedAtMs: nowMs })
      : Promise.reject(new AppError('client.unreachable', 'Nobody is there.'));
  const connections = {
    get: (id: string) => ({
      id,
      tenant: 1,
      pageSize: 100,
      serviceZone: 'UTC',
      reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
    }),
    clientFor: () => ({ fetchPage }),
  } as unknown as ConnectionStore;
  const shared = { cache, connections, emit, now, logger: createSilentLogger() };
  tasks = createTaskRegistry(shared);
  start = createSummaryStarter({ ...shared, tasks, ...createDownloads({ ...shared, tasks }) });
  close = async () => {
    await tasks.stop();
    await cache.close();
    await place.remove();
  };
});
afterEach(() => close());

/** Fetches the summary of the last 24 hours; a look unless it is a download. Returns its snapshot and how it ended. */
async function fetch(isLook = true): Promise<{ snapshotId: number; state: string }> {
  const period = toPeriod({ fromMs: nowMs - DAY_MS, toMs: nowMs }, 'UTC');
  const { taskId, snapshotId } = await start({ connectionId: 'one', direction: 'inbound', period, isLook });
  return { snapshotId, state: (await tasks.whenEnded(taskId)).state };
}
const listIds = async (): Promise<number[]> => (await cache.listSnapshots('one')).map(({ id }) => id);
const readStates = async () => {
  const subject = { connectionId: 'one', report: 'inbound-summary' } as const;
  const { spans } = await openLedger(cache).read(subject, { fromMs: nowMs - 2 * DAY_MS, toMs: nowMs });
  return spans.map(({ state }) => state);
};

it('a look at a summary of a period that moves on takes the place of the one before, and is no download', async () => {
  const first = await fetch();
  expect(await cache.getSnapshot(first.snapshotId)).toMatchObject({ isLook: true, state: 'complete' });
  nowMs += 60_000;
  const second = await fetch();
  expect(await listIds()).toEqual([second.snapshotId]);
  expect(events).toContainEqual(['snapshots/removed', { snapshotIds: [first.snapshotId] }]);
  expect(await readStates()).toEqual(['missing']);
});

it('a look that fails says so, and leaves nothing behind but what was there before', async () => {
  const { snapshotId } = await fetch();
  isThere = false;
  nowMs += 60_000;
  expect((await fetch()).state).toBe('failed');
  expect(await listIds()).toEqual([snapshotId]);
  expect(await readStates()).toEqual(['missing']);
});

it('a look that somebody pins is kept, and a download stays what it is', async () => {
  const looked = await fetch();
  await cache.annotateSnapshot({ snapshotId: looked.snapshotId, pinned: true });
  expect((await cache.getSnapshot(looked.snapshotId)).isLook).toBeUndefined();
  nowMs += 60_000;
  const downloaded = await fetch(false);
  nowMs += 60_000;
  const last = await fetch();
  expect(await listIds()).toEqual([last.snapshotId, downloaded.snapshotId, looked.snapshotId]);
});
