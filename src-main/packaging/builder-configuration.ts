import { join } from 'node:path';
import { flipFuses, type FuseV1Config, FuseV1Options, FuseVersion } from '@electron/fuses';
import type { AfterPackContext, Configuration, DebOptions } from 'electron-builder';
import { APP_ID } from '../common/app-id.ts';
import { removePatiently } from '../node/files.ts';

interface ConfigurationOptions {
  readonly root: string;
  readonly output: string;
  readonly platform: string;
  readonly arch: 'x64' | 'arm64';
  readonly electronVersion: string;
  /** A folder with the runtime; null has electron-builder download the one for another processor. */
  readonly electronDist: string | null;
  readonly isInspectable: boolean;
  /** What is new in this version. */
  readonly releaseNotes: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** What macOS says before it lets the application into the local network; in other languages in resources/macos. */
const LOCAL_NETWORK =
  'Channelscope reaches reporting services in your own network, where a connection of yours leads there.';

/** What Electron is linked to, by the names before and since Debian's change of 64-bit times. */
const DEBIAN_PACKAGES = [
  'libgtk-3-0t64 | libgtk-3-0',
  'libnotify4',
  'libnss3',
  'libxss1',
  'libxtst6',
  'xdg-utils',
  'libatspi2.0-0t64 | libatspi2.0-0',
  'libuuid1',
  'libsecret-1-0',
  'libasound2t64 | libasound2',
  'libgbm1',
];

/** Removes what a runtime brings along that is no part of an application; the packer does it for archives only. */
async function removeLeftovers(folder: string, resources: string): Promise<void> {
  const resourcesBefore = join(folder, 'Electron.app/Contents/Resources');
  const left = [
    join(folder, 'version'),
    ...[resources, resourcesBefore].map((place) => join(place, 'default_app.asar')),
  ];
  for (const path of left) await removePatiently(path);
}

/** Where the packed program is. */
function findProgram({ appOutDir, electronPlatformName, packager }: AfterPackContext): string {
  const name = packager.appInfo.productFilename;
  if (electronPlatformName === 'darwin') return join(appOutDir, `${name}.app`);
  return electronPlatformName === 'win32' ? join(appOutDir, `${name}.exe`) : join(appOutDir, 'channelscope');
}

/** The folder with what only one system runs. */
function toSystemName(platform: string): string {
  if (platform === 'darwin') return 'macos';
  return platform === 'win32' ? 'windows' : 'linux';
}

/** Only what this names is packed: the built files, and one system's native modules. */
function listPackedFiles(platform: string, arch: string): string[] {
  return [
    'package.json',
    'out/main/**/*.mjs',
    // The application in a browser, and its engine in plain Node.
    '!out/main/{web,engine-process}.mjs',
    'out/preload/index.cjs',
    'out/renderer/**/*',
    `out/native/${platform}-${arch}/*`,
    '!**/*.map',
    '!**/node_modules/**/*',
  ];
}

/** Returns the address that packages ask for newer versions; empty for none. Throws for one that anybody could answer for. */
function readUpdateAddress(address: string): string {
  if (address !== '' && URL.parse(address)?.protocol !== 'https:') {
    throw new Error('CHANNELSCOPE_UPDATES must be an https address.');
  }
  return address;
}

/** What the menu entry of Linux leads to at once; the system shows it in its own language. */
function buildDesktopEntry(): NonNullable<DebOptions['desktop']> {
  const names = {
    overview: { en: 'Overview', de: 'Übersicht', es: 'Vista general', pt: 'Visão geral' },
    library: { en: 'Library', de: 'Bibliothek', es: 'Biblioteca', pt: 'Biblioteca' },
    alerts: { en: 'Alerts', de: 'Alarme', es: 'Alertas', pt: 'Alertas' },
  };
  const actions = Object.entries(names).map(([place, { en, ...others }]) => {
    const translated = Object.entries(others).map(([language, name]) => [`Name[${language}]`, name]);
    const Exec = `channelscope channelscope://open/${place}`;
    return [place, { Name: en, ...Object.fromEntries(translated), Exec }] as const;
  });
  return {
    entry: { Actions: `${Object.keys(names).join(';')};` },
    desktopActions: Object.fromEntries(actions),
  };
}

/** Returns electron-builder's whole configuration for one system. Nothing of it is read from other files. */
export function buildConfiguration(options: ConfigurationOptions): Configuration {
  const { root, output, platform, arch, environment } = options;
  const icons = join(root, 'resources/icons');
  const updates = readUpdateAddress(environment['CHANNELSCOPE_UPDATES'] ?? '');
  const { isSigned, isNotarised } = readSigning(environment);
  const cloud = platform === 'win32' ? readCloudSigning(environment) : null;
  return {
    appId: APP_ID,
    productName: 'Channelscope',
    copyright: 'Copyright © 2026 The Channelscope authors',
    directories: { output, buildResources: join(root, 'resources') },
    electronVersion: options.electronVersion,
    ...(options.electronDist === null ? {} : { electronDist: options.electronDist }),
    // The native modules are Node-API, with a prebuilt file for each system.
    npmRebuild: false,
    nodeGypRebuild: false,
    files: listPackedFiles(platform, arch),
    asar: true,
    // With the packer's own choice, an AppImage needs a library that distributions no longer bring along.
    toolsets: { appimage: '1.0.3' },
    // The command line of the packaged program, for shells and scripts.
    extraResources: [
      { from: join(root, 'resources/bin', toSystemName(platform)), to: 'bin' },
      // What macOS says of the application, in each language.
      ...(platform === 'darwin' ? [{ from: join(root, 'resources/macos'), to: '.' }] : []),
    ],
    // The system can't load these from within an archive.
    asarUnpack: [`out/native/${platform}-${arch}/*`],
    electronLanguages: ['en-US', 'en-GB', 'es', 'es-419', 'pt-BR', 'pt-PT', 'de'],
    extraMetadata: {
      // Linux finds a window's menu entry, and so its icon, by this name: the one of the entry's file.
      desktopName: APP_ID,
      homepage: environment['CHANNELSCOPE_HOMEPAGE'] ?? 'https://channelscope.example/',
      // What is for those who build it says nothing to those who run it.
      dependencies: null,
      optionalDependencies: null,
      allowScripts: null,
      engines: null,
    },
    async afterExtract({ appOutDir, packager }) {
      await removeLeftovers(appOutDir, packager.getResourcesDir(appOutDir));
    },
    async afterPack(context) {
      await flipFuses(findProgram(context), buildFuses(options));
    },
    publish:
      updates === '' || (platform === 'darwin' && !isSigned)
        ? null
        : // macOS replaces only what is signed by the same team: anything else would be offered, fetched, and not be there.
          // One file that names the newest version for each system and processor: each has packages of its own.
          { provider: 'generic', url: updates, channel: `latest-${arch}` },
    releaseInfo: { releaseNotes: options.releaseNotes },
    artifactName: '${productName}-${version}-${os}-${arch}.${ext}',
    protocols: [{ name: 'Channelscope', schemes: ['channelscope'] }],
    fileAssociations: [
      {
        ext: 'channelscope',
        name: 'Channelscope portable snapshot',
        description: 'Channelscope portable snapshot',
        mimeType: 'application/vnd.channelscope.portable-snapshot+zip',
        role: 'Viewer',
      },
    ],
    win: {
      target: ['nsis', 'portable'],
      icon: join(icons, 'channelscope.ico'),
      ...(cloud === null ? {} : { azureSignOptions: { ...cloud } }),
    },
    nsis: { oneClick: true, perMachine: false, deleteAppDataOnUninstall: false },
    portable: {
      artifactName: '${productName}-${version}-${os}-${arch}-portable.${ext}',
      requestExecutionLevel: 'user',
      // A folder for each start. A second start would otherwise delete the files of the first.
      unpackDirName: true,
    },
    mac: {
      target: ['dmg', 'zip'],
      icon: join(icons, 'channelscope.icns'),
      category: 'public.app-category.business',
      // It lets in what the same team has signed. Without a certificate there is no team, and the program wouldn't start.
      hardenedRuntime: isSigned,
      entitlements: join(root, 'src-main/packaging/entitlements.plist'),
      entitlementsInherit: join(root, 'src-main/packaging/entitlements.plist'),
      // Without any signature, computers with Apple's own processors start no program.
      ...(isSigned ? {} : { identity: '-' }),
      notarize: isNotarised,
      // Without it macOS refuses services in the local network, and asks nobody.
      extendInfo: { NSLocalNetworkUsageDescription: LOCAL_NETWORK },
      minimumSystemVersion: '13.0',
    },
    linux: {
      target: ['AppImage', 'deb'],
      executableName: 'channelscope',
      syncDesktopName: true,
      // An older version of the packer had the menu entry start an AppImage without Chromium's sandbox.
      executableArgs: [],
      icon: join(icons, 'linux'),
      category: 'Office',
      synopsis: 'Watches over a messaging platform',
      maintainer: 'The Channelscope authors <authors@channelscope.example>',
    },
    // Only this package puts a program into the path that an entry can name.
    deb: {
      desktop: buildDesktopEntry(),
      depends: DEBIAN_PACKAGES,
      afterInstall: join(root, 'src-main/packaging/debian/after-install.tpl'),
    },
  };
}

/** Whether a test can drive a package, by attaching to its inspector. Never for a package that is given to people. */
interface FuseOptions {
  readonly isInspectable: boolean;
}

/** Returns every fuse of the runtime. One that a newer runtime adds ends the packaging until it is settled here. */
export function buildFuses({ isInspectable }: FuseOptions): FuseV1Config {
  return {
    version: FuseVersion.V1,
    strictlyRequireAllFuses: true,
    resetAdHocDarwinSignature: true,
    [FuseV1Options.RunAsNode]: false,
    [FuseV1Options.EnableCookieEncryption]: true,
    [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: isInspectable,
    [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
    [FuseV1Options.OnlyLoadAppFromAsar]: true,
    // Its file is not part of the runtime: with it on, the application wouldn't start.
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
    // Speed only.
    [FuseV1Options.WasmTrapHandlers]: true,
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that name a certificate, its password and an account. */
const SIGNING = /^(?:WIN_)?CSC_|^APPLE_/u;

interface Signing {
  readonly isSigned: boolean;
  readonly isNotarised: boolean;
}

/** Microsoft's signing in the cloud: the keys of certificates for Windows are in hardware since 2023. */
interface CloudSigning {
  readonly publisherName: string;
  readonly endpoint: string;
  readonly codeSigningAccountName: string;
  readonly certificateProfileName: string;
}

/** Variables of the account and of the identity that signs; the latter are read by the signing tool itself. */
const CLOUD = {
  publisherName: 'CHANNELSCOPE_AZURE_PUBLISHER',
  endpoint: 'CHANNELSCOPE_AZURE_ENDPOINT',
  codeSigningAccountName: 'CHANNELSCOPE_AZURE_ACCOUNT',
  certificateProfileName: 'CHANNELSCOPE_AZURE_PROFILE',
} as const;
const IDENTITY = ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_CLIENT_SECRET'];

/** Returns how installers for Windows are signed in the cloud; null without an account. Throws for half of one. */
function readCloudSigning(environment: Environment): CloudSigning | null {
  const names = [...Object.values(CLOUD), ...IDENTITY];
  const missing = names.filter((name) => (environment[name] ?? '') === '');
  if (missing.length === names.length) return null;
  if (missing.length > 0) throw new Error(`To sign in the cloud, these are missing: ${missing.join(', ')}.`);
  const read = (name: keyof typeof CLOUD): string => environment[CLOUD[name]] ?? '';
  return {
    publisherName: read('publisherName'),
    endpoint: read('endpoint'),
    codeSigningAccountName: read('codeSigningAccountName'),
    certificateProfileName: read('certificateProfileName'),
  };
}

/** Says what is done to packages with the certificate and the account that the environment names. */
function readSigning(environment: Environment): Signing {
  const has = (...names: string[]): boolean => names.every((name) => (environment[name] ?? '') !== '');
  const isSigned = has('CSC_LINK') || has('CSC_NAME');
  const hasAccount =
    has('APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER') ||
    has('APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID');
  return { isSigned, isNotarised: isSigned && hasAccount };
}

/**
 * Takes the empty ones of these variables out of an environment: a workflow sets one for each secret, whether there is one
 * or not, and electron-builder would look for a certificate at the path "".
 */
export function forgetEmptyVariables(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) {
    if (SIGNING.test(name) && environment[name] === '') Reflect.deleteProperty(environment, name);
  }
}
