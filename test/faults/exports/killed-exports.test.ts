// @module-tag long
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
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
/** EXPORT_KILLS asks for more than the continuous checks try. */
const KILLS = Number(process.env['EXPORT_KILLS'] ?? 4);
const MANIFEST = '.manifest.json';
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
    await rm(`${target}${MANIFEST}`, { force: true });
  }
  return sums;
}

/** What is there under its name is whole, and nothing else is there. */
async function expectWhole(sums: ReadonlyMap<string, string>): Promise<void> {
  expect(await listParts()).toEqual([]);
  expect(await readdir(join(data, 'analysis-files'))).toEqual([]);
  for (const name of (await readdir(files)).filter((each) => !each.endsWith(MANIFEST))) {
    const [format = ''] = name.split(/ round/);
    expect(await sumFile(join(files, name)), name).toBe(sums.get(format));
  }
  await expectManifests();
  const manifests = (await readdir(files)).filter((name) => name.endsWith(MANIFEST));
  expect(manifests.filter((name) => !existsSync(join(files, name.slice(0, -MANIFEST.length))))).toEqual([]);
  await expectReadable();
}

/** No file that is to have a manifest is there without its own. */
async function expectManifests(): Promise<void> {
  for (const name of await readdir(files)) {
    if (!name.startsWith('csv with manifest') || !/\d$/.test(name)) continue;
    const manifest = JSON.parse(await readFile(join(files, `${name}${MANIFEST}`), 'utf8')) as object;
    expect(manifest, name).toMatchObject({ file: name, sha256: await sumFile(join(files, name)) });
  }
}

/** Each day is the one of before or the one that takes its place, from its first record to its last. */
async function expectReadable(): Promise<void> {
  const days = await readDataset(dataset);
  if (days.length > 0) expect(days).toHaveLength(DAYS);
  for (const { date, count, seconds } of days) expect(count, date).toBe(seconds);
}

test(
  `kill -9 at ${KILLS} moments leaves whole files only, nothing unfinished after the next start, and a dataset that can be read (seed ${SEED})`,
  async () => {
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
      await expectManifests();
      await expectReadable();
    }
    // They were killed in the middle of something.
    expect(unfinished).toBeGreaterThan(0);

    const last = await openExports(data);
    await expectWhole(sums);
    expect(await readdir(files)).not.toEqual([]);
    await last.updateDataset(dataset);
    await expectReadable();
    const days = await readDataset(dataset);
    expect(days.filter(({ count }) => count > FIRST_COUNT).length).toBeGreaterThan(1);
    expect(await listUnlike(dataset)).toEqual([]);
    await last.close();
  },
  240_000 + KILLS * 15_000,
);

test('a kill between the manifest and its file leaves neither, or both where an earlier file was to be replaced', async () => {
  await fillExports(data);
  const rig = await openExports(data);
  const [fresh, replaced] = [join(files, 'fresh'), join(files, 'replaced')];
  for (const target of [fresh, replaced]) {
    expect(await (await rig.start('csv with manifest', target)).ended).toMatchObject({ state: 'done' });
  }
  await rig.close();
  // What a kill leaves there: the file is whole under its partial name.
  const whole = await sumFile(replaced);
  await rename(fresh, `${fresh}.part`);
  await rename(replaced, `${replaced}.part`);
  await writeFile(replaced, 'what was there before');
  await writeFile(join(data, 'partial-exports.json'), JSON.stringify([fresh, replaced]));
  await (await openExports(data)).close();
  expect((await readdir(files)).toSorted()).toEqual(['replaced', `replaced${MANIFEST}`]);
  expect(await sumFile(replaced)).toBe(whole);
});

test('a file that can’t take its place leaves the manifest as it was', async () => {
  await fillExports(data);
  const rig = await openExports(data);
  const target = join(files, 'taken');
  await mkdir(join(target, 'by a folder'), { recursive: true });
  expect(await (await rig.start('csv with manifest', target)).ended).toMatchObject({ state: 'failed' });
  await writeFile(`${target}${MANIFEST}`, 'earlier');
  expect(await (await rig.start('csv with manifest', target)).ended).toMatchObject({ state: 'failed' });
  expect((await readdir(files)).toSorted()).toEqual(['taken', `taken${MANIFEST}`]);
  expect(await readFile(`${target}${MANIFEST}`, 'utf8')).toBe('earlier');
  await rig.close();
});
