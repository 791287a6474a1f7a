import { existsSync, readFileSync } from 'node:fs';
import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { openFile } from '../../../src-main/core/cache/file/open-file.ts';
import { createFolder } from '../../integration/cache/cache-fixture.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { STEP_COUNT, withSteps } from './added-steps.ts';
import { canInject, injectInto } from './inject-faults.ts';
import { runWriter } from './run-writer.ts';
import { SCALE } from './writer-rig.ts';
import { isPosix } from '../../support/skips/posix.ts';

const KILLS = Math.ceil(2 * SCALE);
/** Nothing is loaded that opening a file does not need: each start counts. */
const script = bundledScript('open-and-close');
/** The version after all steps, and the one before any. */
const KNOWN = withSteps(STEP_COUNT).length;
const FIRST = KNOWN - STEP_COUNT;
let place: Awaited<ReturnType<typeof createFolder>>;

beforeEach(async () => {
  place = await createFolder();
});
afterEach(() => place.remove());

/** A cache of a version that lacks steps, with a snapshot of three records. */
function createOlder(file: string, steps: number): void {
  const { database } = openFile(file, 1, { migrations: withSteps(steps) });
  database.exec(`
    INSERT INTO snapshots (connection_id, tenant, report, start_date, end_date, from_ms, to_ms, zone, state,
      started_at_ms, still_open, record_count) VALUES ('one', 1, 'inbound-detail', '', '', 0, 1, 'UTC', 'complete', 1, 0, 3);
    INSERT INTO pages (snapshot_id, page_number, cursor_sent, entry_count, first_seq, record_count, size_bytes,
      sha256, status, requested_at_ms, received_at_ms) VALUES (1, 0, '', 3, 0, 3, 9, 'ff', 200, 1, 1);
    UPDATE cache_state SET was_closed = 1;`);
  database.close();
}

/** How often the file and its companions are written to until the version is up to date. */
async function countWrites(model: string): Promise<number> {
  const file = join(place.folder, 'counted.sqlite');
  const log = join(place.folder, 'writes.log');
  await copyFile(model, file);
  await runWriter([file, STEP_COUNT], {
    script,
    before: ['strace', '-f', '-o', log, '-e', 'trace=pwrite64'],
  });
  return readFileSync(log, 'utf8').split('pwrite64(').length - 1;
}

function readFile(file: string): { version: unknown; check: unknown; records: unknown } {
  const database = new Database(file, { readonly: true });
  try {
    const version = database.pragma('user_version', { simple: true });
    const check = database.pragma('integrity_check', { simple: true });
    return { version, check, records: database.prepare('SELECT record_count FROM snapshots').pluck().get() };
  } finally {
    database.close();
  }
}

test.each(Array.from({ length: STEP_COUNT }, (_, index) => index))(
  `D-14: ${KILLS} kills while a cache with %i of the steps is brought up to date leave it old or new, never between`,
  { timeout: 300_000 },
  async (steps) => {
    const version = FIRST + steps;
    const random = createRandom(version);
    const model = join(place.folder, 'model.sqlite');
    createOlder(model, steps);
    const writes = canInject() ? await countWrites(model) : 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const file = join(place.folder, `${kill}.sqlite`);
      await copyFile(model, file);
      const atWrite = Math.ceil((kill * writes) / (KILLS + 1));
      await (canInject()
        ? runWriter([file, STEP_COUNT], { script, before: injectInto('pwrite64', 'signal=KILL', atWrite) })
        : runWriter([file, STEP_COUNT], { script, killAfterMs: Math.floor(random() * 5) }));
      const left = readFile(file);
      expect(left).toMatchObject({ check: 'ok', records: 3 });
      expect(left.version).toBeGreaterThanOrEqual(version);
      expect(left.version).toBeLessThanOrEqual(KNOWN);
      const { database, damagedFolder } = openFile(file, 1, { migrations: withSteps(STEP_COUNT) });
      database.close();
      expect(damagedFolder).toBeNull();
      expect(readFile(file)).toEqual({ version: KNOWN, check: 'ok', records: 3 });
    }
  },
);

test('D-12: the copy from before a migration is whole, for its owner only, and can be gone back to', async () => {
  createOlder(place.file, 0);
  expect((await runWriter([place.file, STEP_COUNT], { script })).lines).toEqual(['open ', 'closed']);
  const copy = `${place.file}.v${FIRST}.backup`;
  expect(readFile(copy)).toEqual({ version: FIRST, check: 'ok', records: 3 });
  if (isPosix) expect((await stat(copy)).mode & 0o077).toBe(0);
  const restored = join(place.folder, 'restored.sqlite');
  await copyFile(copy, restored);
  expect((await runWriter([restored, STEP_COUNT], { script })).lines).toEqual(['open ', 'closed']);
  expect(readFile(restored)).toEqual({ version: KNOWN, check: 'ok', records: 3 });
});

test('D-12: three copies are kept, those of the newest versions', () => {
  const migrations = withSteps(0);
  const versions: number[] = [];
  createOlder(place.file, 0);
  for (let added = 1; added <= 4; added += 1) {
    const version = migrations.length + 1;
    versions.push(version - 1);
    migrations.push({ version, sql: `CREATE TABLE added_${version} (id INTEGER PRIMARY KEY) STRICT` });
    const { database } = openFile(place.file, 1, { migrations });
    database.close();
  }
  const open = (version: number) => () => readFile(`${place.file}.v${version}.backup`);
  for (const version of versions.slice(1)) expect(open(version)()).toMatchObject({ version, check: 'ok' });
  expect(existsSync(`${place.file}.v${FIRST}.backup`)).toBe(false);
});
