// @module-tag long
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFolder } from '../../integration/cache/cache-fixture.ts';
import { canInject, injectInto } from './inject-faults.ts';
import { runWriter } from './run-writer.ts';
import { checkWhole, SCALE } from './writer-rig.ts';

const PAGE_SIZE = 20;
const PAGES = 4;
const FAULTS = Math.ceil(3 * SCALE);
/** More faults lie closer together. */
const SPREAD = Math.max(1, SCALE);
let place: Awaited<ReturnType<typeof createFolder>>;

beforeAll(async () => {
  place = await createFolder();
});
afterAll(() => place.remove());

/**
 * What happens, at which call, by which injection, at every how many of them, and the error that is reported.
 * SQLite has one error for a log index that it can't enlarge, whatever the reason: it counts as a full disk.
 */
const KINDS: readonly (readonly [string, string, string, number, string])[] = [
  ['killed', 'pwrite64', 'signal=KILL', 18, 'none'],
  ['no room', 'pwrite64', 'error=ENOSPC', 18, 'cache.disk-full'],
  ['a write that fails', 'pwrite64', 'error=EIO', 18, 'cache.(io-failed|disk-full SQLITE_IOERR_SHMSIZE)'],
  ['a flush that fails', 'fsync', 'error=EIO', 6, 'cache.io-failed'],
  ['killed', 'fsync', 'signal=KILL', 6, 'none'],
];

test.for(KINDS)(
  `T-2 and T-3: %s at the n-th %s (%s): nothing acknowledged is lost, and the download continues (${FAULTS} places)`,
  { timeout: 300_000 },
  async ([, call, fault, step, code], context) => {
    if (!canInject()) return context.skip('strace is not installed, or may not trace here');
    let met = 0;
    for (let number = 1; number <= FAULTS; number += 1) {
      const file = join(place.folder, `${call}-${fault.slice(-6)}-${number}.sqlite`);
      const end = await runWriter([file, PAGE_SIZE, PAGES], {
        before: injectInto(call, fault, Math.ceil((number * step) / SPREAD)),
      });
      const isMet = end.lines.at(-1) !== 'closed';
      if (isMet) met += 1;
      const isKilled = end.signal !== null || end.code === 137;
      expect(isMet && isKilled).toBe(isMet && code === 'none');
      if (isMet && !isKilled) expect(end.lines.at(-1)).toMatch(new RegExp(`^${code}\\b`));
      const again = await runWriter([file, PAGE_SIZE, PAGES]);
      expect(again.lines[0]).toBe('open ');
      expect(again.lines.at(-1)).toBe('closed');
      const first = again.lines.find((line) => /^\d+$/.test(line));
      if (end.acknowledged !== null && first !== undefined) {
        expect(Number(first)).toBeGreaterThan(end.acknowledged);
      }
      expect(await checkWhole(file, PAGE_SIZE)).toBe(PAGES);
    }
    expect(met).toBeGreaterThan(FAULTS / 2);
  },
);
