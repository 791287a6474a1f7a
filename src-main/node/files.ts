import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, win32 } from 'node:path';
import { AppError } from '../common/contract/errors.ts';
import { findErrorCode } from './error-text.ts';
import { wait, waitSync } from './wait.ts';

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

/**
 * Writes a file for its owner only, so that a crash or a power cut leaves either the old content or the new one.
 * Throws AppError `files.held`, or the system's error, with the old content in place; `<path>.new` may stay until the
 * next attempt.
 */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const unfinished = `${path}.new`;
  await retryWhileHeld({ path: unfinished, action: 'open' }, async () => {
    const handle = await open(unfinished, 'w', PRIVATE_FILE_MODE);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
  await movePatiently(unfinished, path);
  await flushFolder(path);
}

/**
 * Like `writeFileAtomically`; blocks the thread for up to `maxWaitMs` while another program has the file open. A power cut
 * may take what isn't flushed, which a disk that is busy takes a tenth of a second for.
 */
export function writeFileAtomicallySync(
  path: string,
  content: string | Uint8Array,
  { maxWaitMs, isFlushed = true }: { readonly maxWaitMs?: number; readonly isFlushed?: boolean } = {},
): void {
  const unfinished = `${path}.new`;
  retryWhileHeldSync({ path: unfinished, action: 'open', maxWaitMs }, () => {
    writeFileSync(unfinished, content, { mode: PRIVATE_FILE_MODE, flush: isFlushed });
  });
  movePatientlySync(unfinished, path, maxWaitMs);
  if (isFlushed) flushFolderSync(path);
}

/** Moves a finished file over `target` in one step that lasts through a power cut: flush, rename, flush the folder. */
export async function replaceFile(finished: string, target: string): Promise<void> {
  await retryWhileHeld({ path: finished, action: 'open' }, async () => {
    const handle = await open(finished, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
  await movePatiently(finished, target);
  await flushFolder(target);
}

/** Like `replaceFile`; blocks the thread meanwhile. */
export function replaceFileSync(finished: string, target: string): void {
  retryWhileHeldSync({ path: finished, action: 'open' }, () => flushSync(finished, 'r+'));
  movePatientlySync(finished, target);
  flushFolderSync(target);
}

/** The file is complete under its name already, and not every system can open a folder. */
async function flushFolder(path: string): Promise<void> {
  try {
    const handle = await open(dirname(path), 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // As above.
  }
}

function flushFolderSync(path: string): void {
  try {
    flushSync(dirname(path), 'r');
  } catch {
    // As above.
  }
}

function flushSync(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

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

/** How long a file that another program has open is tried in all. */
const MAX_WAIT_MS = 10_000;
const FIRST_WAIT_MS = 50;

/**
 * Codes of a file that another program has open. Windows has them for a virus scanner, a backup, a viewer; elsewhere
 * they are rare, and then they last.
 */
const OPENING_CODES: readonly string[] = ['EBUSY', 'EPERM'];
const MOVING_CODES: readonly string[] = [...OPENING_CODES, 'EACCES'];
const CODES = {
  open: OPENING_CODES,
  move: MOVING_CODES,
  /** A folder keeps its place while what was in it is still open. */
  remove: [...MOVING_CODES, 'ENOTEMPTY'],
} as const satisfies Record<string, readonly string[]>;

/** What a call does to a file: it decides which errors may pass by themselves. */
type FileAction = keyof typeof CODES;

interface HeldFile {
  readonly path: string;
  readonly action: FileAction;
  readonly maxWaitMs?: number | undefined;
}

/**
 * Calls again, with growing pauses, what fails because another program has the file open. Throws AppError
 * `files.held` when it still does after `maxWaitMs`, and any other error at once.
 */
export async function retryWhileHeld<Value>(file: HeldFile, call: () => Promise<Value>): Promise<Value> {
  const next = createAttempts(file);
  for (;;) {
    try {
      return await call();
    } catch (error) {
      await wait(next(error));
    }
  }
}

/** Like `retryWhileHeld`, for a thread or process that must be done when it returns. */
function retryWhileHeldSync<Value>(file: HeldFile, call: () => Value): Value {
  const next = createAttempts(file);
  for (;;) {
    try {
      return call();
    } catch (error) {
      waitSync(next(error));
    }
  }
}

/** Returns how long to wait after each error, and throws once it is the last. */
function createAttempts({ path, action, maxWaitMs = MAX_WAIT_MS }: HeldFile): (error: unknown) => number {
  const codes: readonly string[] = CODES[action];
  let pauseMs = FIRST_WAIT_MS;
  let leftMs = maxWaitMs;
  return (error) => {
    const systemCode = findErrorCode(error) ?? '';
    if (!codes.includes(systemCode)) throw error;
    if (leftMs <= 0) {
      const message = `${path} can't be opened or replaced: another program may have it open.`;
      throw new AppError('files.held', message, { file: basename(path), systemCode }, error);
    }
    const waitMs = Math.min(pauseMs, leftMs);
    leftMs -= waitMs;
    pauseMs *= 2;
    return waitMs;
  };
}
