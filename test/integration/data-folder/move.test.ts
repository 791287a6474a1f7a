import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DataFolderPlace } from '../../../src-main/common/contract/operations/data-folder.ts';
import { locateDataFolder } from '../../../src-main/core/data-folder/locate-data-folder.ts';
import { claimFolder } from '../../../src-main/node/claim-folder.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { itOnPosix } from '../../support/skips/posix.ts';
import { openMoved, type OpenedCore } from './open-moved.ts';

const MOVER = fileURLToPath(bundledScript('move-until-killed'));
/** Enough for kills to meet the copy and its check. */
const LARGE_BYTES = 24 * 1024 * 1024;

let place: string;
let standard: string;
let target: string;
const opened: OpenedCore[] = [];
const open = async (given: string | null = null): Promise<OpenedCore> => {
  const core = await openMoved(standard, given);
  opened.push(core);
  return core;
};
const close = async (): Promise<void> => {
  for (const { core } of opened.splice(0)) await core.stop();
};

beforeEach(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), 'channelscope-move-')));
  standard = join(place, 'standard');
  target = join(place, 'disk', 'moved');
  await mkdir(join(standard, 'damaged', 'long ago'), { recursive: true });
  await writeFile(
    join(standard, 'settings.json'),
    JSON.stringify({ followLocalService: false, density: 'compact' }),
  );
  await writeFile(join(standard, 'damaged', 'long ago', 'cache.sqlite'), Buffer.alloc(3_000_000, 7));
});
afterEach(async () => {
  await close();
  await rm(place, { recursive: true, force: true, maxRetries: 5 });
});

/** Moves, and waits until the application would be started again. */
async function move({ ask, core }: OpenedCore, folder = target): Promise<string[]> {
  const phases: string[] = [];
  const stop = core.on((name, payload) => {
    if (name === 'data-folder/move-changed' && phases.at(-1) !== payload.phase) phases.push(payload.phase);
  });
  await ask('data-folder/start-move', { folder });
  await vi.waitFor(() => expect(['done', 'failed', 'cancelled']).toContain(phases.at(-1)), {
    timeout: 30_000,
  });
  stop();
  return phases;
}

/** Every file below a folder with the digest of its content. */
async function digestAll(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const digests = files.toSorted().map(async (path): Promise<[string, string]> => {
    const digest = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    return [path.slice(folder.length + 1), digest];
  });
  return Object.fromEntries(await Promise.all(digests));
}
const withoutOwn = (digests: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(digests).filter(([path]) => !/^(?:folder\.lock|data-folder\.(?:id|json))$/u.test(path)),
  );
const readPlace = ({ ask }: OpenedCore): Promise<DataFolderPlace> => ask('data-folder/read-place', null);

