import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { openFile } from '../../../src-main/core/cache/file/open-file.ts';
import { createFolder } from '../../integration/cache/cache-fixture.ts';
import { runWriter } from './run-writer.ts';
import { checkWhole, SCALE } from './writer-rig.ts';

const PAGE_SIZE = 20;
const PAGES = 6;
const MUTATIONS = Math.ceil(50 * SCALE);
let place: Awaited<ReturnType<typeof createFolder>>;
let log: Buffer;

beforeAll(async () => {
  place = await createFolder();
  // Killed with its log still hot: what a power cut leaves behind, before it is torn.
  const { acknowledged } = await runWriter([place.file, PAGE_SIZE], { killAfterPages: PAGES });
  expect(acknowledged).toBeGreaterThanOrEqual(PAGES);
  log = await readFile(`${place.file}-wal`);
});
afterAll(() => place.remove());

async function openWith(name: string, torn: Buffer): Promise<{ file: string; damage: string }> {
  const folder = join(place.folder, name);
  await mkdir(folder);
  const file = join(folder, 'cache.sqlite');
  await copyFile(place.file, file);
  await writeFile(`${file}-wal`, torn);
  const { database, damage } = openFile(file, 1);
  database.close();
  return { file, damage };
}

test.each<[string, (random: () => number) => Buffer]>([
  ['cut off', (random) => log.subarray(0, Math.floor(random() * log.length))],
  [
    'with a flipped bit',
    (random) => {
      const torn = Buffer.from(log);
      const place = Math.floor(random() * torn.length);
      torn[place] = torn[place]! ^ (1 << Math.floor(random() * 8));
      return torn;
    },
  ],
])(
  `T-4: a log that is %s leaves a clean beginning (${MUTATIONS} of them)`,
  { timeout: 600_000 },
  async (kind, tear) => {
    const random = createRandom(kind.length);
    const found = new Set<number>();
    for (let number = 0; number < MUTATIONS; number += 1) {
      const { file, damage } = await openWith(`${kind.length}-${number}`, tear(random));
      expect(damage).toBe('');
      found.add(await checkWhole(file, PAGE_SIZE));
    }
    expect(found.size).toBeGreaterThan(MUTATIONS >= 50 ? PAGES / 2 : 1);
  },
);

test('T-4: a download that continues after a torn log ends with the same records as an undisturbed one', async () => {
  const { file } = await openWith('resumed', log.subarray(0, Math.floor(log.length * 0.6)));
  const before = await checkWhole(file, PAGE_SIZE);
  expect(before).toBeGreaterThan(0);
  const { lines } = await runWriter([file, PAGE_SIZE, before + 10]);
  expect(lines.at(-1)).toBe('closed');
  expect(await checkWhole(file, PAGE_SIZE)).toBe(before + 10);
});
