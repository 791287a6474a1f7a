import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { needsBuild } from '../../../src-main/start/build-application.ts';
import { findElectron, installElectron } from '../../../src-main/start/run-electron.ts';
import { readStartOptions } from '../../../src-main/start/read-options.ts';
import { findOpener } from '../../../src-main/web/launch-file.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'channelscope-start-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

async function write(path: string, text = '', atSeconds = 1000): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), text);
  await utimes(join(root, path), atSeconds, atSeconds);
}

describe('the command line', () => {
  it('has sensible defaults', () => {
    expect(readStartOptions([])).toEqual({
      port: 0,
      opensBrowser: true,
      dataFolder: null,
      isSafe: false,
      passphraseFile: null,
      selfTestFile: null,
      help: false,
    });
  });

  it('reads its options', () => {
    expect(readStartOptions(['--port', '8080', '--no-open', '--safe', '--data', '/x'])).toEqual({
      port: 8080,
      opensBrowser: false,
      dataFolder: '/x',
      isSafe: true,
      passphraseFile: null,
      selfTestFile: null,
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
    expect(needsBuild(root)).toBe(true);
    await write('out/renderer/index.html', '', 2000);
    expect(needsBuild(root)).toBe(true);
    await write('out/main/web.mjs', '', 2000);
    expect(needsBuild(root)).toBe(false);
    await write('src-main/core/c.ts', '', 3000);
    expect(needsBuild(root)).toBe(true);
    await write('out/main/web.mjs', '', 4000);
    expect(needsBuild(root)).toBe(true);
    await write('out/renderer/index.html', '', 4000);
    expect(needsBuild(root)).toBe(false);
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

  const patient = { onProgress: () => undefined, firstByteMs: 60_000, silenceMs: 60_000 };

  it('says in one line why it could not be fetched', async () => {
    expect(await installElectron(root, patient)).toContain('npm ci');
    await write(`${folder}/install.js`, 'console.error("Error: no way there\\n    at x"); process.exit(1)');
    expect(await installElectron(root, patient)).toBe('Error: no way there');
    await write(
      `${folder}/install.js`,
      'console.error("TypeError: fetch failed\\n    at x"); process.exit(1)',
    );
    expect(await installElectron(root, patient)).toContain("can't be reached");
  });

  it('a download that brings nothing is not waited for without end', async () => {
    await write(`${folder}/install.js`, 'setInterval(() => {}, 1000)');
    expect(await installElectron(root, { ...patient, firstByteMs: 300 })).toBe(
      'nothing was received for 0.3 s',
    );
  });

  it('a slow download is waited for as long as it brings more, and says how far it is', async () => {
    await write(
      `${folder}/install.js`,
      `const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
       const { tmpdir } = require('node:os');
       let count = 0;
       setInterval(() => {
         appendFileSync(tmpdir() + '/electron.zip', 'x'.repeat(1000));
         if (++count < 8) return;
         mkdirSync('${folder}/dist', { recursive: true });
         writeFileSync('${folder}/dist/electron', '');
         writeFileSync('${folder}/path.txt', 'electron');
         process.exit();
       }, 250);`,
    );
    const seen: number[] = [];
    const onProgress = (bytes: number): void => void seen.push(bytes);
    // Longer than the steps even on a busy machine.
    expect(await installElectron(root, { onProgress, firstByteMs: 60_000, silenceMs: 30_000 })).toBeNull();
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  });

  it('the proxy of the environment is passed on to the download', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:8080');
    await write(
      `${folder}/install.js`,
      `const { ELECTRON_GET_USE_PROXY, NODE_USE_ENV_PROXY, HTTPS_PROXY } = process.env;
       console.error('Error: ' + [ELECTRON_GET_USE_PROXY, NODE_USE_ENV_PROXY, HTTPS_PROXY].join(' '));
       process.exit(1);`,
    );
    expect(await installElectron(root, patient)).toBe('Error: true 1 http://proxy.example:8080');
  });

  it('may be one of the user, in a folder that ELECTRON_OVERRIDE_DIST_PATH names', async () => {
    const environment = { ELECTRON_OVERRIDE_DIST_PATH: join(root, 'own') };
    expect(findElectron(root, environment)).toBeNull();
    for (const name of ['electron', 'electron.exe', 'Electron.app/Contents/MacOS/Electron']) {
      await write(`own/${name}`);
    }
    expect(findElectron(root, environment)).toContain(join(root, 'own'));
  });
});

describe('opening a browser', () => {
  it('involves no shell on any system', () => {
    const commands = (['macos', 'windows', 'linux'] as const).map((platform) => findOpener(platform).command);
    expect(commands).toEqual(['open', 'rundll32', 'xdg-open']);
  });
});