describe('moving the data folder', () => {
  it('copies everything, uses the copy from the next start on, and keeps the old folder until it is deleted', async () => {
    const first = await open();
    await first.ask('settings/update', { retentionDays: 30 });
    expect(await move(first)).toEqual(['closing', 'copying', 'checking', 'done']);
    expect(first.countStarts()).toBe(1);
    const kept = withoutOwn(await digestAll(standard));
    expect(withoutOwn(await digestAll(target))).toEqual(kept);
    expect(Object.keys(kept)).toEqual(
      expect.arrayContaining(['cache.sqlite', 'settings.json', join('damaged', 'long ago', 'cache.sqlite')]),
    );
    await close();

    const second = await open();
    expect(second.folder).toBe(target);
    expect(await second.ask('settings/get', null)).toMatchObject({ density: 'compact', retentionDays: 30 });
    expect(await readPlace(second)).toMatchObject({
      folder: target,
      defaultFolder: standard,
      chosenBy: 'person',
      missingFolder: null,
      previous: { folder: standard, isThere: true },
      unfinishedFolder: null,
    });
    await writeFile(join(standard, 'notes of the person.txt'), 'kept');
    expect((await second.ask('data-folder/remove-previous', null)).previous).toBeNull();
    // What nobody copied isn't ours to delete, and the standard folder says where the other one is.
    expect((await readdir(standard)).toSorted()).toEqual([
      'data-folder.json',
      'folder.lock',
      'notes of the person.txt',
    ]);
    await close();
    expect((await open()).folder).toBe(target);
  });

  it('leads back: the old folder is used again, and the other one waits', async () => {
    await move(await open());
    await close();
    const second = await open();
    await second.ask('settings/update', { density: 'comfortable' });
    expect(await second.ask('data-folder/use-previous', null)).toEqual({ isStarting: true });
    await close();
    const third = await open();
    expect(third.folder).toBe(standard);
    expect(await third.ask('settings/get', null)).toMatchObject({ density: 'compact' });
    expect((await readPlace(third)).previous).toMatchObject({ folder: target, isThere: true });
    await third.ask('data-folder/use-previous', null);
    await close();
    const fourth = await open();
    expect(fourth.folder).toBe(target);
    expect(await fourth.ask('settings/get', null)).toMatchObject({ density: 'comfortable' });
  });

  it('goes home to the standard folder once the old data in it are deleted', async () => {
    await move(await open());
    await close();
    const second = await open();
    expect(await second.ask('data-folder/check-target', { folder: standard })).toMatchObject({
      faults: ['not-empty'],
    });
    await second.ask('data-folder/remove-previous', null);
    expect(await move(second, standard)).toContain('done');
    await close();
    const third = await open();
    expect(await readPlace(third)).toMatchObject({
      folder: standard,
      chosenBy: 'default',
      previous: { folder: target },
    });
    await third.ask('data-folder/remove-previous', null);
    expect(existsSync(target)).toBe(false);
  });

  it('takes along what schedules and datasets name inside of it', async () => {
    const inside = join(standard, 'schedules', 'Nightly');
    await writeFile(join(standard, 'partial-exports.json'), JSON.stringify([join(place, 'elsewhere.csv')]));
    await mkdir(inside, { recursive: true });
    const first = await open();
    await writeFile(
      join(standard, 'datasets.json'),
      JSON.stringify([{ folder: inside, other: `${standard}-not` }]),
    );
    await move(first);
    expect(JSON.parse(await readFile(join(target, 'datasets.json'), 'utf8'))).toEqual([
      { folder: join(target, 'schedules', 'Nightly'), other: `${standard}-not` },
    ]);
    expect(JSON.parse(await readFile(join(standard, 'datasets.json'), 'utf8'))).toMatchObject([
      { folder: inside },
    ]);
  });

  it('answers nothing else meanwhile', async () => {
    const first = await open();
    const moving = move(first);
    await vi.waitFor(async () => expect((await readPlace(first)).move).not.toBeNull());
    await expect(first.ask('connections/list', null)).rejects.toThrow('data-folder.moving');
    await expect(first.ask('settings/get', null)).resolves.toMatchObject({ density: 'compact' });
    await moving;
  });

  it('is cancelled without a trace, and starts the application again', async () => {
    await writeFile(join(standard, 'large.bin'), Buffer.alloc(LARGE_BYTES, 3));
    const first = await open();
    const stop = first.core.on((name, payload) => {
      if (name === 'data-folder/move-changed' && payload.phase === 'copying') {
        void first.ask('data-folder/cancel-move', null);
      }
    });
    expect((await move(first)).at(-1)).toBe('cancelled');
    stop();
    expect(first.countStarts()).toBe(1);
    expect(existsSync(target)).toBe(false);
    await close();
    const second = await open();
    expect(await readPlace(second)).toMatchObject({
      folder: standard,
      previous: null,
      unfinishedFolder: null,
    });
  });

  itOnPosix('fails with words where the folder links to another folder, and nothing changed', async () => {
    await symlink(place, join(standard, 'linked'));
    const first = await open();
    await expect(first.ask('data-folder/start-move', { folder: target })).rejects.toThrow(
      'data-folder.copy-failed',
    );
    expect((await readPlace(first)).move).toBeNull();
    await expect(first.ask('connections/list', null)).resolves.toEqual([]);
  });
});

