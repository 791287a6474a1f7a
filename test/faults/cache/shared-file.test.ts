import { randomBytes } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  toBody,
  toNewSnapshot,
  toPage,
} from '../../integration/cache/cache-fixture.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { SCALE } from './writer-rig.ts';

const HOLD = fileURLToPath(bundledScript('hold-lock'));
let place: Awaited<ReturnType<typeof createFolder>>;
let children: ChildProcess[] = [];

beforeEach(async () => {
  place = await createFolder();
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  await place.remove();
});

async function holdLock(kind: 'write' | 'read', file: string, holdMs: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [HOLD, kind, file, String(holdMs)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

async function storeWhileLocked(holdMs: number): Promise<{ tookMs: number; failure: unknown; cache: Cache }> {
  const cache = await openTestCache(place.file);
  const { id } = await cache.createSnapshot(toNewSnapshot());
  await holdLock('write', place.file, holdMs);
  const startedAtMs = performance.now();
  const failure: unknown = await cache
    .storePage(toPage(id, ''), toBody([createDocument(0)], 'a', 2))
    .stored.then(
      () => null,
      (error: unknown) => error,
    );
  return { tookMs: performance.now() - startedAtMs, failure, cache };
}

test('T-7: a lock that another program holds for a moment is waited for', async () => {
  for (const holdMs of [100, 2500]) {
    const { tookMs, failure, cache } = await storeWhileLocked(holdMs);
    expect(failure).toBeNull();
    expect(tookMs).toBeLessThan(5000);
    await cache.close();
  }
});

test('T-7: after five seconds the lock is reported, reads continue, and the page can be stored later', async () => {
  const { tookMs, failure, cache } = await storeWhileLocked(7000);
  expect(failure).toMatchObject({ code: 'cache.locked' });
  expect(tookMs).toBeGreaterThan(4500);
  const [snapshot] = await cache.listSnapshots(null);
  expect(snapshot).toMatchObject({ recordCount: 0, pageCount: 0 });
  await once(children[0]!, 'close');
  const page = cache.storePage(toPage(snapshot!.id, ''), toBody([createDocument(0)], '', 1));
  expect(await page.stored).toMatchObject({ recordCount: 1, pageCount: 1 });
  await cache.close();
});

test(
  'T-8: a reader that does not let go makes the log large, which is reported, and the log shrinks once it is gone',
  {
    timeout: 120_000,
  },
  async () => {
    const cache = await openTestCache(place.file);
    await fillSnapshot(cache, [createDocument(0)]);
    const reader = await holdLock('read', place.file, 600_000);
    const documents = Array.from({ length: 400 }, (_, index) =>
      // Pages are compressed, so the log grows by what can't be.
      createDocument(index, { Payload: randomBytes(22_500).toString('base64') }),
    );
    const pages = Math.ceil(9 * Math.max(1, SCALE));
    for (let page = 0; page < pages; page += 1) await fillSnapshot(cache, documents, {}, 400);
    const large = await stat(`${place.file}-wal`);
    expect(large.size).toBeGreaterThan(67_108_864);
    expect(await cache.retry()).toMatchObject({ mode: 'ready', largeLog: true });
    expect(await cache.listSnapshots(null)).toHaveLength(pages + 1);

    reader.kill('SIGKILL');
    await once(reader, 'close');
    expect(await cache.retry()).toMatchObject({ largeLog: false });
    expect((await stat(`${place.file}-wal`)).size).toBeLessThanOrEqual(67_108_864);
    expect(await cache.listSnapshots(null)).toHaveLength(pages + 1);
    await cache.close();
  },
);
