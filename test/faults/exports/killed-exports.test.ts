import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { DAYS, fillExports, FORMATS, openExports, type ExportsRig } from './exports-rig.ts';
import { listUnlike, readDataset } from './read-dataset.ts';
import { sumFile } from './sum-file.ts';

const SCRIPT = fileURLToPath(bundledScript('export-until-killed'));
const KILLS = 10;
const SEED = 13;
/** Records of each day before one is replaced. */
const FIRST_COUNT = 10;

let place: string;
let data: string;
let files: string;
let dataset: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'killed-exports-'));
  [data, files, dataset] = ['data', 'files', 'dataset'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [data, files, dataset]) await mkdir(folder);
});
afterEach(() => rm(place, { recursive: true, force: true, maxRetries: 5 }));

const listParts = async (): Promise<string[]> =>
  (await readdir(place, { recursive: true })).filter((name) => name.endsWith('.part'));

/** Writes a file in each format, and returns their sums. */
async function writeEach(rig: ExportsRig): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  for (const name of FORMATS.keys()) {
    const target = join(files, name);
    expect(await (await rig.start(name, target)).ended).toMatchObject({ state: 'done' });
    sums.set(name, await sumFile(target));
    await rm(target);
  }
  return sums;
}

/** What is there under its name is whole, and nothing else is there. */
async function expectWhole(sums: ReadonlyMap<string, string>): Promise<void> {
  expect(await listParts()).toEqual([]);
  expect(await readdir(join(data, 'analysis-files'))).toEqual([]);
  for (const name of await readdir(files)) {
    const [format = ''] = name.split(/ round/);
    expect(await sumFile(join(files, name)), name).toBe(sums.get(format));
  }
  await expectReadable();
}

/** Each day is the one of before or the one that takes its place, from its first record to its last. */
async function expectReadable(): Promise<void> {
  const days = await readDataset(dataset);
  if (days.length > 0) expect(days).toHaveLength(DAYS);
  for (const { date, count, seconds } of days) expect(count, date).toBe(seconds);
}

test(`kill -9 at ${KILLS} moments leaves whole files only, nothing unfinished after the next start, and a dataset that can be read (seed ${SEED})`, async () => {
  await fillExports(data);
  const first = await openExports(data);
  const sums = await writeEach(first);
  for (let day = 0; day < DAYS; day += 1) await first.fillDay(day, FIRST_COUNT);
  await first.updateDataset(dataset);
  await first.close();

  const random = createRandom(SEED);
  let unfinished = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = spawn(process.execPath, [SCRIPT, data, files, dataset, String(kill)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    try {
      await once(child.stdout, 'data');
      await expectWhole(sums);
      child.stdin.write('go');
      // However slow the machine: some are killed among the first files, others among later ones.
      if (kill % 3 === 2) await once(child.stdout, 'data');
      await wait(50 + random() * 700);
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
    unfinished += (await listParts()).length;
    await expectReadable();
  }
  // They were killed in the middle of something.
  expect(unfinished).toBeGreaterThan(KILLS);

  const last = await openExports(data);
  await expectWhole(sums);
  expect(await readdir(files)).not.toEqual([]);
  await last.updateDataset(dataset);
  await expectReadable();
  const days = await readDataset(dataset);
  expect(days.filter(({ count }) => count > FIRST_COUNT).length).toBeGreaterThan(1);
  expect(await listUnlike(dataset)).toEqual([]);
  await last.close();
});