describe('a kill while the data folder moves', () => {
  it.each([
    ['closing', 0],
    ['copying', 12],
    ['checking', 5],
    ['done', 0],
  ] as const)(
    'at %s, %i ms later, leaves one folder whole and in use',
    { tags: 'long' },
    async (phase, delayMs) => {
      await writeFile(join(standard, 'large.bin'), Buffer.alloc(LARGE_BYTES, 3));
      await (await open()).ask('settings/update', { retentionDays: 90 });
      await close();
      const before = withoutOwn(await digestAll(standard));
      const child = spawn(process.execPath, [MOVER, standard, target], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const exited = once(child, 'exit');
      let said = '';
      for await (const part of child.stdout) {
        said += String(part);
        if (said.includes(phase)) break;
      }
      expect(said).toContain(phase);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      child.kill('SIGKILL');
      await exited;

      const location = locateDataFolder(standard, null);
      expect([standard, target]).toContain(location.folder);
      if (phase !== 'done' && phase !== 'checking') expect(location.folder).toBe(standard);
      if (phase === 'done') expect(location.folder).toBe(target);
      const after = await digestAll(location.folder);
      for (const path of ['large.bin', 'settings.json', join('damaged', 'long ago', 'cache.sqlite')]) {
        expect(after[path], path).toBe(before[path]);
      }
      const again = await open();
      expect(await again.ask('settings/get', null)).toMatchObject({ density: 'compact', retentionDays: 90 });
      const found = await readPlace(again);
      if (location.folder === standard) {
        // The same move can be asked for again: the beginning of the copy is in nobody's way.
        if (found.unfinishedFolder !== null) expect(found.unfinishedFolder).toBe(target);
        expect((await move(again)).at(-1)).toBe('done');
        await close();
        expect((await open()).folder).toBe(target);
      }
    },
  );

  it('leaves the beginning of a copy that can be removed', async () => {
    await mkdir(target, { recursive: true });
    await writeFile(join(target, 'cache.sqlite'), 'half');
    const location = {
      version: 1,
      chosen: null,
      previous: null,
      unfinished: { folder: target, names: ['cache.sqlite'] },
    };
    await writeFile(join(standard, 'data-folder.json'), JSON.stringify(location));
    const core = await open();
    expect((await readPlace(core)).unfinishedFolder).toBe(target);
    expect((await core.ask('data-folder/remove-unfinished', null)).unfinishedFolder).toBeNull();
    expect(existsSync(target)).toBe(false);
  });
});

describe('a folder that was moved to and is not there', () => {
  it('is not replaced by an empty one, also where the empty place of its disk is', async () => {
    await move(await open());
    await close();
    await rm(target, { recursive: true });
    expect(locateDataFolder(standard, null)).toMatchObject({ folder: standard, missingFolder: target });
    expect(existsSync(target)).toBe(false);
    await mkdir(target);
    expect(locateDataFolder(standard, null)).toMatchObject({ missingFolder: target });
    const core = await open();
    expect(await readPlace(core)).toMatchObject({ folder: standard, missingFolder: target, previous: null });
    expect(await core.ask('data-folder/keep-default', null)).toMatchObject({
      missingFolder: null,
      previous: { folder: target, isThere: false },
    });
    await close();
    expect(locateDataFolder(standard, null)).toMatchObject({ folder: standard, missingFolder: null });
  });

  it('is found again once its disk is there', async () => {
    await move(await open());
    await close();
    await rm(join(place, 'away'), { recursive: true, force: true });
    const { rename } = await import('node:fs/promises');
    await rename(join(place, 'disk'), join(place, 'away'));
    expect(locateDataFolder(standard, null).missingFolder).toBe(target);
    await rename(join(place, 'away'), join(place, 'disk'));
    expect(locateDataFolder(standard, null)).toMatchObject({ folder: target, missingFolder: null });
  });

  it('is an error with words where nobody can read what was chosen', async () => {
    await writeFile(join(standard, 'data-folder.json'), '{"version":2}');
    expect(() => locateDataFolder(standard, null)).toThrow(/should say where the data folder is/u);
    expect(locateDataFolder(standard, target).folder).toBe(target);
  });
});

describe('a folder to move to', () => {
  const check = async (folder: string, core?: OpenedCore) =>
    (core ?? opened[0] ?? (await open())).ask('data-folder/check-target', { folder });

  it('may be empty or not there yet, and nothing is left in it', async () => {
    await open();
    expect(await check(target)).toMatchObject({ folder: target, faults: [], risks: [] });
    expect(existsSync(join(place, 'disk'))).toBe(false);
    await mkdir(target, { recursive: true });
    expect(await check(`${target}/../moved`)).toMatchObject({ folder: target, faults: [] });
    expect(await readdir(target)).toEqual([]);
  });

  it('is refused with the reason', async () => {
    await open();
    await writeFile(join(place, 'file'), '');
    await mkdir(join(place, 'full'));
    await writeFile(join(place, 'full', 'something'), '');
    await mkdir(join(place, 'held'));
    const release = claimFolder(join(place, 'held'));
    for (const [folder, fault] of [
      ['somewhere/else', 'relative'],
      [standard, 'same'],
      [join(standard, 'below'), 'inside'],
      [join(place, 'file'), 'no-folder'],
      [join(place, 'full'), 'not-empty'],
      [place, 'not-empty'],
      [join(place, 'held'), 'in-use'],
    ] as const) {
      expect((await check(folder)).faults, folder).toEqual([fault]);
    }
    release();
    await expect(opened[0]?.ask('data-folder/start-move', { folder: standard })).rejects.toThrow(
      'data-folder.unfit',
    );
  });

  itOnPosix('is refused inside the data folder by whatever way it leads there', async () => {
    await open();
    await symlink(standard, join(place, 'door'));
    expect((await check(join(place, 'door', 'below'))).faults).toEqual(['inside']);
  });

  it('is none while the folder was given at the start', async () => {
    const given = await open(join(standard));
    expect(await check(target, given)).toMatchObject({ faults: ['given'] });
    await expect(given.ask('data-folder/use-previous', null)).rejects.toThrow('data-folder.unfit');
  });

  it('is one that a dialog returned, where the host has dialogs', async () => {
    await mkdir(target, { recursive: true });
    const desktop = await openMoved(standard, null, {
      kind: 'desktop',
      chooseFolder: () => Promise.resolve(target),
    });
    opened.push(desktop);
    await expect(desktop.ask('data-folder/check-target', { folder: target })).rejects.toThrow(
      'app.invalid-input',
    );
    await expect(desktop.ask('data-folder/start-move', { folder: target })).rejects.toThrow(
      'app.invalid-input',
    );
    expect(await desktop.ask('data-folder/choose-target', null)).toEqual({ folder: target });
    expect(await desktop.ask('data-folder/check-target', { folder: target })).toMatchObject({ faults: [] });
  });

  it('is warned of where another program keeps it in step', async () => {
    await open();
    expect((await check(join(place, 'Dropbox', 'not there yet'))).risks).toEqual(['synced']);
    await mkdir(join(place, 'OneDrive - Company'));
    expect((await check(join(place, 'OneDrive - Company', 'data'))).risks).toEqual(['synced']);
    await mkdir(join(place, 'shared', '.stfolder'), { recursive: true });
    expect((await check(join(place, 'shared', 'data'))).risks).toEqual(['synced']);
  });
});
