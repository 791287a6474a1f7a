/**
 * Writes the hashes of every native module that may be packed, for each system: `node
 * test/support/packaging/record-native-hashes.ts`. Each package is fetched anew and held against the lock file first.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  HASHES_FILE,
  hashFile,
  listNativeFiles,
  thinLibrary,
} from '../../../src-main/packaging/native-files.ts';
import { readLock } from './supply-chain/lock-file.ts';

const TARGETS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);
const { packages } = readLock(root);

/** Fetches a package of the lock file into a tree of its own, laid out as node_modules is. */
async function fetchPackage(tree: string, place: string): Promise<void> {
  const locked = packages[`node_modules/${place}`];
  const name = locked?.name ?? place;
  const folder = join(tree, 'node_modules', place);
  const { stdout } = await run('npm', ['pack', `${name}@${locked?.version}`, '--json', '--silent'], {
    cwd: tree,
    shell: process.platform === 'win32',
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const archive = join(tree, filename);
  const integrity = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`;
  if (integrity !== locked?.integrity) throw new Error(`${name} is not what the lock file names.`);
  await run('mkdir', ['-p', folder]);
  await run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1']);
}

const tree = await mkdtemp(join(tmpdir(), 'channelscope-hashes-'));
try {
  await fetchPackage(tree, 'better-sqlite3');
  await fetchPackage(tree, 'keytar');
  const hashes: Record<string, Record<string, string>> = {};
  for (const target of TARGETS) {
    await fetchPackage(tree, `@duckdb/node-bindings-${target}`);
    const [platform = '', arch = ''] = target.split('-');
    const entries = listNativeFiles(tree, platform, arch).map(async ({ from, to }) => {
      // What is packed of a library for both processors is the part for one.
      if (to.endsWith('.dylib')) await writeFile(from, thinLibrary(await readFile(from), arch));
      return [to, await hashFile(from)] as const;
    });
    hashes[target] = Object.fromEntries(await Promise.all(entries));
  }
  await writeFile(HASHES_FILE, `${JSON.stringify(hashes, null, 2)}\n`);
} finally {
  await rm(tree, { recursive: true, force: true });
}
