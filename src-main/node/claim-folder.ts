import { accessSync, chmodSync, constants, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError } from '../common/contract/errors.ts';
import { findErrorCode } from './error-text.ts';
import { PRIVATE_FILE_MODE } from './files.ts';

/**
 * Claims a data folder for this process and returns a function that releases it. The claim is an exclusive
 * transaction on `folder.lock`, so the system itself ends that of a process that was killed. Throws AppError
 * `cache.locked` while another process holds the folder, and the system's error when it can't be written to.
 */
export function claimFolder(folder: string): () => void {
  accessSync(folder, constants.W_OK);
  const path = join(folder, 'folder.lock');
  const claim = new Sqlite(path, { timeout: 0 });
  try {
    // Nothing is ever written to it, so a journal would only be one more file.
    claim.pragma('journal_mode = memory');
    claim.exec('BEGIN EXCLUSIVE');
    chmodSync(path, PRIVATE_FILE_MODE);
  } catch (error) {
    claim.close();
    if (findErrorCode(error)?.startsWith('SQLITE_BUSY') !== true) throw error;
    throw new AppError(
      'cache.locked',
      `Channelscope is already open with the folder ${folder}.`,
      { folder },
      error,
    );
  }
  return () => void claim.close();
}

/** Folders that are in use, by their paths, and what the system calls them: another folder may come to have the name. */
const held = new Map<string, string>();

/** Notes that a folder is in use, until the returned function is called. */
export function holdFolder(folder: string): () => void {
  const place = readPlace(folder);
  if (place !== null) held.set(folder, place);
  return () => void held.delete(folder);
}

/** True for a file in a folder in use that was removed meanwhile, or is another one by now. */
export function isFolderGone(file: string): boolean {
  return [...held].some(
    ([folder, place]) => file.startsWith(folder + sep) && readPlace(folder, place) !== place,
  );
}

/** What tells a file or folder from any other; null where none has the name, `otherwise` where the system doesn't say. */
export function readPlace(path: string, otherwise: string | null = null): string | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? null : `${found.dev}:${found.ino}`;
  } catch {
    return otherwise;
  }
}
