import { copyFile, open, readFile, rm, writeFile } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  FROM_MS,
  openTestCache,
} from '../../integration/cache/cache-fixture.ts';

const PAGE_BYTES = 4_096;
const PAGE_RECORDS = 15;
const RECORDS = 60 * PAGE_RECORDS;
/** Snapshots, each of one page, so that their list fills several pages of the file too. */
const OTHERS = 60;
const INTERIOR = [0x02, 0x05];

type Folder = Awaited<ReturnType<typeof createFolder>>;

async function overwrite(file: string, page: number, bytes = Buffer.alloc(PAGE_BYTES, 0xff)): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(bytes, 0, undefined, (page - 1) * PAGE_BYTES);
  await handle.close();
}

/** Opens a damaged cache, and returns what is there once what is whole has been brought over. */
async function openAndSalvage(file: string) {
  const cache = await openTestCache(file);
  try {
    expect(cache.readState().putAside).not.toBeNull();
    await expect.poll(() => cache.readState().salvaged, { timeout: 30_000 }).not.toBeNull();
    return { snapshots: await cache.listSnapshots('one'), salvaged: cache.readState().salvaged };
  } finally {
    await cache.close();
  }
}

describe('a cache whose pages between roots and rows are torn', () => {
  const folders: Folder[] = [];
  let model: Folder;
  let largeId = 0;
  const copyModel = async (): Promise<string> => {
    const place = await createFolder();
    folders.push(place);
    await copyFile(model.file, place.file);
    return place.file;
  };
  beforeAll(async () => {
    model = await createFolder();
    const cache = await openTestCache(model.file);
    const documents = Array.from({ length: RECORDS }, (_none, index) => createDocument(index));
    largeId = await fillSnapshot(cache, documents, {}, PAGE_RECORDS);
    for (let other = 0; other < OTHERS; other += 1) await fillSnapshot(cache, documents.slice(0, 3));
    await cache.close();
  }, 60_000);
  afterAll(async () => {
    for (const { folder } of [model, ...folders]) await rm(folder, { recursive: true, force: true });
  });

  it('loses no row of a table, and of one that is an index only those in the page itself', async () => {
    const bytes = await readFile(model.file);
    const database = new Database(model.file, { readonly: true });
    const roots = database
      .prepare<[], { name: string; rootpage: number }>(
        'SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0',
      )
      .all()
      .filter(({ rootpage }) => INTERIOR.includes(bytes[(rootpage - 1) * PAGE_BYTES]!));
    database.close();
    const names = roots.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['snapshots', 'pages', 'page_bodies', 'inbound_records']));
    for (const { name, rootpage } of roots) {
      const file = await copyModel();
      await overwrite(file, rootpage);
      const { snapshots } = await openAndSalvage(file);
      const large = snapshots.find(({ id }) => id === largeId);
      expect([name, snapshots.length]).toEqual([name, OTHERS + 1]);
      if (name !== 'pages') {
        expect([name, large]).toMatchObject([name, { state: 'complete', recordCount: RECORDS }]);
        continue;
      }
      // Of each ten pages' entries, one is in the page that is lost.
      expect(large).toMatchObject({ state: 'incomplete' });
      expect(large!.recordCount).toBeGreaterThan(RECORDS * 0.8);
      expect(large!.recordCount).toBeLessThan(RECORDS);
    }
  }, 120_000);

  it('loses nothing where its list of tables is torn and the newest pages are in a log beside it', async () => {
    const file = await copyModel();
    const writer = new Database(file);
    writer.pragma('journal_mode = WAL');
    writer.pragma('wal_autocheckpoint = 0');
    writer.exec("UPDATE snapshots SET note = 'in the log' || printf('%.3000c', 'x')");
    const [pages, log] = [await readFile(file), await readFile(`${file}-wal`)];
    writer.close();
    const place = await createFolder();
    folders.push(place);
    const damaged = place.file;
    // The first page below the one that every file begins with.
    const listed = pages.readUInt32BE(pages.readUInt16BE(112));
    pages.fill(0xff, (listed - 1) * PAGE_BYTES, listed * PAGE_BYTES);
    await writeFile(damaged, pages);
    await writeFile(`${damaged}-wal`, log);
    const { snapshots } = await openAndSalvage(damaged);
    expect(snapshots).toHaveLength(OTHERS + 1);
    expect(snapshots.every(({ note }) => note.startsWith('in the log'))).toBe(true);
    expect(snapshots.find(({ id }) => id === largeId)).toMatchObject({
      state: 'complete',
      recordCount: RECORDS,
    });
  });

  it('counts what is fetched from now on as later than what is brought over', async () => {
    const file = await copyModel();
    await overwrite(file, 1, Buffer.alloc(16));
    const cache = await openTestCache(file);
    try {
      const newId = await fillSnapshot(cache, [createDocument(0)], { startedAtMs: FROM_MS });
      await expect.poll(() => cache.readState().salvaged, { timeout: 30_000 }).not.toBeNull();
      const orders = (await cache.listSnapshots('one')).map(({ id, fetchedOrder }) => ({ id, fetchedOrder }));
      expect(orders).toHaveLength(OTHERS + 2);
      expect(orders.toSorted((a, b) => b.fetchedOrder - a.fetchedOrder)[0]!.id).toBe(newId);
    } finally {
      await cache.close();
    }
  });
});
