import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { mkdir, open, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { retryWhileHeld } from '../../node/retry-while-held.ts';
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from '../../node/private-files.ts';
import { ID_FILE, LOCATION_FILE } from './location-file.ts';

/**
 * What belongs to the process that holds a folder, or to the place of that folder: locks, sockets, what Chromium keeps
 * for itself, uploads that nobody waits for any more.
 */
const LEFT_BEHIND =
  /^(?:folder\.lock|control\.(?:json|sock)|chromium|Crashpad|Singleton\w+|uploads|self-test-.*\.tmp|.*\.new)$/u;
const READ_BYTES = 1024 * 1024;

/** A file or folder below the one that is copied; a folder comes before what is in it. */
export interface Entry {
  readonly path: string;
  /** Null for a folder. */
  readonly bytes: number | null;
}

/** True for what a copy leaves out, by its name at the top level. */
export function isLeftBehind(name: string): boolean {
  return LEFT_BEHIND.test(name) || name === LOCATION_FILE || name === ID_FILE;
}

/**
 * Lists what a copy of a data folder holds. Links to files are followed. Throws AppError `data-folder.copy-failed` for a
 * link to a folder: what is behind it may be anything.
 */
export async function listEntries(folder: string, below = ''): Promise<Entry[]> {
  const found: Entry[] = [];
  const opened = await opendir(join(folder, below)).catch((error: unknown) => {
    // What goes away meanwhile belongs to work that goes on; nothing does while the folder is copied.
    if (below !== '' && findErrorCode(error) === 'ENOENT') return [];
    throw error;
  });
  for await (const entry of opened) {
    if (below === '' && isLeftBehind(entry.name)) continue;
    const path = join(below, entry.name);
    if (entry.isDirectory()) {
      found.push({ path, bytes: null }, ...(await listEntries(folder, path)));
    } else if (entry.isFile() || entry.isSymbolicLink()) {
      const is = await findStats(join(folder, path));
      if (is === null) continue;
      if (is.isDirectory()) {
        throw new AppError('data-folder.copy-failed', `${path} is a link to a folder.`, {
          system: `${path} is a link to a folder.`,
        });
      }
      found.push({ path, bytes: is.size });
    }
  }
  return found;
}

async function findStats(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The names at the top level. */
export function listNames(entries: readonly Entry[]): string[] {
  return entries.map(({ path }) => path).filter((path) => !/[\\/]/u.test(path));
}

/** Bytes of all files. */
export function sumBytes(entries: readonly Entry[]): number {
  return entries.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
}

/**
 * Copies what was listed, for its owner only, and flushes each file to the disk. Returns the SHA-256 of what was read of
 * each file. Rejects with the reason of the signal when aborted, with `EEXIST` for a file that is there, and with
 * whatever else the system says.
 */
export async function copyEntries(
  from: string,
  to: string,
  entries: readonly Entry[],
  { signal, onBytes }: { signal: AbortSignal; onBytes: (count: number) => void },
): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const { path, bytes } of entries) {
    signal.throwIfAborted();
    const target = join(to, path);
    if (bytes === null) await mkdir(target, { mode: PRIVATE_FOLDER_MODE });
    else digests.set(path, await copyOne(join(from, path), target, signal, onBytes));
  }
  for (const { path, bytes } of [{ path: '', bytes: null }, ...entries]) {
    if (bytes === null) await flushFolder(join(to, path));
  }
  return digests;
}

/** Lets the names in a folder last through a power cut, where the system can open folders. */
async function flushFolder(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // Windows can't.
  }
}

async function copyOne(
  from: string,
  to: string,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<string> {
  const hash = createHash('sha256');
  const written = await retryWhileHeld({ path: to, action: 'open' }, () => open(to, 'wx', PRIVATE_FILE_MODE));
  try {
    for await (const part of createReadStream(from, { highWaterMark: READ_BYTES, signal })) {
      const bytes = part as Buffer;
      hash.update(bytes);
      await written.writeFile(bytes);
      onBytes(bytes.length);
    }
    const { atime, mtime } = await stat(from);
    await written.utimes(atime, mtime);
    await written.sync();
  } finally {
    await written.close();
  }
  return hash.digest('hex');
}

/**
 * Reads the copy again, and what it was made of as far as its size goes. Throws AppError `data-folder.copy-failed` for the
 * first file that isn't as it was read.
 */
export async function verifyCopy(
  from: string,
  to: string,
  digests: ReadonlyMap<string, string>,
  { signal, onBytes }: { signal: AbortSignal; onBytes: (count: number) => void },
): Promise<void> {
  for (const [path, digest] of digests) {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const part of createReadStream(join(to, path), { highWaterMark: READ_BYTES, signal })) {
      hash.update(part as Buffer);
      bytes += (part as Buffer).length;
      onBytes((part as Buffer).length);
    }
    const isWhole = hash.digest('hex') === digest;
    // The log alone is written while everything else is closed.
    const isStill = path.endsWith('.log') || (await stat(join(from, path))).size === bytes;
    if (isWhole && isStill) continue;
    throw new AppError('data-folder.copy-failed', `The copy of ${path} differs.`, {
      system: `The copy of ${path} differs.`,
    });
  }
}
