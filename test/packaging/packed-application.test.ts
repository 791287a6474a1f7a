import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FuseState, getCurrentFuseWire } from '@electron/fuses';
import { listPackage } from '@electron/asar';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createUpdateSource } from '../../src-main/electron/updates/create-update-source.ts';
import { findBuiltWorkers, type WorkerScripts } from '../../src-main/node/worker-scripts.ts';
import { checkThreads } from '../support/electron/check-threads.ts';
import { makeReady, resetFakeElectron, uncaught } from '../support/electron/fake-electron.ts';
import { canPack, packStandIn, UPDATES, type Packed } from '../support/packaging/pack-stand-in.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MEGABYTE = 1_000_000;

let packed: Packed;
let remove: (() => Promise<void>) | undefined;
let names: string[];
beforeAll(async () => {
  if (!canPack) return;
  packed = await packStandIn();
  ({ remove } = packed);
  names = listPackage(packed.archive, { isPack: false }).map((name) => name.replaceAll('\\', '/').slice(1));
});
afterAll(() => remove?.());
beforeEach(() => {
  resetFakeElectron();
  makeReady();
});

/** The files below a folder, each with its size. */
function listFiles(folder: string): Map<string, number> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), statSync(path).size];
    }),
  );
}

const packedWorkers = (): WorkerScripts =>
  findBuiltWorkers(join(packed.opened, 'out/main'), 'engine-utility');
const readOpened = (name: string): string => readFileSync(join(packed.opened, name), 'utf8');
const isScript = (name: string): boolean => /^out\/(?:main|preload)\/.*\.[cm]js$/u.test(name);

