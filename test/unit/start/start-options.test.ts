import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needsBuild } from '../../../src-main/start/build-window.ts';
import { findElectron, installElectron } from '../../../src-main/start/electron-runtime.ts';
import { readStartOptions } from '../../../src-main/start/read-options.ts';
import { findOpener } from '../../../src-main/web/open-in-browser.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'channelscope-start-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(path: string, text = '', atSeconds = 1000): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), text);
  await utimes(join(root, path), atSeconds, atSeconds);
}

describe('the command line', () => {
  it('has sensible defaults', () => {
    expect(readStartOptions([])).toEqual({ port: 0, opensBrowser: true, dataFolder: null, help: false });
  });

  it('reads its options', () => {
    expect(readStartOptions(['--port', '8080', '--no-open', '--data', '/x'])).toEqual({
      port: 8080,
      opensBrowser: false,
      dataFolder: '/x',
      help: false,
    });
  });

  it.each([
    [['--port', '65536'], '--port'],
    [['--port', '-1'], '--port'],
    [['--port', '1e3'], '--port'],
    [['--port', ''], '--port'],
    [['--data', ''], '--data'],
    [['--what'], '--what'],
    [['extra'], 'extra'],
  ])('refuses %j and names %s', (args, name) => {
    expect(() => readStartOptions(args)).toThrow(name);
  });
});

describe('the build', () => {
  it('is needed when nothing is built, or something is newer', async () => {
    await write('src-renderer/a/b.vue');
    await write('src-main/core/c.ts');
    expect(needsBuild(root, 'window')).toBe(true);
    await write('out/renderer/index.html', '', 2000);
    expect(needsBuild(root, 'window')).toBe(false);
    await write('src-main/core/c.ts', '', 3000);
    expect(needsBuild(root, 'window')).toBe(false);
    expect(needsBuild(root, 'everything')).toBe(true);
    await write('src-renderer/a/b.vue', '', 3000);
    expect(needsBuild(root, 'window')).toBe(true);
  });
});

describe("Electron's runtime", () => {
  const folder = 'node_modules/electron';

  it('is found only when its program is there', async () => {
    expect(findElectron(root)).toBeNull();
    await write(`${folder}/path.txt`, 'electron');
    expect(findElectron(root)).toBeNull();
    await write(`${folder}/dist/electron`);
    expect(findElectron(root)).toBe(join(root, folder, 'dist/electron'));
  });

  it('says in one line why it could not be fetched', async () => {
    expect(await installElectron(root)).toContain('npm ci');
    await write(`${folder}/install.js`, 'console.error("Error: no way there\\n    at x"); process.exit(1)');
    expect(await installElectron(root)).toBe('Error: no way there');
  });

  it('is not waited for without end', async () => {
    await write(`${folder}/install.js`, 'setInterval(() => {}, 1000)');
    expect(await installElectron(root, 300)).toContain('longer than');
  });
});

describe('opening a browser', () => {
  it('involves no shell on any system', () => {
    const commands = (['macos', 'windows', 'linux'] as const).map((platform) => findOpener(platform).command);
    expect(commands).toEqual(['open', 'rundll32', 'xdg-open']);
  });
});
