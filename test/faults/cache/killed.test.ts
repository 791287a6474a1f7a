// @module-tag long
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { createFolder } from '../../integration/cache/cache-fixture.ts';
import { runWriter } from './run-writer.ts';
import { checkWhole, SCALE } from './writer-rig.ts';

const PAGE_SIZE = 50;
const LANES = 2;
const KILLS = Math.ceil((30 * SCALE) / LANES);
/** A file is checked in full, and begun again, after this many kills. */
const KILLS_PER_FILE = 8;

test.concurrent.each(Array.from({ length: LANES }, (_, lane) => lane + 1))(
  `T-1: ${KILLS} kills -9 at random moments lose no acknowledged page, double none and tear none (seed %i)`,
  { timeout: 600_000 },
  async (seed) => {
    const random = createRandom(seed);
    const place = await createFolder();
    let stored = 0;
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const { acknowledged, lines, signal } = await runWriter([place.file, PAGE_SIZE], {
          killAfterMs: Math.floor(random() * 80),
        });
        expect(signal).toBe('SIGKILL');
        // Nothing was found damaged, however the process before ended.
        expect(lines[0]).toBe('open ');
        expect(acknowledged ?? stored).toBeGreaterThanOrEqual(stored);
        stored = acknowledged ?? stored;
        if ((kill + 1) % KILLS_PER_FILE !== 0 && kill + 1 < KILLS) continue;
        expect(await checkWhole(place.file, PAGE_SIZE)).toBeGreaterThanOrEqual(stored);
        for (const suffix of ['', '-wal', '-shm']) await rm(place.file + suffix, { force: true });
        stored = 0;
      }
    } finally {
      await place.remove();
    }
  },
);
