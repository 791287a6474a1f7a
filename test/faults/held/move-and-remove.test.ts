import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  isTaken,
  movePatiently,
  movePatientlySync,
  removePatiently,
  removePatientlySync,
  tryToRemove,
  tryToRemoveSync,
} from '../../../src-main/node/files.ts';
import type { FileCall } from '../../support/files/file-faults.ts';

const faults = await vi.hoisted(async () => {
  const { createFileFaults } = await import('../../support/files/file-faults.ts');
  return createFileFaults();
});
vi.mock('node:fs', async (load) => faults.wrapSync(await load()));
vi.mock('node:fs/promises', async (load) => faults.wrapAsync(await load()));
vi.mock('../../../src-main/node/wait.ts', () => faults.wait);

let folder: string;
let from: string;
let to: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'held-'));
  from = join(folder, 'from');
  to = join(folder, 'to');
  await writeFile(from, 'new');
  await writeFile(to, 'old');
});
afterEach(async () => {
  faults.end();
  await rm(folder, { recursive: true });
});

/** Lets calls fail until so many have. */
function failTimes(call: FileCall['call'], systemCode: string, times: number): void {
  let left = times;
  faults.begin(folder, {
    systemCode,
    matches: (met) => {
      if (met.call !== call || left === 0) return false;
      left -= 1;
      return true;
    },
  });
}

const moves = [
  ['movePatiently', movePatiently],
  ['movePatientlySync', (a: string, b: string) => Promise.resolve().then(() => movePatientlySync(a, b))],
] as const;
const removals = [
  ['removePatiently', (path: string) => removePatiently(path)],
  ['removePatientlySync', (path: string) => Promise.resolve().then(() => removePatientlySync(path))],
] as const;

describe.each(moves)('%s', (_name, move) => {
  it.each(['EPERM', 'EBUSY', 'EACCES'])('A4: one %s of a virus scanner does not fail it', async (code) => {
    failTimes('rename', code, 5);
    await move(from, to);
    expect(faults.end().waitedMs).toBe(50 + 100 + 200 + 400 + 800);
    expect([await readFile(to, 'utf8'), existsSync(from)]).toEqual(['new', false]);
  });

  it('gives up after 10 s with both files as they were, and says which one is held', async () => {
    failTimes('rename', 'EBUSY', Infinity);
    await expect(move(from, to)).rejects.toMatchObject({
      code: 'files.held',
      details: { file: 'to', systemCode: 'EBUSY' },
    });
    expect(faults.end().waitedMs).toBe(10_000);
    expect([await readFile(from, 'utf8'), await readFile(to, 'utf8')]).toEqual(['new', 'old']);
  });

  it('does not wait for what no patience mends', async () => {
    faults.begin(folder);
    await expect(move(join(folder, 'missing'), to)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(faults.end().waitedMs).toBe(0);
  });
});

describe.each(removals)('%s', (_name, remove) => {
  it('A5: a file that is open for a moment is removed all the same', async () => {
    failTimes('rm', 'EBUSY', 3);
    await remove(from);
    expect(faults.end().waitedMs).toBe(50 + 100 + 200);
    expect(existsSync(from)).toBe(false);
  });

  it('does nothing where there is no file, and refuses a folder that it was not told of', async () => {
    await remove(join(folder, 'missing'));
    await mkdir(join(folder, 'full'));
    await expect(remove(join(folder, 'full'))).rejects.toThrow();
    await expect(remove(join(folder, 'full'))).rejects.not.toMatchObject({ code: 'files.held' });
  });
});

it('A5: a folder whose files are still closing is removed', async () => {
  await mkdir(join(folder, 'full/inside'), { recursive: true });
  failTimes('rm', 'ENOTEMPTY', 2);
  await removePatiently(join(folder, 'full'), { isFolder: true });
  expect(existsSync(join(folder, 'full'))).toBe(false);
});

it('A5: what nothing depends on is reported and left, without an error', async () => {
  failTimes('rm', 'EBUSY', Infinity);
  const report = vi.fn();
  expect(await tryToRemove(from, report, { maxWaitMs: 1000 })).toBe(false);
  expect(report).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'files.held' }));
  expect(tryToRemoveSync(from, { maxWaitMs: 0 })).toBe(false);
  expect(faults.end().waitedMs).toBe(1000);
  expect(tryToRemoveSync(from)).toBe(true);
});

it('a place counts as free only where the system says so', () => {
  expect([isTaken(from), isTaken(join(folder, 'missing'))]).toEqual([true, false]);
  faults.begin(folder, { systemCode: 'EPERM', matches: () => true });
  expect(() => isTaken(join(folder, 'missing'))).toThrow('EPERM');
});
