import { chmod, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  APPLICATION_ID,
  EARLIER_APPLICATION_ID,
  openCacheDatabase,
} from '../../../src-main/core/cache/file/open-database.ts';
import { MIGRATIONS } from '../../../src-main/core/cache/file/schema.ts';
import { openFile } from '../../../src-main/core/cache/file/open-file.ts';
import { createDocument, createFolder, fillSnapshot, FROM_MS, openTestCache } from './cache-fixture.ts';
import { isPosix, itOnPosix } from '../../support/skips/posix.ts';

let place: Awaited<ReturnType<typeof createFolder>>;

beforeEach(async () => {
  place = await createFolder();
});
afterEach(async () => {
  await chmod(place.folder, 0o700);
  await place.remove();
});

async function createFilled(count = 1): Promise<void> {
  const cache = await openTestCache(place.file);
  await fillSnapshot(
    cache,
    Array.from({ length: count }, (_, index) => createDocument(index)),
  );
  await cache.close();
}

test.each(['write', 'read'] as const)('every pragma holds on a connection to %s', async (mode) => {
  await createFilled();
  const database = openCacheDatabase(place.file, mode);
  const read = (name: string): unknown => database.pragma(name, { simple: true });
  expect({
    journal: read('journal_mode'),
    synchronous: read('synchronous'),
    busy: read('busy_timeout'),
    keys: read('foreign_keys'),
    checkpoint: read('wal_autocheckpoint'),
    limit: read('journal_size_limit'),
    trusted: read('trusted_schema'),
    cells: read('cell_size_check'),
    mmap: read('mmap_size'),
  }).toEqual({
    journal: 'wal',
    synchronous: 2,
    busy: 5000,
    keys: 1,
    checkpoint: 1000,
    limit: 67_108_864,
    trusted: 0,
    cells: 1,
    mmap: 0,
  });
  database.close();
});

