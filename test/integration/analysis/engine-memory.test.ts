import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { ChildProcess } from '../../../src-main/node/fork-process.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  openTestEngine,
} from '../cache/cache-fixture.ts';

let cache: Cache;
let engine: Engine;
let processes: ChildProcess[];
let place: Awaited<ReturnType<typeof createFolder>>;
const readInode = async () => (await stat(join(place.folder, 'analysis.duckdb'))).ino;
const question = {
  filter: { conditions: [] },
  order: [{ column: 'received' as const, descending: false }],
};

beforeEach(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
  processes = [];
  engine = openTestEngine(place.file, processes, undefined, { manyRecords: 100 });
});
afterEach(async () => {
  await engine.close();
  await cache.close();
  await place.remove();
});

const fill = (count: number): Promise<number> =>
  fillSnapshot(
    cache,
    Array.from({ length: count }, (_, index) => createDocument(index)),
  );

it('gives the memory of a long feed back once nobody needs the process, and keeps what was fed', async () => {
  const snapshotId = await fill(250);
  const scope = { snapshotId };
  const { viewId } = await engine.openView({ scope, ...question });
  const inode = await readInode();
  engine.noteChange();
  await fill(20);
  const second = await engine.openView({ scope, ...question });
  // An open view would be lost.
  expect(processes).toHaveLength(1);
  await engine.closeView(viewId);
  await engine.closeView(second.viewId);
  engine.noteChange();
  await vi.waitFor(() => expect(processes).toHaveLength(2), { timeout: 60_000 });
  expect((await engine.openView({ scope, ...question })).rowCount).toBe(250);
  expect(await readInode()).toBe(inode);
});

it.skipIf(process.platform === 'win32')('keeps records where only their owner can read them', async () => {
  const snapshotId = await fill(20);
  await engine.openView({ scope: { snapshotId }, ...question });
  const names = (await readdir(place.folder)).filter((name) => name.startsWith('analysis.duckdb'));
  expect(names).toContain('analysis.duckdb');
  for (const name of names) expect((await stat(join(place.folder, name))).mode & 0o077).toBe(0);
});

it('lets calls wait for the end of the process before', async () => {
  const snapshotId = await fill(250);
  const { rowCount } = await engine.openView({ scope: { snapshotId }, ...question });
  const inode = await readInode();
  const restarted = engine.restart();
  const found = await engine.openView({ scope: { snapshotId }, ...question });
  await restarted;
  expect(found.rowCount).toBe(rowCount);
  expect(await readInode()).toBe(inode);
  expect(processes).toHaveLength(2);
});

it('ends only after what it is asked has ended, and the next process answers that', async () => {
  const snapshotId = await fill(2000);
  const scope = { snapshotId };
  const { filter } = question;
  const reasons: string[] = [];
  const watched = new Set<ChildProcess>();
  const watch = (): void => {
    for (const one of processes.filter((each) => !watched.has(each))) {
      watched.add(one);
      one.onExit((reason) => reasons.push(reason));
    }
  };
  for (let round = 0; round < Number(process.env['ENGINE_ENDS'] ?? 3); round += 1) {
    const asked = [
      engine.groupRecords({ scope, filter, by: ['channel', 'client'] }),
      engine.countFacets({ scope, filter }),
      engine.findErrorFamilies({ scope, filter, period: { fromMs: 0, toMs: Date.UTC(2030, 0) } }),
      engine.openView({ scope, filter, order: [{ column: 'client', descending: round % 2 === 0 }] }),
      engine.explain({ scope, filter, selection: { conditions: [{ field: 'channel', values: [1] }] } }),
    ];
    await fill(500);
    watch();
    engine.noteChange();
    const caughtUp = engine.catchUp().catch(() => undefined);
    // Each round at another moment of the work.
    await new Promise((resolve) => setTimeout(resolve, round * 4));
    const restarted = engine.restart();
    await Promise.all([...asked, caughtUp, restarted]);
    watch();
  }
  await engine.close();
  expect(reasons.length).toBeGreaterThan(1);
  expect(reasons.filter((reason) => reason !== 'exit code 0')).toEqual([]);
}, 300_000);
