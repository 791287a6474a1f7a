import { existsSync, realpathSync, statfsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { TargetRisk } from '../../common/contract/operations/data-folder.ts';
import { mayBeReadByOthers } from '../../node/private-files.ts';
import type { HostPlatform } from '../data-folder/standard-folder.ts';

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
