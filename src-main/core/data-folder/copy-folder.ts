import { createHash } from 'node:crypto';
import { createReadStream, existsSync, realpathSync, statfsSync, type Stats, statSync } from 'node:fs';
import { mkdir, mkdtemp, open, opendir, readdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import type { TargetCheck, TargetFault, TargetRisk } from '../../common/contract/operations/data-folder.ts';
import { claimFolder } from '../../node/claim-folder.ts';
import { findErrorCode } from '../../node/error-text.ts';
import {
  mayBeReadByOthers,
  PRIVATE_FILE_MODE,
  PRIVATE_FOLDER_MODE,
  retryWhileHeld,
  tryToRemove,
} from '../../node/files.ts';
import { canKeepDatabases, readFreeBytes } from '../cache/file/open-database.ts';
import {
  type Copied,
  type DataLocation,
  type HostPlatform,
  ID_FILE,
  LOCATION_FILE,
} from './locate-data-folder.ts';

/** Beyond what is copied: what is cached next has to fit too. */
const RESERVE_BYTES = 100_000_000;

/**
 * Says whether everything in the data folder can be moved to `wanted`. What a copy that was cut short left there doesn't
 * count: it goes before the next one begins. Tries to write there, and leaves nothing.
 */
export async function checkTarget(
  wanted: string,
  {
    location,
    unfinished,
    platform,
  }: { location: DataLocation; unfinished: Copied | null; platform: HostPlatform },
): Promise<TargetCheck> {
  const { folder: source, defaultFolder } = location;
  const neededBytes = sumBytes(await listEntries(source)) + RESERVE_BYTES;
  const folder = isAbsolute(wanted.trim()) ? toRealPath(resolve(wanted.trim())) : wanted.trim();
  const answer = (
    faults: TargetFault[],
    risks: TargetCheck['risks'] = [],
    freeBytes: number | null = null,
  ): TargetCheck => ({ folder, faults, risks, neededBytes, freeBytes });

  if (location.chosenBy === 'start') return answer(['given']);
  if (!isAbsolute(folder)) return answer(['relative']);
  const placed = findPlacing(folder, source, defaultFolder);
  if (placed !== null) return answer([placed]);
  const there = findExisting(folder);
  if (!statSync(there).isDirectory()) return answer(['no-folder']);

  const faults: TargetFault[] = [];
  const known = unfinished?.folder === folder ? unfinished.names : [];
  if (there === folder && !(await isFree(folder, known))) faults.push('not-empty');
  if (there === folder && isInUse(folder)) faults.push('in-use');
  faults.push(...(await probe(there)));
  const freeBytes = readFreeBytes(join(there, 'any'));
  if (freeBytes !== null && freeBytes < neededBytes) faults.push('too-small');
  return answer(faults, findPlaceRisks(folder, there, platform), freeBytes);
}

/** How a target lies to the folders that hold data now; null where it lies apart. */
function findPlacing(folder: string, source: string, defaultFolder: string): TargetFault | null {
  const from = toRealPath(source);
  const standard = toRealPath(defaultFolder);
  if (folder === from) return 'same';
  if (isWithin(folder, from)) return 'inside';
  return folder !== standard && isWithin(folder, standard) ? 'inside' : null;
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The path without links, as far as it exists. */
export function toRealPath(path: string): string {
  const there = findExisting(path);
  return join(realpathSync(there), relative(there, path));
}

function findExisting(path: string): string {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

async function isFree(folder: string, known: readonly string[]): Promise<boolean> {
  const names = await readdir(folder).catch(() => ['unknown']);
  return names.every((name) => isLeftBehind(name) || known.includes(name));
}

function isInUse(folder: string): boolean {
  if (!existsSync(join(folder, 'folder.lock'))) return false;
  try {
    claimFolder(folder)();
    return false;
  } catch {
    return true;
  }
}

async function probe(folder: string): Promise<TargetFault[]> {
  let place: string;
  try {
    place = await mkdtemp(join(folder, '.channelscope-check-'));
  } catch {
    return ['not-writable'];
  }
  try {
    return canKeepDatabases(place) ? [] : ['no-database'];
  } finally {
    await tryToRemove(place, () => undefined, { isFolder: true });
  }
}

/** What Linux calls file systems of other computers: NFS, SMB in three versions, AFS, Ceph, 9P, Coda. */
const NETWORK_TYPES: readonly number[] = [
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400, 0x01021997, 0x73757245,
];
/** Folders that sync programs copy to other computers while files in them are open. */
const SYNCED_NAMES =
  /^(?:onedrive\b.*|dropbox\b.*|google ?drive\b.*|my drive|icloud ?drive.*|mobile documents|cloudstorage|nextcloud|owncloud|pcloud ?drive|box(?: sync)?|syncthing|sync)$/iu;
/** Files that such programs keep in their top folder. */
const SYNCED_MARKS = [
  '.stfolder',
  '.dropbox',
  '.dropbox.cache',
  '.sync',
  '._sync_journal.db',
  '.owncloudsync.log',
];

/** What is asked of the system. */
interface PlaceFacts {
  /** The number of the file system's type; null where the system does not say. */
  readonly type: number | null;
  /** The path without links and mapped drives. */
  readonly realPath: string;
  readonly hasMark: (folder: string) => boolean;
  readonly mayBeRead: boolean;
}

/**
 * Says why a folder is a bad place for databases; `there` is as much of its path as exists. Locks of SQLite don't hold on the disks of other
 * computers, and programs that keep folders in step copy files while they change.
 */
export function findPlaceRisks(
  folder: string,
  there: string,
  platform: HostPlatform,
  facts: PlaceFacts = readFacts(folder, there),
): TargetRisk[] {
  const risks: TargetRisk[] = [];
  const isShare = /^[\\/]{2}[^\\/.?]/u.test(facts.realPath);
  const isForeign = platform === 'linux' && facts.type !== null && NETWORK_TYPES.includes(facts.type >>> 0);
  if (isShare || isForeign) risks.push('network');
  if (isSynced(facts)) risks.push('synced');
  if (facts.mayBeRead) risks.push('readers');
  return risks;
}

function isSynced({ realPath, hasMark }: PlaceFacts): boolean {
  if (realPath.split(/[\\/]/u).some((name) => SYNCED_NAMES.test(name))) return true;
  for (let folder = realPath; ; folder = dirname(folder)) {
    if (hasMark(folder)) return true;
    if (dirname(folder) === folder) return false;
  }
}

function readFacts(folder: string, there: string): PlaceFacts {
  return {
    type: readType(there),
    // Only the system's own way resolves a drive that is mapped to another computer.
    realPath: join(realpathSync.native(there), relative(there, folder)),
    hasMark: (place) => SYNCED_MARKS.some((mark) => existsSync(join(place, mark))),
    mayBeRead: mayBeReadByOthers(folder),
  };
}

function readType(folder: string): number | null {
  try {
    return statfsSync(folder).type;
  } catch {
    return null;
  }
}

/**
 * What belongs to the process that holds a folder, or to the place of that folder: locks, sockets, what Chromium keeps
 * for itself, uploads that nobody waits for any more.
 */
const LEFT_BEHIND =
  /^(?:folder\.lock|control\.(?:json|sock)|chromium|Crashpad|Singleton\w+|uploads|self-test-.*\.tmp|.*\.new)$/u;
const READ_BYTES = 1024 * 1024;

/** A file or folder below the one that is copied; a folder comes before what is in it. */
interface Entry {
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
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
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
