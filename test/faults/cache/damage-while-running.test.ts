import { existsSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CacheState } from '../../../src-main/common/model/cache/snapshot.ts';
import { toRecordId } from '../../../src-main/common/model/records/record.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  openTestEngine,
} from '../../integration/cache/cache-fixture.ts';
import type { ChildProcess } from '../../../src-main/node/fork-process.ts';

let cache: Cache;
let place: Awaited<ReturnType<typeof createFolder>>;
let states: CacheState[];

beforeEach(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
  states = [];
  cache.watchState((state) => states.push(state));
});
afterEach(async () => {
  await cache.close();
  await place.remove();
});

const RECORDS = 3000;

async function fill(): Promise<number> {
  const documents = Array.from({ length: RECORDS }, (_, index) =>
    createDocument(index, { Payload: `${index}`.padEnd(900, 'x') }),
  );
  const id = await fillSnapshot(cache, documents);
  // What is only in the log so far would hide the damage.
  await cache.retry();
  return id;
}

/** Reads every record, and whatever comes of it: damage is met on the way. */
async function readEverything(snapshotId: number): Promise<void> {
  const ids = Array.from({ length: RECORDS }, (_, seq) => toRecordId(snapshotId, seq));
  await cache.readExportBatch({ report: 'inbound-detail', ids, includePayload: true }).catch(() => null);
}

async function overwriteMiddle(): Promise<void> {
  const { size } = await stat(place.file);
  const file = await open(place.file, 'r+');
  const from = Math.floor(size / 2 / 4096) * 4096;
  await file.write(Buffer.alloc(Math.floor(size / 3), 0xff), 0, undefined, from);
  await file.close();
}

test('D-09: a file damaged at run time is put aside and replaced by a clean one, without a restart', async () => {
  const { startedAtMs } = cache.readState();
  const id = await fill();
  await overwriteMiddle();
  const damaged = await readFile(place.file);
  // Whatever the call returns: the cache must be usable afterwards, and the old file kept.
  await readEverything(id);
  expect(states.map(({ mode }) => mode)).toContain('recovering');
  const state = cache.readState();
  expect(state).toMatchObject({ mode: 'ready', damagedCount: 1 });
  expect(state.startedAtMs).toBeGreaterThan(startedAtMs);
  const kept = await readFile(join(state.putAside!.folder, 'cache.sqlite'));
  expect(kept.equals(damaged)).toBe(true);

  // What was whole comes back by itself, under its own id; an id never means another snapshot than it did.
  await expect.poll(() => cache.readState().salvaged, { timeout: 20_000 }).not.toBeNull();
  const next = await fillSnapshot(cache, [createDocument(0)]);
  expect(next).toBeGreaterThan(id);
  const salvaged = (await cache.listSnapshots(null)).filter((snapshot) => snapshot.id !== next);
  expect(salvaged).toEqual([expect.objectContaining({ id, state: 'incomplete' })]);
});

test('D-09: several calls that meet the same damage at once open the file again once', async () => {
  const id = await fill();
  await overwriteMiddle();
  const { signal } = new AbortController();
  const verify = () => cache.verifyPages(id, { signal });
  await Promise.allSettled([verify(), readEverything(id), verify(), readEverything(id)]);
  expect(cache.readState()).toMatchObject({ mode: 'ready', damagedCount: 1 });
});

test('the check of the whole file on demand finds damage that nothing has met yet, and a sound file sound', async () => {
  const { signal } = new AbortController();
  await fill();
  expect(await cache.checkFile(signal)).toEqual({ sound: true });
  expect(cache.readState().fileCheck).toMatchObject({ sound: true });
  await overwriteMiddle();
  expect(await cache.checkFile(signal)).toEqual({ sound: false });
  expect(cache.readState()).toMatchObject({
    mode: 'ready',
    damagedCount: 1,
    fileCheck: { sound: false },
    putAside: { folder: expect.stringContaining('damaged') as string },
  });
  await fillSnapshot(cache, [createDocument(0)]);
});

test('A1: whatever else has the file open lets go before it is put aside, and comes back afterwards', async () => {
  const processes: ChildProcess[] = [];
  const engine = openTestEngine(place.file, processes);
  const seen: unknown[] = [];
  let hasEnded = false;
  try {
    const id = await fill();
    engine.noteChange();
    await expect.poll(() => processes.length, { timeout: 60_000 }).toBe(1);
    processes[0]!.onExit(() => (hasEnded = true));
    const isAside = (): boolean => existsSync(join(place.folder, 'damaged'));
    cache.addHolder(async (reopened) => {
      void reopened.then(() => seen.push(['reopened', isAside(), processes.length]));
      await engine.letGo(reopened);
      seen.push(['let go', isAside(), hasEnded]);
      // What asks meanwhile waits until the file is there again.
      engine.noteChange();
    });
    await overwriteMiddle();
    const { signal } = new AbortController();
    const check = cache.checkFile(signal).catch((error: unknown) => error);
    await Promise.all([readEverything(id), check]);
    expect(cache.readState()).toMatchObject({ mode: 'ready', damagedCount: 1 });
    expect(seen.slice(0, 2)).toEqual([
      ['let go', false, true],
      ['reopened', true, 1],
    ]);
    await expect.poll(() => processes.length, { timeout: 60_000 }).toBe(2);
  } finally {
    await engine.close();
  }
});
