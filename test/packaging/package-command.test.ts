import { copyFile, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { flipFuses, FuseV1Options } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APP_ID } from '../../src-main/common/app-id.ts';
import { findNativeFolder } from '../../src-main/node/load-native-module.ts';
import {
  buildConfiguration,
  buildFuses,
  forgetEmptyVariables,
} from '../../src-main/packaging/builder-configuration.ts';
import { bundleNativeModules } from '../../src-main/packaging/build-plugins.ts';
import { copyNativeFiles, listNativeFiles, thinLibrary } from '../../src-main/packaging/native-files.ts';
import {
  readPackageOptions,
  readReleaseNotes,
  writeStandInRuntime,
} from '../../src-main/packaging/package-application.ts';
import { packageScript } from '../support/packaging/pack-stand-in.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-packaging-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('npm run package', () => {
  const run = (...args: string[]): Promise<{ code?: number; stdout: string; stderr: string }> =>
    promisify(execFile)(process.execPath, [packageScript, ...args], {
      env: { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'nowhere') },
    }).catch((failure: unknown) => failure as { code: number; stdout: string; stderr: string });

  it('says in one line that the runtime is missing, and ends with a code of its own', async () => {
    const { code, stdout, stderr } = await run('--dir', '--output', join(folder, 'none'));
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Electron's runtime is not installed\. [^\n]+--stand-in\n$/u);
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });

  it('says what is wrong with its options, and ends with 1', async () => {
    const { code, stderr } = await run('--stand-in');
    expect(code).toBe(1);
    expect(stderr).toContain('--stand-in needs --dir');
  });

  const host = { platform: 'linux', arch: 'x64', root };
  it('packs for this computer’s processor, into out/packages, and builds first', () => {
    expect(readPackageOptions([], host)).toEqual({
      dir: false,
      standIn: false,
      isInspectable: false,
      arch: 'x64',
      output: join(root, 'out/packages'),
      builds: true,
      help: false,
    });
  });

  it.each([
    [['--arch', 'ia32'], 'linux', '--arch must be x64 or arm64.'],
    [['--output', ''], 'linux', '--output must name a folder.'],
    [['--dir', '--stand-in'], 'win32', 'it stands in for the runtime for Linux'],
    [['--inspectable'], 'linux', 'it is for tests, not for installers'],
    [['--sign'], 'linux', "Unknown option '--sign'"],
  ])('refuses %j on %s', (args, platform, words) => {
    expect(() => readPackageOptions(args, { ...host, platform })).toThrow(words);
  });
});

describe('the fuses', () => {
  it('of what a test drives differ in the inspector only', () => {
    const released = buildFuses({ isInspectable: false });
    expect(buildFuses({ isInspectable: true })).toEqual({
      ...released,
      [FuseV1Options.EnableNodeCliInspectArguments]: true,
    });
  });

  it('end the packaging where the runtime has one that nobody has settled', async () => {
    await writeStandInRuntime(folder, '1.0.0');
    const program = join(folder, 'electron');
    const newer = join(folder, 'newer');
    await copyFile(program, newer);
    const text = (await readFile(program, 'latin1')).replace('\u0001\u0009', '\u0001\u000A1');
    await writeFile(newer, text, 'latin1');
    await flipFuses(program, buildFuses({ isInspectable: false }));
    await expect(flipFuses(newer, buildFuses({ isInspectable: false }))).rejects.toThrow(/fuse/u);
  });
});