describe.skipIf(!canPack)('what is packed', () => {
  it('is what was built, the native modules of this system, and a description', () => {
    const tops = new Set(names.map((name) => name.split('/').slice(0, 2).join('/')));
    expect([...tops].toSorted()).toEqual([
      'out',
      'out/main',
      'out/native',
      'out/preload',
      'out/renderer',
      'package.json',
    ]);
    for (const name of ['out/main/index.mjs', 'out/preload/index.cjs', 'out/renderer/index.html']) {
      expect(names).toContain(name);
    }
  });

  it('has nothing of the runtime that is no part of an application', () => {
    for (const name of ['version', 'resources/default_app.asar']) {
      expect(existsSync(join(packed.folder, name)), name).toBe(false);
    }
  });

  it('has no sources, source maps, tests, packages or tools', () => {
    const unwanted = names.filter((name) =>
      /\.(?:ts|vue|map|c|cc|cpp|h|gyp|md|tsbuildinfo)$|node_modules|(?:^|\/)(?:test\/|src-(?:main|renderer))|\.(?:test|spec)\./u.test(
        name,
      ),
    );
    expect(unwanted).toEqual([]);
    for (const name of names.filter((each) => /\.(?:[cm]?js|css|html)$/u.test(each))) {
      expect(readOpened(name), name).not.toMatch(/sourceMappingURL=/u);
    }
  });

  it('weakens no guard of Electron, and has no page that runs a script of its own', () => {
    const host = names.filter(isScript).map(readOpened).join('\n');
    for (const option of [
      'contextIsolation: true',
      'sandbox: true',
      'webSecurity: true',
      'nodeIntegration: false',
    ]) {
      expect(host).toContain(option);
    }
    const weak =
      /(?:contextIsolation|sandbox|webSecurity): false|(?:nodeIntegration\w*|webviewTag|experimentalFeatures|allowRunningInsecureContent): true|enableBlinkFeatures|rejectUnauthorized: false|\.loadFile\(/u;
    for (const name of names.filter(isScript)) expect(readOpened(name), name).not.toMatch(weak);
    const preload = readOpened('out/preload/index.cjs');
    expect(new Set([...preload.matchAll(/\brequire\(["']([^"']+)["']\)/gu)].map(([, name]) => name))).toEqual(
      new Set(['electron']),
    );
    const page = readOpened('out/renderer/index.html');
    expect(page).not.toMatch(/<script(?![^>]*\bsrc="\.?\/)|<style|\son\w+=|https?:/u);
  });

  it('names no folder of the computer that packed it', () => {
    for (const name of names.filter((each) => /\.(?:[cm]?js|css|html|json)$/u.test(each))) {
      expect(readOpened(name).includes(root), name).toBe(false);
    }
  });

  it('says what it is to the system, and nothing of how it is built', () => {
    const description = JSON.parse(readOpened('package.json')) as Record<string, unknown>;
    const said = Object.entries(description).filter(([, value]) => value !== null);
    expect(said.map(([name]) => name).toSorted()).toEqual([
      'description',
      'desktopName',
      'homepage',
      'license',
      'main',
      'name',
      'private',
      'productName',
      'type',
      'version',
    ]);
    expect(names).toContain((description['main'] as string).slice('./'.length));
  });

  it('holds the licences of what the window, the main process and the native modules are made of', () => {
    const chunk = names.filter((name) => name.startsWith('out/renderer/') && name.endsWith('.js'));
    const text = chunk.map(readOpened).find((one) => one.includes('Permission is hereby granted')) ?? '';
    for (const name of ['vue', 'fastify', 'better-sqlite3', '@github/keytar', '@duckdb/node-bindings']) {
      expect(text, name).toContain(JSON.stringify(`"name":"${name}"`).slice(1, -1));
    }
    expect(names.filter((name) => name.startsWith('out/notices/'))).toEqual([]);
  });

  it('has the binaries of this system outside of the archive, and no others', () => {
    const folder = `out/native/linux-${process.arch}`;
    const natives = ['better-sqlite3.node', 'duckdb.node', 'keytar.node', 'libduckdb.so'];
    expect([...listFiles(packed.unpacked).keys()].toSorted()).toEqual(
      natives.map((name) => `${folder}/${name}`),
    );
    const binaries = names.filter((name) => /\.(?:node|so|dll|dylib|exe|wasm)$/u.test(name));
    expect(binaries.toSorted()).toEqual(natives.map((name) => `${folder}/${name}`));
    for (const name of natives) {
      const header = readFileSync(join(packed.unpacked, folder, name)).subarray(0, 20);
      expect(header.subarray(0, 4).toString('latin1'), name).toBe('\u007FELF');
      // The processor: 62 is x86-64, 183 is ARM's 64 bit.
      expect(header.readUInt16LE(18), name).toBe(process.arch === 'arm64' ? 183 : 62);
    }
  });

  it('is under 60 MB without the runtime and DuckDB', () => {
    const files = [...listFiles(join(packed.folder, 'resources'))];
    const own = files.filter(([name]) => !name.includes('duckdb'));
    expect(own.reduce((total, [, size]) => total + size, 0)).toBeLessThan(60 * MEGABYTE);
    expect(files.length - own.length).toBe(2);
  });
});

describe.skipIf(!canPack)('a packed script', () => {
  it('imports nothing but Node, electron, and what lies beside it', () => {
    const known = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`), 'electron']);
    const scripts = names.filter(isScript);
    expect(scripts.length).toBeGreaterThan(5);
    for (const name of scripts) {
      const imported = [...readOpened(name).matchAll(/^(?:import|export)\b[^'"\n]*["']([^"'\n]+)["'];?$/gmu)];
      // Not those in comments, which name types.
      const lazy = [
        ...readOpened(name).matchAll(/(?:(?:await|=>|return)\s+import|__require)\(["']([^"'\n]+)["']\)/gu),
      ];
      for (const [, specifier = ''] of [...imported, ...lazy]) {
        const isThere = specifier.startsWith('.')
          ? existsSync(join(packed.opened, dirname(name), specifier))
          : known.has(specifier);
        expect(isThere, `${name} imports ${specifier}`).toBe(true);
      }
    }
  });

  it('that the main process starts as a thread or a process is there', () => {
    for (const script of Object.values(packedWorkers())) {
      expect(names).toContain(relative(packed.opened, fileURLToPath(script)));
    }
  });

  it('names in its page what the first picture needs, each file once', () => {
    const page = readOpened('out/renderer/index.html');
    const named = [...page.matchAll(/(?:href|src)="\.\/([^"]+)"/gu)].map(([, file]) => file ?? '');
    expect(named.filter((file) => !names.includes(`out/renderer/${file}`))).toEqual([]);
    expect(named).toHaveLength(new Set(named).size);
    for (const needed of [
      /\/OverviewScreen-[^/]+\.js$/u,
      /\/OverviewScreen-[^/]+\.css$/u,
      /\/inter-latin-wght/u,
    ]) {
      expect(named).toContainEqual(expect.stringMatching(needed));
    }
  });

  it('runs: the cache, the service, the engine and the writer of files, each with its native module from beside the archive', async () => {
    await checkThreads(packedWorkers());
    expect(uncaught).toEqual([]);
  });

  it('loads the keychain’s module', async () => {
    const chunk = names.find((name) => /^out\/main\/chunks\/keytar-.*\.mjs$/u.test(name)) ?? '';
    const loaded = (await import(
      /* @vite-ignore */ pathToFileURL(join(packed.opened, chunk)).href
    )) as Record<string, (() => unknown) | Record<string, unknown>>;
    const parts = Object.values(loaded).map((part) => (typeof part === 'function' ? part() : part));
    expect(parts).toContainEqual(expect.objectContaining({ getPassword: expect.any(Function) as unknown }));
  });
});

describe.skipIf(!canPack)('newer versions', () => {
  it('are asked for where the packer was told, for this processor', () => {
    const said: unknown = parse(readFileSync(join(packed.folder, 'resources/app-update.yml'), 'utf8'));
    expect(said).toEqual({
      provider: 'generic',
      url: UPDATES,
      channel: `latest-${process.arch}`,
      updaterCacheDirName: 'channelscope-updater',
    });
  });

  it('can be had by what is packed, once it is installed', () => {
    const find = (folder: string) =>
      createUpdateSource({
        platform: 'linux',
        isPackaged: true,
        resourcesFolder: folder,
        environment: { APPIMAGE: '/opt/Channelscope.AppImage' },
        prepare: () => Promise.resolve(),
        endWith: () => undefined,
        startAgain: () => undefined,
      });
    expect(find(join(packed.folder, 'resources'))).not.toBeTypeOf('string');
    expect(find(packed.folder)).toBe('no-address');
  });
});

describe.skipIf(!canPack)('the packed command line', () => {
  it('is a script that starts the program beside it, with what it was given and its exit code', async () => {
    const copy = await mkdtemp(join(tmpdir(), 'channelscope-launcher-'));
    try {
      await cp(join(packed.folder, 'resources/bin'), join(copy, 'resources/bin'), { recursive: true });
      await writeFile(join(copy, 'channelscope'), '#!/bin/sh\nprintf "%s\\n" "$@"\nexit 5\n', {
        mode: 0o755,
      });
      await symlink(join(copy, 'resources/bin/channelscope-cli'), join(copy, 'linked'));
      const words = ['sql', 'SELECT 1 "a b"', '--json'];
      const start = (environment: NodeJS.ProcessEnv) =>
        spawnSync(join(copy, 'linked'), words, {
          encoding: 'utf8',
          env: { PATH: process.env['PATH'], ...environment },
        });
      const run = start({});
      expect(run.stdout.split('\n').slice(0, -1)).toEqual([
        '--ozone-platform=headless',
        '--',
        'cli',
        ...words,
      ]);
      expect(run.status).toBe(5);
      // Where there is a screen, Chromium prints on it.
      for (const screen of ['DISPLAY', 'WAYLAND_DISPLAY']) {
        expect(
          start({ [screen]: ':0' })
            .stdout.split('\n')
            .slice(0, -1),
        ).toEqual(['--', 'cli', ...words]);
      }
    } finally {
      await rm(copy, { recursive: true });
    }
  });

  it('is loaded only for a command', () => {
    const main = readOpened('out/main/index.mjs');
    expect(main).not.toContain('There is no command');
    expect(main).toMatch(/import\(["']\.\/chunks\/run-command-/u);
  });
});

describe.skipIf(!canPack)('the fuse', () => {
  // By the place in the wire, as Electron's documentation numbers them.
  it.each([
    [0, 'that runs the program as Node', 'off'],
    [1, 'that encrypts cookies', 'on'],
    [2, 'that reads NODE_OPTIONS', 'off'],
    [3, 'that opens the inspector', 'off'],
    [4, 'that checks the archive’s integrity', 'on'],
    [5, 'that loads the application from its archive only', 'on'],
    [6, 'that loads a snapshot of its own', 'off'],
    [7, 'that gives file: addresses extra rights', 'off'],
    [8, 'that lets WebAssembly trap', 'on'],
  ] as const)('%i, %s, is %s', async (place, _what, expected) => {
    const wire = (await getCurrentFuseWire(join(packed.folder, 'channelscope'))) as Record<number, FuseState>;
    expect(wire[place]).toBe(expected === 'on' ? FuseState.ENABLE : FuseState.DISABLE);
  });
});
