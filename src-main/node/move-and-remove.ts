import { constants, copyFileSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { findErrorCode } from './error-text.ts';
import { retryWhileHeld, retryWhileHeldSync } from './retry-while-held.ts';

// The only place that renames, copies and removes: each file may be open in another program for a moment.

interface Removal {
  /** 10 s unless told. */
  readonly maxWaitMs?: number;
  /** A folder goes with what is in it; otherwise a folder is refused. */
  readonly isFolder?: boolean;
}

/** Moves a file, over one that is there. Throws AppError `files.held` when that stays impossible for 10 s. */
export async function movePatiently(from: string, to: string): Promise<void> {
  await retryWhileHeld({ path: to, action: 'move' }, () => rename(from, to));
}

/** Like `movePatiently`; blocks the thread for up to `maxWaitMs`. */
export function movePatientlySync(from: string, to: string, maxWaitMs?: number): void {
  retryWhileHeldSync({ path: to, action: 'move', maxWaitMs }, () => renameSync(from, to));
}

/** Copies a file, over one that is there. Throws AppError `files.held` as above. */
export async function copyPatiently(from: string, to: string): Promise<void> {
  await retryWhileHeld({ path: to, action: 'move' }, () => copyFile(from, to));
}

/** Like `copyPatiently`; blocks the thread meanwhile. Shares the bytes on disk where the file system can. */
export function copyPatientlySync(from: string, to: string): void {
  retryWhileHeldSync({ path: to, action: 'move' }, () => copyFileSync(from, to, constants.COPYFILE_FICLONE));
}

/** Removes a file or folder; does nothing where there is none. Throws AppError `files.held` as above. */
export async function removePatiently(path: string, removal: Removal = {}): Promise<void> {
  const { maxWaitMs, isFolder: recursive = false } = removal;
  await retryWhileHeld({ path, action: 'remove', maxWaitMs }, () => rm(path, { force: true, recursive }));
}

/** Like `removePatiently`; blocks the thread meanwhile. */
export function removePatientlySync(path: string, removal: Removal = {}): void {
  const { maxWaitMs, isFolder: recursive = false } = removal;
  retryWhileHeldSync({ path, action: 'remove', maxWaitMs }, () => rmSync(path, { force: true, recursive }));
}

/** Removes what nothing depends on. False, after `report` got the error, where it stays. Never rejects. */
export async function tryToRemove(
  path: string,
  report: (error: unknown) => void,
  removal?: Removal,
): Promise<boolean> {
  try {
    await removePatiently(path, removal);
    return true;
  } catch (error) {
    report(error);
    return false;
  }
}

/** Like `tryToRemove`, without a report; blocks the thread meanwhile. Never throws. */
export function tryToRemoveSync(path: string, removal?: Removal): boolean {
  try {
    removePatientlySync(path, removal);
    return true;
  } catch {
    return false;
  }
}

/** True when something has that name. Throws where the system doesn't say: that is no proof that the place is free. */
export function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Moves a file over one that is there, to another disk too; there it appears piece by piece. Throws as `movePatiently`. */
export async function moveAnywhere(from: string, to: string): Promise<void> {
  try {
    await movePatiently(from, to);
  } catch (error) {
    if (findErrorCode(error) !== 'EXDEV') throw error;
    await copyPatiently(from, to);
    await removePatiently(from);
  }
}
