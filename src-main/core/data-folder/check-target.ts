import { existsSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { TargetCheck, TargetFault, TargetRisk } from '../../common/contract/operations/data-folder.ts';
import { claimFolder } from '../../node/claim-folder.ts';
import { tryToRemove } from '../../node/move-and-remove.ts';
import { canKeepDatabases } from '../../node/probe-database.ts';
import { readFreeBytes } from '../cache/file/storage-size.ts';
import type { HostPlatform } from '../data-folder/standard-folder.ts';
import { isLeftBehind, listEntries, sumBytes } from './copy-folder.ts';
import type { DataLocation } from './locate-data-folder.ts';
import type { Copied } from './location-file.ts';
import { mayBeReadByOthers } from '../../node/private-files.ts';

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
