import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  findStandardFolder,
  prepareDataFolder,
} from '../../../../src-main/core/data-folder/locate-data-folder.ts';
import { describeReaders } from '../../../../src-main/node/files.ts';
import { writeLaunchFile } from '../../../../src-main/web/launch-file.ts';
import { isPosix, itOnPosix } from '../../../support/skips/posix.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-profile-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('the data folder', () => {
  it('stands where each system keeps such things', () => {
    expect(findStandardFolder('macos', '/Users/a', {})).toBe(
      '/Users/a/Library/Application Support/Channelscope',
    );
    expect(findStandardFolder('windows', 'C:\\Users\\a', { LOCALAPPDATA: 'D:\\l' })).toBe(
      'D:\\l\\Channelscope',
    );
    expect(findStandardFolder('windows', 'C:\\Users\\a', {})).toBe(
      'C:\\Users\\a\\AppData\\Local\\Channelscope',
    );
    expect(findStandardFolder('linux', '/home/a', {})).toBe('/home/a/.local/share/channelscope');
    expect(findStandardFolder('linux', '/home/a', { XDG_DATA_HOME: '/d' })).toBe('/d/channelscope');
    expect(findStandardFolder('linux', '/home/a', { XDG_DATA_HOME: 'd' })).toBe(
      '/home/a/.local/share/channelscope',
    );
  });

  itOnPosix('is open to its owner only', async () => {
    const own = join(folder, 'a/b');
    await prepareDataFolder(own);
    expect((await stat(own)).mode & 0o777).toBe(0o700);
  });

  it('that can not be written to is named, with what to do', async () => {
    const taken = join(folder, 'taken');
    await writeFile(taken, '');
    await expect(prepareDataFolder(join(taken, 'data'))).rejects.toMatchObject({
      code: 'cache.read-only',
      message: expect.stringContaining('or name another one with --data') as string,
    });
  });
});

it('A13: a folder of Windows outside of the own one may be read by others, and that is said', () => {
  const home = 'C:\\Users\\ana';
  expect(describeReaders('C:\\Users\\ana\\AppData\\Local\\Channelscope', 'win32', home)).toBeNull();
  expect(describeReaders('c:\\users\\Ana\\data', 'win32', home)).toBeNull();
  for (const folder of ['D:\\data', 'C:\\Users\\anatol', 'C:\\Users', '\\\\server\\share']) {
    expect(describeReaders(folder, 'win32', home)).toContain(folder);
  }
  expect(describeReaders('/srv/data', 'linux', '/home/ana')).toBeNull();
});

describe('W-05: the launch file', () => {
  it('leads to the address, for its owner only, and is gone after a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const address = 'http://127.0.0.1:1/launch?token=a&b="';
      const { file } = await writeLaunchFile(folder, address, () => undefined);
      const path = new URL(file);
      expect(await readFile(path, 'utf8')).toContain('url=http://127.0.0.1:1/launch?token=a&#38;b=&#34;"');
      if (isPosix) expect((await stat(path)).mode & 0o777).toBe(0o600);
      vi.advanceTimersByTime(60_000);
      vi.useRealTimers();
      await expect.poll(() => existsSync(path)).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});
