import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Arch, build, Platform } from 'electron-builder';
import { type GuideBlock, toPlainText } from '../common/help/guide-page.ts';
import { tryToRemove } from '../node/files.ts';
import { buildWhereNeeded } from '../start/build-application.ts';
import { findElectron } from '../start/run-electron.ts';
import { buildConfiguration, forgetEmptyVariables } from './builder-configuration.ts';
import { readGuidePage } from './guide/compile-guide.ts';
import { copyNativeFiles, findChangedNatives, listNativeFiles } from './native-files.ts';

/** Electron's runtime is not there to be packed. */
export class MissingRuntimeError extends Error {
  constructor() {
    super(
      "Electron's runtime is not installed. To download it: node node_modules/electron/install.js; to pack without it, for tests: npm run package -- --dir --stand-in",
    );
  }
}

const PLATFORMS: Partial<Record<NodeJS.Platform, Platform>> = {
  win32: Platform.WINDOWS,
  darwin: Platform.MAC,
  linux: Platform.LINUX,
};

/** The folder that holds the runtime, from the program in it. */
function findRuntimeFolder(root: string): string {
  const program = findElectron(root);
  if (program === null) throw new MissingRuntimeError();
  return process.platform === 'darwin'
    ? program.replace(/[/\\]Electron\.app[/\\].*$/u, '')
    : dirname(program);
}

async function readElectronVersion(root: string): Promise<string> {
  const text = await readFile(join(root, 'node_modules/electron/package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Copies the native modules, once each is what was committed. */
async function prepareNatives(root: string, arch: string): Promise<void> {
  const missing = await copyNativeFiles(root, process.platform, arch);
  if (missing.length > 0) throw new Error(`What is to be packed is not installed:\n${missing.join('\n')}`);
  const files = listNativeFiles(root, process.platform, arch);
  const folder = join(root, 'out/native', `${process.platform}-${arch}`);
  // What is held against the list is what is packed, and not what it was copied from.
  const copied = files.map(({ to }) => ({ from: join(folder, to), to }));
  const changed = await findChangedNatives(copied, `${process.platform}-${arch}`);
  if (changed.length > 0) {
    throw new Error(`These are not the native modules that were recorded:\n${changed.join('\n')}`);
  }
}

/** Packs the application for this system. Rejects with a MissingRuntimeError where there is nothing to pack it around. */
export async function packageApplication(root: string, options: PackageOptions): Promise<void> {
  const { arch, standIn } = options;
  const platform = PLATFORMS[process.platform];
  if (platform === undefined) throw new Error(`There are no packages for ${process.platform}.`);
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-package-'));
  try {
    const installed = standIn ? folder : findRuntimeFolder(root);
    const electronVersion = await readElectronVersion(root);
    if (standIn) await writeStandInRuntime(folder, electronVersion);
    if (options.builds) await buildWhereNeeded(root);
    await prepareNatives(root, arch);
    forgetEmptyVariables(process.env);
    await build({
      projectDir: root,
      targets: platform.createTarget(options.dir ? 'dir' : null, Arch[arch]),
      config: buildConfiguration({
        root,
        output: options.output,
        platform: process.platform,
        arch,
        electronVersion,
        electronDist: standIn || arch === process.arch ? installed : null,
        isInspectable: options.isInspectable,
        releaseNotes: await readReleaseNotes(root),
        environment: process.env,
      }),
    });
  } finally {
    await tryToRemove(folder, () => undefined, { isFolder: true });
  }
}

/** Returns what the guide says of the version in `package.json`, as plain text; empty when it says nothing. */
export async function readReleaseNotes(root: string): Promise<string> {
  const [description, news] = await Promise.all(
    ['package.json', 'resources/guide/news.md'].map((name) => readFile(join(root, name), 'utf8')),
  );
  const { version } = JSON.parse(description ?? '') as { version: string };
  const { blocks } = readGuidePage('news', news ?? '');
  const from = blocks.findIndex((block) => block.kind === 'heading' && toPlainText(block.line) === version);
  if (from < 0) return '';
  const after = blocks.slice(from + 1);
  const end = after.findIndex((block) => block.kind === 'heading' && block.level <= 2);
  return toLines(end < 0 ? after : after.slice(0, end)).join('\n');
}

function toLines(blocks: readonly GuideBlock[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'list') return block.items.map((item) => `• ${toLines(item).join(' ')}`);
    return 'line' in block ? [toPlainText(block.line)] : [];
  });
}

const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
/** The fuses as Electron ships them: version 1, then one character for each of nine. */
const SHIPPED_FUSES = '\u0001\u0009101100011';

/** An archive of Electron without files: the sizes of its header, and the header. */
function buildEmptyArchive(): Uint8Array {
  const header = Buffer.from('{"files":{}}');
  const sizes = Buffer.alloc(16);
  for (const [place, value] of [4, header.length + 8, header.length + 4, header.length].entries()) {
    sizes.writeUInt32LE(value, place * 4);
  }
  return Buffer.concat([sizes, header]);
}

/** Writes what stands for Electron's runtime for Linux: its files by name, its fuses, and nothing that runs. */
export async function writeStandInRuntime(folder: string, version: string): Promise<void> {
  const files: Record<string, string | Uint8Array> = {
    electron: Buffer.from(`\u007FELF stand-in ${SENTINEL}${SHIPPED_FUSES} end`, 'latin1'),
    version,
    'chrome-sandbox': '',
    chrome_crashpad_handler: '',
    LICENSE: '',
    'LICENSES.chromium.html': '',
    'locales/en-US.pak': '',
    // Electron's own application, an archive without files, which is no part of a package.
    'resources/default_app.asar': buildEmptyArchive(),
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content, { mode: 0o755 });
  }
}

