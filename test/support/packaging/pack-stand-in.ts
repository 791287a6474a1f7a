import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { extractAll } from '@electron/asar';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Where the packed application asks for newer versions. */
export const UPDATES = 'https://updates.example/channelscope';
export const packageScript = join(root, 'src-main/packaging/package.ts');

/** The stand-in is one for Linux, and what is packed must have been built. */
export const canPack =
  process.platform === 'linux' &&
  existsSync(join(root, 'out/main/index.mjs')) &&
  existsSync(join(root, 'out/native'));

export interface Packed {
  /** The application's folder, as an installer would put it on a disk. */
  readonly folder: string;
  readonly archive: string;
  /** The folder `app.asar.unpacked`. */
  readonly unpacked: string;
  /** The archive's content in a folder of the same name, with the unpacked files beside it and not in it. */
  readonly opened: string;
  remove(): Promise<void>;
}

/** Packs what is built around the stand-in for the runtime, outside of the project: nothing of it can be reached. */
export async function packStandIn(): Promise<Packed> {
  const parent = await mkdtemp(join(tmpdir(), 'channelscope-packed-'));
  const args = ['--dir', '--stand-in', '--no-build', '--output', join(parent, 'packages')];
  const env = { ...process.env, CHANNELSCOPE_UPDATES: UPDATES };
  await promisify(execFile)(process.execPath, [packageScript, ...args], { cwd: root, env });
  const folder = join(
    parent,
    'packages',
    process.arch === 'arm64' ? 'linux-arm64-unpacked' : 'linux-unpacked',
  );
  const archive = join(folder, 'resources/app.asar');
  const unpacked = join(folder, 'resources/app.asar.unpacked');
  const opened = join(parent, 'opened/app.asar');
  extractAll(archive, opened);
  await rm(join(opened, 'out/native'), { recursive: true });
  await cp(unpacked, `${opened}.unpacked`, { recursive: true });
  return {
    folder,
    archive,
    unpacked,
    opened,
    remove: () => rm(parent, { recursive: true, force: true, maxRetries: 5 }),
  };
}
