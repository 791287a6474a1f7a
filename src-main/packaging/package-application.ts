import { Arch, build, Platform } from 'electron-builder';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { tryToRemove } from '../node/move-and-remove.ts';
import { buildWhereNeeded } from '../start/build-application.ts';
import { findElectron } from '../start/electron-runtime.ts';
import { buildConfiguration } from './builder-configuration.ts';
import { readReleaseNotes } from './read-release-notes.ts';
import { copyNativeFiles, listNativeFiles } from './native-files.ts';
import type { PackageOptions } from './read-package-options.ts';
import { forgetEmptyVariables } from './signing.ts';
import { writeStandInRuntime } from './stand-in-runtime.ts';
import { findChangedNatives } from './supply-chain/native-hashes.ts';

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
