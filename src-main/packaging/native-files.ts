import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { copyPatiently, movePatiently } from '../node/files.ts';

export interface NativeFile {
  readonly from: string;
  /** Its name in `out/native/<platform>-<arch>`. */
  readonly to: string;
}

/** A program or a library of any system. */
const BINARY = /\.(?:node|so|dylib|dll)$/u;

/** Returns the files of the native modules for one system. Those that are not installed are listed all the same. */
export function listNativeFiles(root: string, platform: string, arch: string): NativeFile[] {
  const modules = join(root, 'node_modules');
  const target = `${platform}-${arch}`;
  const duckdb = join(modules, '@duckdb', `node-bindings-${target}`);
  // The library that it is linked to is found beside it, and under its own name only.
  const duckdbFiles = existsSync(duckdb)
    ? readdirSync(duckdb).filter((name) => BINARY.test(name))
    : ['duckdb.node'];
  return [
    { from: join(modules, 'better-sqlite3/prebuilds', `${target}.node`), to: 'better-sqlite3.node' },
    { from: join(modules, 'keytar/prebuilds', target, 'keytar.node'), to: 'keytar.node' },
    ...duckdbFiles.map((name) => ({ from: join(duckdb, name), to: basename(name) })),
  ];
}

/** Of a library for several processors: its first word, and the number of each processor in it. */
const UNIVERSAL = 0xcafebabe;
const PROCESSORS: Readonly<Record<string, number>> = { x64: 0x01000007, arm64: 0x0100000c };
const HEADER_BYTES = 8;
const ENTRY_BYTES = 20;

/** Returns the part of a library of macOS that one processor runs; a library for it alone as it is. */
export function thinLibrary(bytes: Buffer, arch: string): Buffer {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32BE(0) !== UNIVERSAL) return bytes;
  for (let place = 0; place < bytes.readUInt32BE(4); place += 1) {
    const at = HEADER_BYTES + place * ENTRY_BYTES;
    if (bytes.readUInt32BE(at) !== PROCESSORS[arch]) continue;
    const start = bytes.readUInt32BE(at + 8);
    return bytes.subarray(start, start + bytes.readUInt32BE(at + 12));
  }
  throw new Error(`The library has no part for ${arch}.`);
}

/** Copies the native modules for one system to `out/native`. Returns those that are not installed. */
export async function copyNativeFiles(root: string, platform: string, arch: string): Promise<string[]> {
  const folder = join(root, 'out/native', `${platform}-${arch}`);
  const missing: string[] = [];
  for (const { from, to } of listNativeFiles(root, platform, arch)) {
    const source = statSync(from, { throwIfNoEntry: false });
    const target = join(folder, to);
    if (source === undefined) {
      missing.push(from);
      continue;
    }
    const copied = statSync(target, { throwIfNoEntry: false });
    // DuckDB's for macOS is one for both processors, of which half would never run.
    const isThinned = to.endsWith('.dylib');
    // 70 MB that hardly ever change.
    const isSameSize = isThinned ? copied !== undefined : copied?.size === source.size;
    if (isSameSize && Math.trunc(copied?.mtimeMs ?? 0) === Math.trunc(source.mtimeMs)) continue;
    await mkdir(dirname(target), { recursive: true });
    // A program that runs has the old file mapped: written over in place, it would end at once.
    const unfinished = `${target}.${process.pid}.unfinished`;
    if (isThinned) await writeFile(unfinished, thinLibrary(await readFile(from), arch));
    else await copyPatiently(from, unfinished);
    await utimes(unfinished, source.atime, source.mtime);
    await movePatiently(unfinished, target);
  }
  return missing;
}

/** The SHA-256 of every native module that may be packed: by system and processor, then by name. */
export const HASHES_FILE = fileURLToPath(new URL('supply-chain/native-hashes.json', import.meta.url));

type NativeHashes = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function readNativeHashes(): NativeHashes {
  return JSON.parse(readFileSync(HASHES_FILE, 'utf8')) as NativeHashes;
}

/** Returns the SHA-256 of a file, in hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/**
 * Returns the native modules that are not what was committed: unknown, changed, or missing from the list that they
 * are held against. A list for another system would let nothing through.
 */
export async function findChangedNatives(files: readonly NativeFile[], target: string): Promise<string[]> {
  const known = readNativeHashes()[target] ?? {};
  const changed: string[] = [];
  for (const { from, to } of files) {
    if (known[to] !== (await hashFile(from))) changed.push(from);
  }
  const packed = new Set(files.map(({ to }) => to));
  return [...changed, ...Object.keys(known).filter((name) => !packed.has(name))];
}
