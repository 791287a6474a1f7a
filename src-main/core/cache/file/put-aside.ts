import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CacheState } from '../../../common/model/cache/snapshot.ts';
import {
  isTaken,
  makePrivateFolder,
  movePatientlySync,
  PRIVATE_FOLDER_MODE,
  replaceFileSync,
  tryToRemoveSync,
  writeFileAtomicallySync,
} from '../../../node/files.ts';
import { readFreeBytes } from './open-database.ts';

/** SQLite's companions of a file, which it would replay into any other that takes the file's place. */
export const COMPANIONS = ['-journal', '-shm', '-wal'] as const;
/** The database last: while it is in its place, the rest can still be brought back to it. */
const MOVED_SUFFIXES = [...COMPANIONS, ''] as const;
const REPORT = 'report.json';
/** The report of a put-aside that isn't finished. Its last step gives it the final name. */
const UNFINISHED = 'unfinished.json';
/** Is there until what is whole in the file was brought over; counts how often that was begun. */
const SALVAGE = 'salvage.json';
/** What ends the application in the middle this often would do so again. */
const MAX_SALVAGE_TRIES = 3;

/** What was found wrong with a file; `code` selects the words, `lines` are the first of SQLite's own. */
export interface Damage {
  readonly code: string;
  readonly lines: readonly string[];
}

/** A damaged database in its folder. It counts as put aside once `finish` was called. */
export interface PutAside {
  readonly folder: string;
  readonly damage: string;
  finish(): void;
}

/**
 * Moves a damaged database with its companions into a folder of its own beside it, `damaged/<UTC time>/`, with a small
 * report that holds no data. Nothing ever deletes it. Where a file can't be moved everything goes back to its place,
 * and what a crash leaves half moved is finished by `resumePutAside`. Throws AppError `files.held` and system errors.
 */
export function putAside(file: string, damage: Damage, nowMs: number, versions: object): PutAside {
  const sizes = MOVED_SUFFIXES.map((suffix) => [
    basename(file) + suffix,
    statSync(file + suffix, { throwIfNoEntry: false })?.size ?? null,
  ]);
  const report = {
    putAsideAt: new Date(nowMs).toISOString(),
    damage: damage.code,
    check: damage.lines,
    sizeBytes: Object.fromEntries(sizes) as unknown,
    versions,
  };
  const folder = makeFolder(join(dirname(file), 'damaged'), nowMs);
  try {
    writeFileAtomicallySync(join(folder, UNFINISHED), `${JSON.stringify(report, null, 2)}\n`);
    writeTries(folder, 0);
    moveAll(file, folder);
  } catch (error) {
    // With anything of the database in it, it is what the next start continues from.
    if (!MOVED_SUFFIXES.some((suffix) => isTaken(join(folder, basename(file)) + suffix))) {
      tryToRemoveSync(folder, { isFolder: true, maxWaitMs: 0 });
    }
    throw error;
  }
  return toPutAside(folder, damage.code);
}

/** Finishes the moves that a crash, or a program that held a file, cut short. Null when there are none. Throws as above. */
export function resumePutAside(file: string): PutAside | null {
  const folder = listFolders(file).find((path) => isTaken(join(path, UNFINISHED)));
  if (folder === undefined) return null;
  moveAll(file, folder);
  return toPutAside(folder, readDamage(join(folder, UNFINISHED)));
}

/**
 * Returns a folder whose database was put aside and is still to be brought over, or null; what a crash or the end of
 * the application cut short is begun again. The same folder is returned until `endSalvage`, a few times at most.
 */
export function beginSalvage(file: string): string | null {
  for (const folder of listFolders(file)) {
    const isReady = isTaken(join(folder, SALVAGE)) && !isTaken(join(folder, UNFINISHED));
    if (!isReady || !isTaken(join(folder, basename(file)))) continue;
    const tries = readTries(folder);
    if (tries >= MAX_SALVAGE_TRIES) continue;
    writeTries(folder, tries + 1);
    return folder;
  }
  return null;
}

/** Nothing is left to be brought over from this folder. */
export function endSalvage(folder: string): void {
  tryToRemoveSync(join(folder, SALVAGE));
}

/** The folders of databases that were put aside. Systems leave files of their own beside them, such as `.DS_Store`. */
function listFolders(file: string): string[] {
  const parent = join(dirname(file), 'damaged');
  if (!isTaken(parent)) return [];
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(parent, name));
}

