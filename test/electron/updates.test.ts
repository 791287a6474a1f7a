import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UpdateSource } from '../../src-main/core/host.ts';
import {
  createUpdateSource,
  type UpdatePlace,
} from '../../src-main/electron/updates/create-update-source.ts';
import { startFaultServer, type FaultServer } from '../support/network/fault-server.ts';
import { app, net, resetFakeElectron, session } from '../support/electron/fake-electron.ts';

/** What the server has, by path; what was asked, with its headers. */
let files: Map<string, string | Buffer>;
let asked: { path: string; headers: NodeJS.Dict<string | string[]> }[];
let server: FaultServer;
let folder: string;
const PACKAGE = Buffer.alloc(300_000, 'a newer version ');
const NAME = 'Channelscope-2.0.0-linux-x64.AppImage';

/** electron-updater asks for electron by itself: it gets the stand-in, with what it needs besides. */
const native = Object.assign(new EventEmitter(), { quitAndInstall: vi.fn() });
const load = createRequire(createRequire(import.meta.url).resolve('electron-updater'));

beforeEach(async () => {
  resetFakeElectron();
  app.makeReady();
  app.isPackaged = true;
  const path = load.resolve('electron');
  load.cache[path] = { exports: { app, net, session, autoUpdater: native } } as NodeJS.Module;
  files = new Map();
  asked = [];
  server = await startFaultServer((request, response) => {
    const place = request.path.split('?')[0] ?? '';
    asked.push({ path: place, headers: request.headers });
    const content = files.get(place);
    if (content === undefined) response.statusCode = 404;
    response.end(content ?? 'nothing');
  });
  folder = await mkdtemp(join(tmpdir(), 'channelscope-updates-'));
  await writeFile(join(folder, 'own.AppImage'), 'this version');
  await writeFile(
    join(folder, 'app-update.yml'),
    `provider: generic\nurl: ${server.address}\nchannel: latest-x64\nupdaterCacheDirName: channelscope-test\n`,
  );
  vi.stubEnv('APPIMAGE', join(folder, 'own.AppImage'));
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  Object.assign(process, { resourcesPath: folder });
});
afterEach(async () => {
  Object.assign(process, { resourcesPath: undefined });
  vi.unstubAllEnvs();
  await server.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function release(version: string, sha512 = createHash('sha512').update(PACKAGE).digest('base64')): void {
  const about = `version: ${version}
files:
  - url: ${NAME}
    sha512: ${sha512}
    size: ${String(PACKAGE.length)}
path: ${NAME}
sha512: ${sha512}
releaseDate: '2026-11-20T10:00:00.000Z'
releaseNotes: |-
  • Faster
  • Kinder
`;
  for (const arch of ['', '-arm64']) files.set(`/latest-x64-linux${arch}.yml`, about);
  files.set(`/${NAME}`, PACKAGE);
}

const place = (change: Partial<UpdatePlace> = {}): UpdatePlace => ({
  platform: 'linux',
  isPackaged: true,
  resourcesFolder: folder,
  environment: process.env,
  ...change,
});
const steps: (() => void)[] = [];
function open(): UpdateSource {
  const source = createUpdateSource({
    ...place(),
    prepare: () => Promise.resolve(),
    endWith: (lastStep) => void steps.push(lastStep),
    startAgain: () => undefined,
  });
  if (typeof source === 'string') throw new Error(source);
  return source;
}

describe.skipIf(process.platform !== 'linux')('a newer version', () => {
  it('is found with its notes, and nothing of it is downloaded', async () => {
    release('2.0.0');
    expect(await open().find()).toEqual({
      version: '2.0.0',
      notes: '• Faster\n• Kinder',
      releasedAtMs: Date.UTC(2026, 10, 20, 10),
      sizeBytes: PACKAGE.length,
    });
    expect(asked.map(({ path }) => path)).toEqual([expect.stringMatching(/^\/latest-x64-linux.*\.yml$/u)]);
    // The fake application says 1.2.3, and nothing says which computer this is.
    expect(asked[0]?.headers['x-user-staging-id']).toBe('none');
  });

  it.each(['1.2.3', '1.0.0'])('is none when the server has %s', async (version) => {
    release(version);
    expect(await open().find()).toBeNull();
  });

  it('that nobody answers for is an error with a reason', async () => {
    await expect(open().find()).rejects.toMatchObject({
      code: 'updates.unreachable',
      details: { reason: expect.stringContaining('latest-x64') as unknown },
    });
  });

  it('is downloaded with progress, and put in place only when it is installed', async () => {
    release('2.0.0');
    const source = open();
    await source.find();
    await source.download(() => undefined, new AbortController().signal);
    expect(await readFile(join(folder, 'own.AppImage'), 'utf8')).toBe('this version');
    const kept = join(folder, 'cache/channelscope-test/pending', NAME);
    expect((await readFile(kept)).equals(PACKAGE)).toBe(true);
    expect(steps).toEqual([]);
    source.install();
    // It begins to end the application in order; what comes last replaces this version.
    await vi.waitFor(() => expect(steps).toHaveLength(1));
    expect(existsSync(kept)).toBe(true);
    steps.length = 0;
  });

  it.each([
    ['has another checksum', createHash('sha512').update('another file').digest('base64')],
    ['has no checksum', "''"],
  ])('is refused when its file %s, and nothing of it stays', async (_how, sha512) => {
    release('2.0.0', sha512);
    const source = open();
    await source.find();
    await expect(source.download(() => undefined, new AbortController().signal)).rejects.toMatchObject({
      code: expect.stringMatching(/^updates\.(?:refused|unreachable)$/u) as unknown,
    });
    expect(existsSync(join(folder, 'cache/channelscope-test/pending', NAME))).toBe(false);
  });

  it('that is cut off is an error, and can be downloaded again', async () => {
    release('2.0.0');
    files.set(`/${NAME}`, PACKAGE.subarray(0, 1000));
    const source = open();
    await source.find();
    await expect(source.download(() => undefined, new AbortController().signal)).rejects.toMatchObject({
      code: 'updates.refused',
    });
    files.set(`/${NAME}`, PACKAGE);
    await source.download(() => undefined, new AbortController().signal);
  });
});

describe('no newer version can be had', () => {
  const judge = (change: Partial<UpdatePlace>): unknown =>
    createUpdateSource({
      ...place(change),
      prepare: () => Promise.resolve(),
      endWith: () => undefined,
      startAgain: () => undefined,
    });

  it.each([
    ['where nothing was packed', { isPackaged: false }, 'no-package'],
    ['without an address', { resourcesFolder: '/nowhere' }, 'no-address'],
    [
      'by the portable program',
      { platform: 'windows', environment: { PORTABLE_EXECUTABLE_FILE: 'C:\\Channelscope.exe' } },
      'not-installed',
    ],
    ['by an AppImage that was unpacked', { environment: {} }, 'not-installed'],
  ] as const)('%s', (_where, change, obstacle) => {
    expect(judge(change)).toBe(obstacle);
  });

  it('but by installed ones, and by the package of a distribution', async () => {
    expect(typeof judge({ platform: 'windows', environment: {} })).toBe('object');
    expect(typeof judge({ platform: 'macos', environment: {} })).toBe('object');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package-type'), 'deb\n');
    expect(typeof judge({ environment: {} })).toBe('object');
  });
});
