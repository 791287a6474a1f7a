import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findChangedNatives,
  listNativeFiles,
  type NativeFile,
  readNativeHashes,
} from '../../../src-main/packaging/native-files.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const target = `${process.platform}-${process.arch}`;

let folder: string;
let files: NativeFile[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-natives-'));
  files = [];
  for (const { from, to } of listNativeFiles(root, process.platform, process.arch)) {
    await cp(from, join(folder, to));
    files.push({ from: join(folder, to), to });
  }
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('P-09: native modules', () => {
  it('are recorded for every system that there are packages for', () => {
    const hashes = readNativeHashes();
    expect(Object.keys(hashes)).toEqual([
      'darwin-arm64',
      'darwin-x64',
      'linux-arm64',
      'linux-x64',
      'win32-arm64',
      'win32-x64',
    ]);
    for (const known of Object.values(hashes)) {
      expect(Object.keys(known).filter((name) => name.endsWith('.node'))).toHaveLength(3);
      expect(Object.values(known).filter((hash) => !/^[\da-f]{64}$/u.test(hash))).toEqual([]);
    }
  });

  it('that are installed are those that were recorded', async () => {
    expect(await findChangedNatives(files, target)).toEqual([]);
  });

  it('are refused where one changed by a byte, where one is unknown, missing, or another system’s', async () => {
    const [first] = files;
    const changed = { from: join(folder, 'changed.node'), to: first!.to };
    await cp(first!.from, changed.from);
    await appendFile(changed.from, '.');
    expect(await findChangedNatives([changed, ...files.slice(1)], target)).toEqual([changed.from]);
    const unknown = { from: first!.from, to: 'other.node' };
    expect(await findChangedNatives([...files, unknown], target)).toEqual([unknown.from]);
    expect(await findChangedNatives(files.slice(1), target)).toEqual([first!.to]);
    expect(await findChangedNatives([first!], 'plan9-mips')).toEqual([first!.from]);
  });
});
