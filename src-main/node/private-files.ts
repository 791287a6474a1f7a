import { closeSync, mkdirSync, openSync } from 'node:fs';
import { homedir } from 'node:os';
import { win32 } from 'node:path';

/** Reading and writing for the owner, nothing for anybody else. */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;

/** Creates a folder with its parents, open to its owner only; one that exists keeps its mode. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
}

/** Creates an empty file for its owner only. Throws `EEXIST` when there is one: its content isn't ours to lose. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', PRIVATE_FILE_MODE));
}

/**
 * True where others may read a folder. Windows knows no modes: there a folder inside the user's own is closed to others,
 * and any other has the rights that it was given or inherited.
 */
export function mayBeReadByOthers(
  folder: string,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): boolean {
  if (platform !== 'win32') return false;
  const way = win32.relative(home, folder);
  return way === '' || way.startsWith('..') || win32.isAbsolute(way);
}

/** A sentence for the user whose folder may be open to others, or null. */
export function describeReaders(
  folder: string,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string | null {
  if (!mayBeReadByOthers(folder, platform, home)) return null;
  return `Other users of this computer may be able to read ${folder}: on Windows its own permissions decide. Take them away with icacls, or choose a folder inside ${home}.`;
}
