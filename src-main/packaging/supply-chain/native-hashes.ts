import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { NativeFile } from '../native-files.ts';

/** The SHA-256 of every native module that may be packed: by system and processor, then by name. */
export const HASHES_FILE = fileURLToPath(new URL('native-hashes.json', import.meta.url));

export type NativeHashes = Readonly<Record<string, Readonly<Record<string, string>>>>;

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
