import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import { openPartialList } from '../../../src-main/core/exports/write-manifest.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { makeUnwritable, mountSmallDisk, resizeDisk } from '../../support/files/mount-folder.ts';
import { isPosix } from '../../support/skips/posix.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { fillExports, FORMATS, openExports, type ExportsRig, type RunningExport } from './exports-rig.ts';
import { sumFile } from './sum-file.ts';

/** `EXPORT_MOMENTS=10` is the long proof. */
const MOMENTS = Number(process.env['EXPORT_MOMENTS'] ?? 2);
const SEED = 17;
/** What the engine writes into a folder of its own first. */
const OF_ENGINE = ['csv', 'json', 'ndjson', 'parquet'];

const DISK_FULL = {
  state: 'failed',
  error: { code: 'exports.write-failed', details: { systemCode: 'ENOSPC' } },
};

/** A file that nothing disturbed. */
interface Undisturbed {
  readonly sum: string;
  readonly bytes: number;
  readonly ms: number;
}

let place: string;
let data: string;
let files: string;
let rig: ExportsRig;
const undisturbed = new Map<string, Undisturbed>();

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'export-faults-'));
  data = join(place, 'data');
  await fillExports(data);
  rig = await openExports(data);
  for (const name of FORMATS.keys()) {
    const target = join(place, 'file');
    const fromMs = performance.now();
    const task = await (await rig.start(name, target)).ended;
    expect(task).toMatchObject({ state: 'done', error: null });
    const ms = performance.now() - fromMs;
    undisturbed.set(name, { sum: await sumFile(target), bytes: (await stat(target)).size, ms });
    await rm(target);
  }
});
afterAll(async () => {
  await rig.close();
  await rm(place, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(async () => {
  files = join(place, 'files');
  await rm(files, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(files);
});

/** Exports, has something happen at a moment before its usual end, and returns the task once it has ended. */
async function disturb(
  name: string,
  { place: at, share }: { readonly place: string; readonly share: number },
  happen: (running: RunningExport) => void | Promise<void>,
): Promise<Task> {
  const running = await rig.start(name, at);
  await wait(share * (undisturbed.get(name)?.ms ?? 0));
  await happen(running);
  return running.ended;
}

/** A file under its name is whole, its manifest is that of it, and there is nothing else. */
async function expectWhole(name: string, task: Task): Promise<void> {
  const found = await readdir(files).catch(() => []);
  if (task.state !== 'done') expect(found, task.state).toEqual([]);
  const sum = undisturbed.get(name)?.sum;
  for (const file of found) {
    const path = join(files, file);
    if (!file.endsWith('.manifest.json')) expect(await sumFile(path)).toBe(sum);
    else expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ sha256: sum });
  }
  expect(await readdir(rig.engineFolder)).toEqual([]);
}

/** Takes away what an export that was quicker than its disturbance has written. */
async function clearFiles(): Promise<void> {
  for (const file of await readdir(files)) await rm(join(files, file), { force: true, recursive: true });
}

/** Moments from the beginning of an export to its end, closer together at its beginning: it may be much quicker than before. */
function listMoments(name: string): number[] {
  const random = createRandom(SEED + name.length);
  return [0, ...Array.from({ length: MOMENTS }, (_none, moment) => ((moment + random()) / MOMENTS) ** 2)];
}

describe.each([...FORMATS.keys()])(`an export as %s, at ${MOMENTS} moments (seed ${SEED})`, (name) => {
  it('that is cancelled leaves nothing', async () => {
    const states = new Set<string>();
    for (const share of listMoments(name)) {
      const task = await disturb(name, { place: join(files, 'file'), share }, ({ cancel }) => cancel());
      states.add(task.state);
      await expectWhole(name, task);
      await clearFiles();
    }
    expect(states).toContain('cancelled');
  });

  it('whose disk is full fails, says so, and keeps the file that was there before', async (context) => {
    const unmount = mountSmallDisk(files, 4096 * 3);
    if (unmount === null) return context.skip('no small file system can be mounted here');
    try {
      const target = join(files, 'file');
      await writeFile(target, 'before');
      const before = await sumFile(target);
      const { bytes } = undisturbed.get(name)!;
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        // A page for the previous file, and less than the new one takes.
        const pages = 1 + Math.floor(((bytes / 4096) * moment) / MOMENTS);
        expect(resizeDisk(files, (pages + 1) * 4096)).toBe(true);
        const task = await (await rig.start(name, target)).ended;
        expect(task).toMatchObject(DISK_FULL);
        expect(await readdir(files)).toEqual(['file']);
        expect(await sumFile(target)).toBe(before);
      }
    } finally {
      unmount();
    }
  });

  it('whose folder vanishes fails, or was whole before', async () => {
    const states = new Set<string>();
    for (const share of listMoments(name)) {
      const folder = join(files, 'inner');
      await mkdir(folder);
      const task = await disturb(name, { place: join(folder, 'file'), share }, () =>
        rm(folder, { recursive: true, force: true, maxRetries: 5 }),
      );
      states.add(task.state);
      if (isPosix) expect(await readdir(files)).toEqual([]);
      if (task.state !== 'done') expect(task.error?.code).toBe('exports.write-failed');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
    if (isPosix) expect(states).toContain('failed');
  });

  it('whose folder can no longer be written to fails, and what stays there is gone after the next start', async (context) => {
    const states = new Set<string>();
    for (const share of listMoments(name)) {
      const made: { undo: (() => void) | null } = { undo: null };
      const task = await disturb(name, { place: join(files, 'file'), share }, () => {
        made.undo = makeUnwritable(files);
      });
      if (made.undo === null) return context.skip('no folder can be made unwritable here');
      made.undo();
      states.add(task.state);
      if (task.state !== 'done') expect(task.error?.code).toBe('exports.write-failed');
      await openPartialList(data, Date.now(), createSilentLogger());
      await expectWhole(name, task);
      await clearFiles();
    }
    expect(states).toContain('failed');
  });
});

describe.each(OF_ENGINE)(`an export as %s, at ${MOMENTS} moments`, (name) => {
  it('fails without a trace when the disk of the engine is full', async (context) => {
    const unmount = mountSmallDisk(rig.engineFolder, 4096);
    if (unmount === null) return context.skip('no small file system can be mounted here');
    try {
      const { bytes } = undisturbed.get(name)!;
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        const pages = 1 + Math.floor(((bytes / 4096) * moment) / MOMENTS);
        expect(resizeDisk(rig.engineFolder, pages * 4096)).toBe(true);
        const task = await (await rig.start(name, join(files, 'file'))).ended;
        expect(task).toMatchObject(DISK_FULL);
        await expectWhole(name, task);
      }
    } finally {
      unmount();
    }
  });
});
