import type Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { openCacheDatabase } from '../../../src-main/core/cache/file/open-database.ts';
import { createDetailReader } from '../../../src-main/core/cache/read/read-records.ts';
import { createSnapshotReader } from '../../../src-main/core/cache/read/snapshot-rows.ts';
import { createPageVerifier } from '../../../src-main/core/cache/read/stored-pages.ts';
import { createDocument } from '../../integration/cache/cache-fixture.ts';

const noPause = () => Promise.resolve();

/** How much of everything is tried: 1 is what a run of all tests does; `CACHE_FAULT_SCALE=8` is the long proof. */
export const SCALE = Number(process.env['CACHE_FAULT_SCALE'] ?? 1);

/**
 * Checks that a file holds a clean beginning of what `write-pages.ts` writes: whole pages in a row, their
 * checksums right, every record the one that belongs there, counters and cursor in agreement. Returns the number of pages.
 */
export async function checkWhole(file: string, pageSize: number): Promise<number> {
  const database = openCacheDatabase(file, 'read-any');
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    const [snapshot] = createSnapshotReader(database).list(null);
    if (snapshot === undefined) return 0;
    const { pageCount } = snapshot;
    expect(snapshot.recordCount).toBe(pageCount * pageSize);
    const check = await createPageVerifier(database)(snapshot, noPause, () => undefined);
    expect(check).toEqual({ damagedPages: [], missingPages: 0, uncheckedPages: 0 });
    checkRecords(database, snapshot);
    const read = (sql: string): unknown => database.prepare(sql).pluck().get();
    expect(read('SELECT next_cursor FROM slices')).toBe(pageCount === 0 ? '' : `${snapshot.recordCount}`);
    expect(read('SELECT count(*) FROM page_bodies')).toBe(pageCount);
    expect(read('SELECT count(*) FROM pages')).toBe(pageCount);
    return pageCount;
  } finally {
    database.close();
  }
}

function checkRecords(database: Database.Database, snapshot: Snapshot): void {
  const readRecord = createDetailReader(database);
  const rows = Array.from({ length: snapshot.recordCount }, (_, seq) => {
    const { dateText, payload } = readRecord(snapshot, seq);
    return [dateText, payload];
  });
  const expected = Array.from({ length: snapshot.recordCount }, (_, index) => createDocument(index));
  expect(rows).toEqual(expected.map((document) => [document.Date, document.Payload]));
}
