import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPartialList } from '../../../src-main/core/exports/write-manifest.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { makeUnwritable, mountSmallDisk, resizeDisk } from '../../support/files/mount-folder.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { DAYS, fillExports, openExports, type ExportsRig } from './exports-rig.ts';
import { listUnlike, readDataset } from './read-dataset.ts';

/** `EXPORT_MOMENTS=10` is the long proof. */
const MOMENTS = Number(process.env['EXPORT_MOMENTS'] ?? 4);
const SEED = 19;
const DISK_BYTES = 4 * 1_048_576;

let place: string;
let data: string;
let dataset: string;
let rig: ExportsRig;
/** Records of a day that is stored anew: more each time. */
let count = 150;
let usualMs = 0;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'dataset-faults-'));
  data = join(place, 'data');
  await fillExports(data);
  rig = await openExports(data);
  for (let day = 0; day < DAYS; day += 1) await rig.fillDay(day, count);
});
afterAll(async () => {
  await rig.close();
  await rm(place, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(async () => {
  dataset = join(place, 'dataset');
  await rm(dataset, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(dataset);
});

/** Stores every day anew, with more records than before. */
async function changeDays(): Promise<void> {
  count += 1;
  for (let day = 0; day < DAYS; day += 1) await rig.fillDay(day, count);
}

async function update(signal?: AbortSignal): Promise<unknown> {
  return rig.updateDataset(dataset, signal).then(
    () => null,
    (error: unknown) => error,
  );
}

/** Every day is there: the previous file, or the one that takes its place. */
async function expectReadable(): Promise<void> {
  const days = await readDataset(dataset);
  expect(days).toHaveLength(DAYS);
  for (const day of days) {
    expect([count - 1, count]).toContain(day.count);
    expect(day.seconds).toBe(day.count);
  }
}

/** What is up to date after an update that nothing disturbs. */
async function expectCurrent(): Promise<void> {
  expect(await update()).toBeNull();
  const days = await readDataset(dataset);
  expect(days.map((day) => day.count)).toEqual(Array.from({ length: DAYS }, () => count));
  expect(await listUnlike(dataset)).toEqual([]);
  expect((await readdir(dataset, { recursive: true })).filter((name) => name.endsWith('.part'))).toEqual([]);
  expect(await readdir(rig.engineFolder)).toEqual([]);
}

async function begin(): Promise<void> {
  const fromMs = performance.now();
  expect(await update()).toBeNull();
  usualMs = performance.now() - fromMs;
}

/** Moments of an update, closer together at its beginning: it may be quicker than the first one. */
function listMoments(): number[] {
  const random = createRandom(SEED);
  return Array.from({ length: MOMENTS }, (_none, moment) => usualMs * ((moment + random()) / MOMENTS) ** 2);
}

describe(`a dataset whose days are replaced can be read throughout, at ${MOMENTS} moments (seed ${SEED})`, () => {
  it('when the update is cancelled', async () => {
    await begin();
    const errors: unknown[] = [];
    for (const ms of listMoments()) {
      await changeDays();
      const controller = new AbortController();
      const updating = update(controller.signal);
      await wait(ms);
      controller.abort(new Error('cancelled'));
      errors.push(await updating);
      await expectReadable();
      await expectCurrent();
    }
    expect(errors.filter((error) => error !== null)).not.toEqual([]);
  });

  it('when its disk is full', async (context) => {
    const unmount = mountSmallDisk(dataset, DISK_BYTES);
    if (unmount === null) return context.skip('no small file system can be mounted here');
    try {
      await begin();
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        await changeDays();
        // What is there, and less than a day takes beside it.
        const pages = (await countPages(dataset)) + moment;
        expect(resizeDisk(dataset, pages * 4096)).toBe(true);
        expect(await update()).toMatchObject({ code: 'exports.write-failed' });
        await expectReadable();
        expect(resizeDisk(dataset, DISK_BYTES)).toBe(true);
        await expectCurrent();
      }
    } finally {
      unmount();
    }
  });

  it('when its folder can no longer be written to', async (context) => {
    await begin();
    const errors: unknown[] = [];
    for (const ms of listMoments()) {
      await changeDays();
      const updating = update();
      await wait(ms);
      const undo = makeUnwritable(dataset);
      if (undo === null) return context.skip('no folder can be made unwritable here');
      errors.push(await updating);
      await expectReadable();
      undo();
      // The next start.
      await openPartialList(data, Date.now(), createSilentLogger());
      await expectCurrent();
    }
    expect(errors).toContainEqual(expect.objectContaining({ code: 'exports.write-failed' }));
  });

  it('when its folder vanishes, it is made anew whole', async () => {
    await begin();
    for (const ms of listMoments()) {
      await changeDays();
      const updating = update();
      await wait(ms);
      await rm(dataset, { recursive: true, force: true, maxRetries: 5 });
      await updating;
      for (const day of await readDataset(dataset)) expect(day.seconds).toBe(day.count);
      await expectCurrent();
    }
  });
});

/** Pages of four kilobytes that the files and folders of a file system in memory take. */
async function countPages(folder: string): Promise<number> {
  const { blocks, bfree } = await statfs(folder);
  return blocks - bfree;
}