function writeTries(folder: string, tries: number): void {
  writeFileAtomicallySync(join(folder, SALVAGE), `${JSON.stringify({ tries })}\n`);
}

function readTries(folder: string): number {
  try {
    const { tries } = JSON.parse(readFileSync(join(folder, SALVAGE), 'utf8')) as { tries?: unknown };
    return typeof tries === 'number' ? tries : MAX_SALVAGE_TRIES;
  } catch {
    return MAX_SALVAGE_TRIES;
  }
}

function moveAll(file: string, folder: string): void {
  const target = join(folder, basename(file));
  // The database went last, so that whatever has its place by now is another one, with companions of its own.
  if (isTaken(target)) return;
  const moved: string[] = [];
  try {
    for (const suffix of MOVED_SUFFIXES) {
      if (!isTaken(file + suffix)) continue;
      movePatientlySync(file + suffix, target + suffix);
      moved.push(suffix);
    }
  } catch (error) {
    for (const suffix of moved.toReversed()) moveBack(target + suffix, file + suffix);
    throw error;
  }
}

/** What stays is moved when the file is opened again. */
function moveBack(from: string, to: string): void {
  try {
    movePatientlySync(from, to, 0);
  } catch {
    // As above.
  }
}

function toPutAside(folder: string, damage: string): PutAside {
  const finish = (): void => replaceFileSync(join(folder, UNFINISHED), join(folder, REPORT));
  return { folder, damage, finish };
}

function readDamage(report: string): string {
  try {
    const { damage } = JSON.parse(readFileSync(report, 'utf8')) as { damage?: unknown };
    return typeof damage === 'string' ? damage : 'unknown';
  } catch {
    return 'unknown';
  }
}

function makeFolder(parent: string, nowMs: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(':', '-');
  makePrivateFolder(parent);
  for (let number = 1; ; number += 1) {
    const folder = join(parent, number === 1 ? time : `${time}-${number}`);
    if (existsSync(folder)) continue;
    mkdirSync(folder, { mode: PRIVATE_FOLDER_MODE });
    return folder;
  }
}

/** Counts the folders of damaged files beside a cache file, and what they take on the disk. */
function measureDamaged(file: string): { damagedCount: number; damagedBytes: number } {
  const parent = join(dirname(file), 'damaged');
  if (!existsSync(parent)) return { damagedCount: 0, damagedBytes: 0 };
  const entries = readdirSync(parent, { recursive: true, withFileTypes: true });
  const damagedCount = entries.filter((entry) => entry.isDirectory() && entry.parentPath === parent).length;
  const damagedBytes = entries
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => {
      const stats = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
      return sum + (stats?.size ?? 0);
    }, 0);
  return { damagedCount, damagedBytes };
}

/** Below this a large download may fill the disk. */
const LOW_SPACE_BYTES = 500_000_000;

export interface StateKeeper {
  read(): CacheState;
  update(change: Partial<CacheState>): void;
  /** Measures the free space of the disk, and what damaged files take. */
  measureDisk(): void;
  /** Notifies a listener of every state that differs in more than free space; returns how to stop it. */
  watch(listener: (state: CacheState) => void): () => void;
}

/** Keeps what is known of the cache as a whole. */
export function createStateKeeper(file: string, nowMs: number): StateKeeper {
  const listeners = new Set<(state: CacheState) => void>();
  let state: CacheState = {
    mode: 'ready',
    startedAtMs: nowMs,
    freeBytes: null,
    lowSpace: false,
    largeLog: false,
    putAside: null,
    salvaged: null,
    damagedCount: 0,
    damagedBytes: 0,
    retired: null,
    fileCheck: null,
  };
  const update = (change: Partial<CacheState>): void => {
    const before = toComparable(state);
    state = { ...state, ...change };
    if (toComparable(state) === before) return;
    for (const listener of listeners) listener(state);
  };
  return {
    read: () => state,
    update,
    measureDisk() {
      const freeBytes = readFreeBytes(file);
      const lowSpace = freeBytes !== null && freeBytes < LOW_SPACE_BYTES;
      update({ freeBytes, lowSpace, ...tryToMeasureDamaged(file) });
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Only figures: what can't be looked at now is as it was. */
function tryToMeasureDamaged(file: string): Partial<CacheState> {
  try {
    return measureDamaged(file);
  } catch {
    return {};
  }
}

function toComparable(state: CacheState): string {
  return JSON.stringify({ ...state, freeBytes: null });
}