interface PackageOptions {
  /** The application in a folder, and no installer. */
  readonly dir: boolean;
  readonly standIn: boolean;
  readonly isInspectable: boolean;
  readonly arch: 'x64' | 'arm64';
  readonly output: string;
  /** Builds first what is out of date. */
  readonly builds: boolean;
  readonly help: boolean;
}

export const HELP = `npm run package -- [options]   makes what people install on this system, in out/packages

  --dir           only the application, in a folder, and no installer
  --arch ARCH     x64 or arm64; by default this computer's own. DuckDB's module for it must be installed:
                  npm ci --cpu=ARCH
  --output FOLDER another folder
  --no-build      packs what was built before
  --inspectable   for tests: leaves the inspector on, which they attach to
  --stand-in      for tests, on Linux, with --dir: packs around a stand-in for Electron's runtime
  --help          show this

It ends with exit code 3 where Electron's runtime is not installed. Installers are signed, and those for macOS notarised,
where electron-builder's environment variables name a certificate and an account.
`;

/** Reads the command line. Throws an Error whose message is shown for anything unknown. */
export function readPackageOptions(
  args: readonly string[],
  host: { readonly platform: string; readonly arch: string; readonly root: string },
): PackageOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      dir: { type: 'boolean', default: false },
      'stand-in': { type: 'boolean', default: false },
      inspectable: { type: 'boolean', default: false },
      arch: { type: 'string', default: host.arch },
      output: { type: 'string', default: 'out/packages' },
      build: { type: 'boolean', default: true },
      help: { type: 'boolean', default: false },
    },
    allowNegative: true,
  });
  const { dir, arch, build: builds, help, inspectable, output, 'stand-in': standIn } = values;
  if (arch !== 'x64' && arch !== 'arm64') throw new Error('--arch must be x64 or arm64.');
  if (output === '') throw new Error('--output must name a folder.');
  if (standIn && (!dir || host.platform !== 'linux')) {
    throw new Error('--stand-in needs --dir, and Linux: it stands in for the runtime for Linux.');
  }
  if (inspectable && !dir) throw new Error('--inspectable needs --dir: it is for tests, not for installers.');
  return { dir, standIn, isInspectable: inspectable, arch, output: resolve(host.root, output), builds, help };
}