describe('the configuration', () => {
  const configure = (environment: NodeJS.ProcessEnv, platform = 'linux') =>
    buildConfiguration({
      root,
      output: folder,
      platform,
      arch: 'arm64',
      electronVersion: '1.0.0',
      electronDist: null,
      isInspectable: false,
      releaseNotes: '• Faster',
      environment,
    });
  const certificate = { CSC_LINK: 'certificate' };
  const account = { APPLE_API_KEY: 'key', APPLE_API_KEY_ID: 'id', APPLE_API_ISSUER: 'issuer' };

  it('installs for one person under Windows, and makes a portable program under another name', () => {
    const { artifactName, nsis, portable, win } = configure({});
    expect(win).toMatchObject({ target: ['nsis', 'portable'] });
    expect(nsis).toMatchObject({ oneClick: true, perMachine: false, deleteAppDataOnUninstall: false });
    expect(portable?.requestExecutionLevel).toBe('user');
    expect(portable?.artifactName).not.toBe(artifactName);
    // `true` is a folder for each start: what is one for all would be deleted by a second start.
    expect(portable?.unpackDirName).toBe(true);
  });

  it('has packages ask one address, of their processor, and none where none is given', () => {
    expect(configure({}).publish).toBeNull();
    expect(configure({ CHANNELSCOPE_UPDATES: 'https://updates.example/app' })).toMatchObject({
      publish: { provider: 'generic', url: 'https://updates.example/app', channel: 'latest-arm64' },
      releaseInfo: { releaseNotes: '• Faster' },
    });
    expect(() => configure({ CHANNELSCOPE_UPDATES: 'http://updates.example' })).toThrow(/https/u);
  });

  it('has packages for macOS ask nobody where they are not signed, since macOS would not replace them', () => {
    const environment = { CHANNELSCOPE_UPDATES: 'https://updates.example/app' };
    expect(configure(environment, 'darwin').publish).toBeNull();
    expect(configure({ ...environment, ...certificate }, 'darwin').publish).not.toBeNull();
  });

  it('says to macOS why the application reaches the local network, in each language', async () => {
    const { mac, extraResources } = configure({}, 'darwin');
    const said = (mac!.extendInfo as Record<string, string>)['NSLocalNetworkUsageDescription'];
    expect(said).toContain('reporting services');
    expect(extraResources).toContainEqual({ from: join(root, 'resources/macos'), to: '.' });
    for (const name of ['en', 'de', 'es', 'pt_BR', 'pt_PT']) {
      const text = await readFile(join(root, `resources/macos/${name}.lproj/InfoPlist.strings`), 'utf8');
      expect(text, name).toMatch(/^NSLocalNetworkUsageDescription = "[^"\n]+";\n$/u);
      if (name === 'en') expect(text).toContain(said);
    }
    expect(configure({}, 'linux').extraResources).toHaveLength(1);
  });

  it('installs under Debian and Ubuntu what Electron is linked to, and a sandbox that works there', async () => {
    const { deb } = configure({});
    expect(deb?.depends).toEqual(
      expect.arrayContaining(['libasound2t64 | libasound2', 'libgbm1', 'libsecret-1-0']),
    );
    const script = await readFile(deb?.afterInstall ?? '', 'utf8');
    const filled = script
      .replaceAll('${executable}', 'channelscope')
      .replaceAll('${sanitizedProductName}', 'Channelscope');
    expect(filled).toContain('chmod 4755 "$folder/chrome-sandbox"');
    expect(filled).not.toMatch(/chmod 0755|\$\{/u);
  });

  it('says of each version what the guide says of it', async () => {
    const notes = await readReleaseNotes(root);
    expect(notes).toMatch(/^The first version\.\n• From an empty window to an answer\. /u);
    expect(notes).not.toMatch(/[*[\]#]/u);
  });

  it('hardens the runtime under macOS, and gives up nothing of that but compiling while it runs', async () => {
    const { mac } = configure(certificate);
    expect(mac).toMatchObject({ target: ['dmg', 'zip'], hardenedRuntime: true });
    expect(mac).not.toHaveProperty('identity');
    const entitlements = await readFile(mac?.entitlements ?? '', 'utf8');
    expect([...entitlements.matchAll(/<key>(.*?)<\/key>/gu)].map(([, key]) => key)).toEqual([
      'com.apple.security.cs.allow-jit',
    ]);
  });

  it.each([
    ['neither', {}, false],
    ['a certificate only', certificate, false],
    ['an account only', account, false],
    ['both', { ...certificate, ...account }, true],
  ])(
    'notarises where the environment names a certificate and an account: %s',
    (_what, environment, expected) => {
      const { mac } = configure(environment);
      expect(mac?.notarize).toBe(expected);
      expect(mac?.identity).toBe('CSC_LINK' in environment ? undefined : '-');
      // Hardened without a team, it would refuse its own libraries.
      expect(mac?.hardenedRuntime).toBe('CSC_LINK' in environment);
    },
  );

  it('signs for Windows in the cloud where an account and an identity are named, and refuses half of them', () => {
    const cloud = {
      CHANNELSCOPE_AZURE_PUBLISHER: 'CN=The authors',
      CHANNELSCOPE_AZURE_ENDPOINT: 'https://signing.example',
      CHANNELSCOPE_AZURE_ACCOUNT: 'account',
      CHANNELSCOPE_AZURE_PROFILE: 'profile',
    };
    const identity = { AZURE_TENANT_ID: 'tenant', AZURE_CLIENT_ID: 'client', AZURE_CLIENT_SECRET: 'secret' };
    expect(configure({}, 'win32').win).not.toHaveProperty('azureSignOptions');
    expect(configure({ ...cloud, ...identity }, 'win32').win?.azureSignOptions).toEqual({
      publisherName: 'CN=The authors',
      endpoint: 'https://signing.example',
      codeSigningAccountName: 'account',
      certificateProfileName: 'profile',
    });
    expect(() => configure(cloud, 'win32')).toThrow(/AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET/u);
    expect(configure(cloud, 'linux').win).not.toHaveProperty('azureSignOptions');
  });

  it('signs with nothing where a secret is empty, and doesn’t look for it', () => {
    const environment = { CSC_LINK: '', WIN_CSC_LINK: '', APPLE_ID: '', CSC_NAME: 'ours', PATH: '' };
    forgetEmptyVariables(environment);
    expect(environment).toEqual({ CSC_NAME: 'ours', PATH: '' });
    expect(configure({ CSC_LINK: '' }).mac?.identity).toBe('-');
  });

  it('makes an AppImage and a Debian package, opens .channelscope files and channelscope: addresses', () => {
    const { fileAssociations, linux, protocols } = configure({});
    expect(linux).toMatchObject({ target: ['AppImage', 'deb'], executableName: 'channelscope' });
    expect(fileAssociations).toMatchObject([
      {
        ext: 'channelscope',
        description: 'Channelscope portable snapshot',
        mimeType: 'application/vnd.channelscope.portable-snapshot+zip',
      },
    ]);
    expect(protocols).toMatchObject([{ schemes: ['channelscope'] }]);
  });

  it('makes an AppImage that needs no library of old, and an entry that its windows are found by', () => {
    const { extraMetadata, linux, toolsets } = configure({});
    expect(toolsets?.appimage).not.toBe('0.0.0');
    expect(toolsets?.appimage).toMatch(/^1\./u);
    expect(linux?.syncDesktopName).toBe(true);
    expect(extraMetadata).toMatchObject({ desktopName: APP_ID });
  });

  it('weakens no sandbox, rebuilds nothing, and publishes nothing by itself', () => {
    const configuration = configure({});
    expect(JSON.stringify(configuration)).not.toContain('sandbox');
    // Left out, the menu entry of an AppImage would start without Chromium's.
    expect(configuration.linux?.executableArgs).toEqual([]);
    expect(configuration).toMatchObject({ npmRebuild: false, publish: null, asar: true });
  });

  it('packs the native modules of one system and processor', () => {
    expect(configure({}, 'win32').asarUnpack).toEqual(['out/native/win32-arm64/*']);
  });
});

describe('native modules', () => {
  it('are looked for beside the archive, never in it, nor in a folder above', () => {
    const find = (place: string): string =>
      findNativeFolder(join(place), 'linux', 'x64').replaceAll('\\', '/');
    expect(find('/opt/app/resources/app.asar/out/main')).toBe(
      '/opt/app/resources/app.asar.unpacked/out/native/linux-x64',
    );
    expect(find('/opt/app/resources/app.asar/out/main/chunks')).toBe(
      '/opt/app/resources/app.asar.unpacked/out/native/linux-x64',
    );
    expect(find('/home/out/main/project/out/main')).toBe('/home/out/main/project/out/native/linux-x64');
    expect(() => find('/home/project/src-main/node')).toThrow('outside the built application');
  });

  it('that are one library for both processors of macOS are packed for one', async () => {
    const parts = { x64: Buffer.from('for Intel'), arm64: Buffer.from('for Apple') };
    const header = Buffer.alloc(64);
    for (const [place, value] of [
      [0, 0xcafebabe],
      [4, 2],
      [8, 0x01000007],
      [16, 64],
      [20, parts.x64.length],
      [28, 0x0100000c],
      [36, 64 + parts.x64.length],
      [40, parts.arm64.length],
    ] as const) {
      header.writeUInt32BE(value, place);
    }
    const universal = Buffer.concat([header, parts.x64, parts.arm64]);
    expect(thinLibrary(universal, 'x64')).toEqual(parts.x64);
    expect(thinLibrary(universal, 'arm64')).toEqual(parts.arm64);
    expect(() => thinLibrary(universal, 'ia32')).toThrow('ia32');
    expect(thinLibrary(parts.x64, 'x64')).toBe(parts.x64);
    const sources = join(folder, 'node_modules/@duckdb/node-bindings-darwin-arm64');
    await mkdir(sources, { recursive: true });
    await writeFile(join(sources, 'libduckdb.dylib'), universal);
    await copyNativeFiles(folder, 'darwin', 'arm64');
    await copyNativeFiles(folder, 'darwin', 'arm64');
    expect(await readFile(join(folder, 'out/native/darwin-arm64/libduckdb.dylib'))).toEqual(parts.arm64);
  });

  it('of another system that are not installed are named', () => {
    const missing = listNativeFiles(root, 'win32', 'mips').filter(({ from }) => !existsSync(from));
    expect(missing.map(({ to }) => to)).toEqual(['better-sqlite3.node', 'keytar.node', 'duckdb.node']);
  });

  it('that changed take the place of those that a program has open, and leave it the old ones', async () => {
    const sources = join(folder, 'node_modules/better-sqlite3/prebuilds');
    await mkdir(sources, { recursive: true });
    const copy = async (content: string): Promise<void> => {
      await writeFile(join(sources, 'linux-x64.node'), content);
      await copyNativeFiles(folder, 'linux', 'x64');
    };
    await copy('before');
    const target = join(folder, 'out/native/linux-x64/better-sqlite3.node');
    const held = await open(target);
    await copy('the one after it');
    expect(await held.readFile('utf8')).toBe('before');
    await held.close();
    expect(await readFile(target, 'utf8')).toBe('the one after it');
  });

  it('that a new version of a package loads in another way end the build', () => {
    const { transform } = bundleNativeModules(root) as { transform: (code: string, id: string) => unknown };
    expect(() => transform('module.exports = {};', '/node_modules/keytar/lib/keytar.js')).toThrow(
      'in another way',
    );
    expect(transform('module.exports = {};', '/node_modules/other/lib/keytar.js')).toBeNull();
  });
});
