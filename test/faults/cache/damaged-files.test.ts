import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { openFile } from '../../../src-main/core/cache/file/open-file.ts';
import { createFolder } from '../../integration/cache/cache-fixture.ts';
import { makeUnwritable } from '../../support/files/mount-folder.ts';
import { runWriter } from './run-writer.ts';
import { checkWhole } from './writer-rig.ts';

const PAGE_SIZE = 400;
const PAGES = 8;
const PAGE_BYTES = 4096;
let model: Awaited<ReturnType<typeof createFolder>>;
let place: Awaited<ReturnType<typeof createFolder>>;

beforeAll(async () => {
  model = await createFolder();
  await runWriter([model.file, PAGE_SIZE, PAGES]);
});
afterAll(() => model.remove());
beforeEach(async () => {
  place = await createFolder();
  await copyFile(model.file, place.file);
});
afterEach(() => place.remove());

/** Somewhere in the middle; the page's number counts from the start of the file. */
async function overwrite(fromBytes: number, bytes: Uint8Array): Promise<void> {
  const content = await readFile(place.file);
  content.set(bytes, fromBytes);
  await writeFile(place.file, content);
}

function change(sql: string): Promise<void> {
  const database = new Database(place.file);
  database.exec(sql);
  database.close();
  return Promise.resolve();
}

/** Number of the page, from 1, at which a table begins. */
function findRootPage(table: string): number {
  const database = new Database(place.file, { readonly: true });
  const found = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table);
  database.close();
  return Number(found);
}

const hash = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** Kinds of damage after which the file is put aside, and a clean one begun. */
const PUT_ASIDE: readonly (readonly [string, string, () => Promise<void>])[] = [
  ['a text file', 'SQLITE_NOTADB', () => writeFile(place.file, 'this is no database '.repeat(1000))],
  ['a file of no length', 'empty', () => writeFile(place.file, '')],
  [
    'half a file',
    'SQLITE_CORRUPT',
    async () => truncate(place.file, Math.floor((await stat(place.file)).size / 2)),
  ],
  ['a zeroed header', 'SQLITE_NOTADB', () => overwrite(0, new Uint8Array(100))],
  [
    'a zeroed page in the middle',
    'quick-check',
    () => overwrite((findRootPage('page_bodies') - 1) * PAGE_BYTES, new Uint8Array(PAGE_BYTES)),
  ],
  [
    'a last page of ones',
    'quick-check',
    async () => overwrite((await stat(place.file)).size - PAGE_BYTES, new Uint8Array(PAGE_BYTES).fill(0xff)),
  ],
  [
    'pages overwritten at random',
    'quick-check',
    async () => {
      const random = createRandom(5);
      for (let page = 20; page < 40; page += 2) {
        await overwrite(
          page * PAGE_BYTES,
          Uint8Array.from({ length: 64 }, () => Math.floor(random() * 256)),
        );
      }
    },
  ],
  ['a wrong mark of the application', 'other-application', () => change('PRAGMA application_id = 7')],
  ['a missing table', 'missing-table', () => change('DROP TABLE page_bodies')],
  [
    'the database of another application',
    'other-application',
    async () => {
      await rm(place.file);
      await change('CREATE TABLE other (id INTEGER)');
    },
  ],
];

test.each(PUT_ASIDE)(
  'T-5: %s is put aside as it was, and a clean cache begun (%s)',
  async (_kind, code, damage) => {
    await damage();
    const before = await hash(place.file);
    const startedAtMs = performance.now();
    const { database, damagedFolder, damage: found } = openFile(place.file, 1);
    database.close();
    expect(performance.now() - startedAtMs).toBeLessThan(5000);
    expect(found).toMatch(code === 'quick-check' ? /^(quick-check|SQLITE_CORRUPT)/ : new RegExp(`^${code}`));
    expect(await hash(join(damagedFolder!, 'cache.sqlite'))).toBe(before);
    expect(JSON.parse(await readFile(join(damagedFolder!, 'report.json'), 'utf8'))).toMatchObject({
      damage: found,
      sizeBytes: { 'cache.sqlite': expect.any(Number) },
    });
    await runWriter([place.file, PAGE_SIZE, 2]);
    expect(await checkWhole(place.file, PAGE_SIZE)).toBe(2);
  },
);

test('T-5: a log of garbage is ignored, and the file keeps all that it had', async () => {
  await writeFile(`${place.file}-wal`, 'garbage'.repeat(1000));
  const { lines } = await runWriter([place.file, PAGE_SIZE, PAGES + 1]);
  expect(lines).toEqual(['open ', String(PAGES + 1), 'closed']);
  expect(await checkWhole(place.file, PAGE_SIZE)).toBe(PAGES + 1);
});

test('T-5: a newer file is refused by its version, and stays as it was', async () => {
  await change('PRAGMA user_version = 99');
  const before = await hash(place.file);
  const { lines, code } = await runWriter([place.file, PAGE_SIZE, PAGES + 1]);
  expect([code, ...lines]).toEqual([3, 'cache.newer ']);
  expect(await hash(place.file)).toBe(before);
  expect(existsSync(join(place.folder, 'damaged'))).toBe(false);
});

test('T-5: a folder in the place of the file, and a folder that is not there, are reported', async () => {
  await rm(place.file);
  await mkdir(place.file);
  expect((await runWriter([place.file, PAGE_SIZE, 1])).lines[0]).toMatch(/^cache\.read-only/);
  const nowhere = join(place.folder, 'missing', 'cache.sqlite');
  expect((await runWriter([nowhere, PAGE_SIZE, 1])).lines[0]).toMatch(/^cache\.read-only/);
});

test('T-5: a folder that cannot be written is reported, and nothing in it changes', async (context) => {
  const undo = makeUnwritable(place.folder);
  if (undo === null) return context.skip('no way to make a folder unwritable here');
  try {
    const before = await hash(place.file);
    const { lines, code } = await runWriter([place.file, PAGE_SIZE, PAGES + 1]);
    expect(code).toBe(3);
    expect(lines[0]).toMatch(/^cache\.read-only/);
    expect(await hash(place.file)).toBe(before);
    expect(await readdir(place.folder)).toEqual(['cache.sqlite']);
  } finally {
    undo();
  }
  expect(await checkWhole(place.file, PAGE_SIZE)).toBe(PAGES);
});
