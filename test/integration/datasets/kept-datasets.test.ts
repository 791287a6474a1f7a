import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { type Datasets, openDatasets } from '../../../src-main/core/datasets/datasets.ts';
import { createEvents, type Events } from '../../../src-main/core/host.ts';
import { createTaskRegistry, type TaskRegistry } from '../../../src-main/core/tasks/task-registry.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  openTestEngine,
} from '../cache/cache-fixture.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';

let place: Awaited<ReturnType<typeof createFolder>>;
let cache: Cache;
let engine: Engine;
let events: Events;
let tasks: TaskRegistry;
let chosen: string | null;
const opened: Datasets[] = [];

beforeEach(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
  engine = openTestEngine(place.file);
  events = createEvents();
  tasks = createTaskRegistry({ now: Date.now, emit: events.emit, logger: createSilentLogger() });
  chosen = join(place.folder, 'out');
  await fillSnapshot(cache, [createDocument(0), createDocument(1)]);
});
afterEach(async () => {
  for (const datasets of opened.splice(0)) datasets.stop();
  await tasks.stop();
  await engine.close();
  await cache.close();
  await place.remove();
});

async function open(): Promise<Datasets> {
  const saved = { id: 'one', name: 'Work', baseAddress: 'https://reports.example', tenant: 1001 };
  const datasets = await openDatasets({
    cache,
    engine,
    ledger: openLedger(cache),
    tasks,
    events,
    emit: events.emit,
    partials: { add: () => Promise.resolve(), remove: () => Promise.resolve() },
    version: '1.2.3',
    now: Date.now,
    logger: createSilentLogger(),
    host: { dataFolder: place.folder, chooseFolder: () => Promise.resolve(chosen) },
    connections: { get: () => saved as never },
    keepDelayMs: 1,
  });
  opened.push(datasets);
  return datasets;
}

it('a folder that is kept follows the cache by itself, also after the next start', async () => {
  const first = await open();
  const added = await first.add({ connectionId: 'one', reports: ['inbound-detail'], isKept: true });
  expect(added).toMatchObject({ folder: chosen, isKept: true, last: null });
  const waitFor = (datasets: Datasets, records: number): Promise<void> =>
    vi.waitFor(() => expect(datasets.list()[0]?.last?.records).toBe(records), { timeout: 60_000 });
  await waitFor(first, 2);
  first.stop();

  await fillSnapshot(cache, [createDocument(0), createDocument(1), createDocument(2)], {
    startedAtMs: Date.UTC(2026, 10, 22),
  });
  const second = await open();
  expect(second.list()).toMatchObject([{ folder: chosen, reports: ['inbound-detail'], isKept: true }]);
  await waitFor(second, 3);

  await fillSnapshot(cache, [createDocument(0)], { startedAtMs: Date.UTC(2026, 10, 23) });
  events.emit('snapshots/removed', { snapshotIds: [] });
  await waitFor(second, 1);
});

it('one that is not kept is updated when it is asked to, and forgotten without its files', async () => {
  const datasets = await open();
  const added = await datasets.add({ connectionId: 'one', reports: ['inbound-detail'], isKept: false });
  const id = added?.id ?? '';
  const { taskId } = datasets.update(id);
  expect(datasets.update(id)).toEqual({ taskId });
  expect(await tasks.whenEnded(taskId)).toMatchObject({ kind: 'dataset', state: 'done', done: 2, total: 2 });
  expect(datasets.list()[0]?.last).toMatchObject({ records: 2, days: 1, written: 1 });
  const again = await datasets.add({ connectionId: 'one', reports: ['inbound-detail'], isKept: false });
  expect(again?.id).toBe(id);
  await datasets.remove(id);
  expect(datasets.list()).toEqual([]);
  expect(() => datasets.update(id)).toThrow(expect.objectContaining({ code: 'datasets.not-found' }));
  chosen = null;
  expect(await datasets.add({ connectionId: 'one', reports: ['inbound-detail'], isKept: true })).toBeNull();
});

it('keeps what it can not read of the list, and what a later version has written', async () => {
  const path = join(place.folder, 'datasets.json');
  const folder = await open();
  const added = await folder.add({ connectionId: 'one', reports: ['inbound-detail'], isKept: false });
  const strange = { id: 'strange', isKept: 'sometimes' };
  await writeFile(path, JSON.stringify({ version: 2, datasets: [strange, added] }));

  const again = await open();
  expect(again.list()).toEqual([added]);
  await again.switch(added?.id ?? '', false);
  const kept = JSON.parse(await readFile(path, 'utf8')) as { datasets: unknown[] };
  expect(kept.datasets).toEqual([added, strange]);
  const backup = JSON.parse(await readFile(`${path}.v2.backup`, 'utf8')) as { version: number };
  expect(backup.version).toBe(2);

  await writeFile(path, '{"datasets": 1}');
  expect((await open()).list()).toEqual([]);
  const names = await readdir(place.folder);
  expect(names.filter((name) => name.startsWith('datasets.json.damaged-'))).toHaveLength(1);
});
