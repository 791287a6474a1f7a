// @module-tag long
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCacheDatabase } from '../../../src-main/core/cache/file/open-database.ts';
import { createSnapshotReader } from '../../../src-main/core/cache/read/snapshot-rows.ts';
import { createPageVerifier } from '../../../src-main/core/cache/read/stored-pages.ts';
import { createFolder, FROM_MS } from '../../integration/cache/cache-fixture.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { canInject, injectInto } from './inject-faults.ts';
import { runWriter } from './run-writer.ts';
import { SCALE } from './writer-rig.ts';
import { PAGE_SIZE, PAGES, SHIFT_MS, storeZonelessPages } from './zoneless-pages.ts';

const KILLS = Math.ceil(4 * SCALE);
let place: Awaited<ReturnType<typeof createFolder>>;
beforeEach(async () => {
  place = await createFolder();
});
afterEach(() => place.remove());

/** Pages in the corrected zone, after each page was found to be wholly in one of the two. */
async function countNewPages(file: string): Promise<number> {
  const database = openCacheDatabase(file, 'read-any');
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    const snapshot = createSnapshotReader(database).get(1);
    const verify = createPageVerifier(database);
    expect(
      await verify(
        snapshot,
        () => Promise.resolve(),
        () => undefined,
      ),
    ).toMatchObject({ damagedPages: [] });
    const dates = database
      .prepare<[], number>('SELECT date_ms FROM inbound_records ORDER BY record_id')
      .pluck()
      .all();
    expect(dates).toHaveLength(PAGES * PAGE_SIZE);
    const shifts = dates.map((dateMs, index) => dateMs - (FROM_MS + index * 1000));
    const pages = Array.from({ length: PAGES }, (_, page) => [
      ...new Set(shifts.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)),
    ]);
    for (const shift of pages) expect([[0], [SHIFT_MS]]).toContainEqual(shift);
    const newPages = pages.filter(([shift]) => shift === SHIFT_MS).length;
    // Whatever was fed with the earlier rows can tell that they are old.
    expect(snapshot.reading).toBe(newPages);
    expect(snapshot.period.zone === 'UTC' || newPages === PAGES).toBe(true);
    return newPages;
  } finally {
    database.close();
  }
}

test(
  `${KILLS} kills while pages are read again leave each page old or new, and the next run completes it`,
  { timeout: 300_000 },
  async () => {
    const model = join(place.folder, 'model.sqlite');
    storeZonelessPages(model);
    expect(await countNewPages(model)).toBe(0);
    const script = bundledScript('read-pages-again');
    const found: number[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const file = join(place.folder, `${kill}.sqlite`);
      await copyFile(model, file);
      await (canInject()
        ? runWriter([file], { script, before: injectInto('pwrite64', 'signal=KILL', kill * 40) })
        : runWriter([file], { script, killAfterMs: kill }));
      found.push(await countNewPages(file));
      expect((await runWriter([file], { script })).lines).toEqual(['open ', 'closed']);
      expect(await countNewPages(file)).toBe(PAGES);
    }
    if (canInject()) expect(found.some((pages) => pages > 0 && pages < PAGES)).toBe(true);
  },
);
