import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { createFolder, openTestCache } from './cache-fixture.ts';

const SCRIPT = fileURLToPath(bundledScript('write-until-killed'));
let place: Awaited<ReturnType<typeof createFolder>>;

beforeEach(async () => {
  place = await createFolder();
});
afterEach(() => place.remove());

test.each([3, 11])('after a kill in the middle (page %i) only whole pages are there', async (pages) => {
  const child = spawn(process.execPath, [SCRIPT, place.file], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  let stored = 0;
  for await (const dots of child.stdout) {
    stored += String(dots).length;
    // A few milliseconds more or less: somewhere inside a page.
    if (stored >= pages) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
      break;
    }
  }
  child.kill('SIGKILL');
  await exited;

  const cache = await openTestCache(place.file);
  const [snapshot] = await cache.listSnapshots(null);
  const recordCount = snapshot!.recordCount;
  expect(snapshot).toMatchObject({ state: 'incomplete', recordCount: snapshot!.pageCount * 300 });
  expect(snapshot!.pageCount).toBeGreaterThanOrEqual(pages);
  await cache.close();
  const database = new Database(place.file, { readonly: true });
  const read = (sql: string): unknown => database.prepare(sql).pluck().get();
  expect(read('SELECT count(*) FROM inbound_records')).toBe(recordCount);
  expect(read('SELECT count(*) FROM page_bodies')).toBe(snapshot!.pageCount);
  expect(read('SELECT sum(record_count) FROM pages')).toBe(recordCount);
  expect(read('SELECT next_cursor FROM slices')).toBe(String(recordCount));
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
});