test('a new cache is marked, versioned, STRICT and for its owner only', async () => {
  await createFilled();
  const database = new Database(place.file, { readonly: true });
  expect(database.pragma('application_id', { simple: true })).toBe(APPLICATION_ID);
  expect(database.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
  const tables = database.pragma('table_list') as { name: string; strict: number }[];
  expect(tables.filter(({ name, strict }) => strict === 0 && !name.startsWith('sqlite_'))).toEqual([]);
  database.close();
  if (isPosix) expect((await stat(place.file)).mode & 0o077).toBe(0);
});

itOnPosix('D-15: everything beside the cache is for its owner only too', async () => {
  await writeFile(place.file, 'no database'.repeat(500));
  const cache = await openTestCache(place.file);
  await fillSnapshot(cache, [createDocument(0)]);
  const names = await readdir(place.folder, { recursive: true });
  expect(names).toEqual(expect.arrayContaining(['cache.sqlite-wal', 'damaged']));
  const modes = await Promise.all(
    names.map(async (name) => (await stat(join(place.folder, name))).mode & 0o077),
  );
  const kept = names.filter((_, index) => modes[index] !== 0);
  // A damaged file keeps the mode that it came with, in a folder that nobody else may enter.
  expect(kept.filter((name) => !name.startsWith(join('damaged', '2026')))).toEqual([]);
  await cache.close();
});

test('a database of a later version is refused and stays as it was', async () => {
  await createFilled();
  const database = new Database(place.file);
  database.pragma('user_version = 99');
  database.close();
  const before = await readFile(place.file);
  await expect(openTestCache(place.file)).rejects.toMatchObject({ code: 'cache.newer' });
  expect(before.equals(await readFile(place.file))).toBe(true);
  expect(await readdir(place.folder)).not.toContain('damaged');
});

test.each<[string, string]>([
  [
    'whose versions had other numbers',
    `PRAGMA application_id = ${EARLIER_APPLICATION_ID}; PRAGMA user_version = 15;
      ALTER TABLE snapshots DROP COLUMN note`,
  ],
  ['whose tables have other columns', 'ALTER TABLE snapshots ADD COLUMN later INTEGER'],
])(
  'a cache from before the first release, %s, is put aside as it was, and said to be one',
  async (_kind, sql) => {
    await createFilled();
    const database = new Database(place.file);
    database.exec(sql);
    database.close();
    const before = await readFile(place.file);
    const cache = await openTestCache(place.file);
    const { putAside, salvaged } = cache.readState();
    expect(putAside).toMatchObject({ damage: 'other-schema' });
    expect(before.equals(await readFile(join(putAside!.folder, 'cache.sqlite')))).toBe(true);
    // Nothing of it is read as if its columns were those of today.
    await fillSnapshot(cache, [createDocument(0)]);
    expect(await cache.listSnapshots(null)).toHaveLength(1);
    expect(salvaged).toBeNull();
    await cache.close();
  },
);

const KNOWN = MIGRATIONS.length;

function openAndClose(): void {
  const { database } = openFile(place.file, FROM_MS);
  database.close();
}

test('an older database is copied, then brought up to date', () => {
  openAndClose();
  const next = { version: KNOWN + 1, sql: 'CREATE TABLE added (id INTEGER PRIMARY KEY) STRICT' };
  const { database, damagedFolder } = openFile(place.file, FROM_MS, {
    migrations: [...MIGRATIONS, next],
  });
  expect(damagedFolder).toBeNull();
  expect(database.pragma('user_version', { simple: true })).toBe(KNOWN + 1);
  database.close();
  const copy = new Database(`${place.file}.v${KNOWN}.backup`, { readonly: true });
  expect(copy.pragma('user_version', { simple: true })).toBe(KNOWN);
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
  copy.close();
});

test('a migration that fails leaves neither its tables nor its version', () => {
  openAndClose();
  const broken = {
    version: KNOWN + 1,
    sql: 'CREATE TABLE added (id INTEGER) STRICT; SELECT missing FROM nowhere',
  };
  expect(() => openFile(place.file, FROM_MS, { migrations: [...MIGRATIONS, broken] })).toThrow('nowhere');
  const database = new Database(place.file, { readonly: true });
  expect(database.pragma('user_version', { simple: true })).toBe(KNOWN);
  expect(database.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'added'").pluck().get()).toBe(0);
  database.close();
});

test.each<[string, () => Promise<void>]>([
  ['a text file', () => writeFile(place.file, 'this is no database '.repeat(100))],
  ['a file of no length', () => writeFile(place.file, '')],
  [
    'half a file',
    async () => {
      await createFilled(500);
      await truncate(place.file, Math.floor((await stat(place.file)).size / 2));
    },
  ],
  [
    'the database of another application',
    () => {
      const other = new Database(place.file);
      other.exec('CREATE TABLE other (id INTEGER)');
      other.close();
      return Promise.resolve();
    },
  ],
])('%s is put aside and a clean cache begun', async (_kind, damage) => {
  await damage();
  const before = await readFile(place.file);
  const cache = await openTestCache(place.file);
  const folder = join(place.folder, 'damaged', '2026-11-20T10-00-00.000Z');
  expect(cache.readState()).toMatchObject({ mode: 'ready', damagedCount: 1, putAside: { folder } });
  expect(before.equals(await readFile(join(folder, 'cache.sqlite')))).toBe(true);
  expect(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))).toHaveProperty('damage');
  expect(await cache.listSnapshots(null)).toEqual([]);
  await fillSnapshot(cache, [createDocument(0)]);
  await cache.close();
});

test('a file that the system left among the damaged ones keeps nothing from opening', async () => {
  await createFilled();
  await mkdir(join(place.folder, 'damaged'));
  await writeFile(join(place.folder, 'damaged/.DS_Store'), 'seen by a file browser');
  const cache = await openTestCache(place.file);
  expect(cache.readState()).toMatchObject({ mode: 'ready', putAside: null });
  expect(await cache.listSnapshots(null)).toHaveLength(1);
  await cache.close();
});

test('the log of a damaged file is put aside with it', async () => {
  await writeFile(place.file, 'no database'.repeat(500));
  await writeFile(`${place.file}-wal`, 'its log');
  const cache = await openTestCache(place.file);
  const { folder } = cache.readState().putAside!;
  expect(await readFile(join(folder, 'cache.sqlite-wal'), 'utf8')).toBe('its log');
  await cache.close();
});
