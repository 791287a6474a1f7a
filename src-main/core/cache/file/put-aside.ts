import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateFolder, PRIVATE_FOLDER_MODE } from '../../../node/private-files.ts';
import { writeFileAtomicallySync } from '../../../node/write-file-atomically.ts';

const SUFFIXES = ['', '-wal', '-shm'] as const;

/** What was found wrong with a file; `code` selects the words, `lines` are the first of SQLite's own. */
export interface Damage {
  readonly code: string;
  readonly lines: readonly string[];
}

/**
 * Moves a damaged database with its log into a folder of its own beside it, `damaged/<UTC time>/`, with a small
 * report that holds no data. Nothing ever deletes it. Returns the folder.
 */
export function putAside(file: string, damage: Damage, nowMs: number, versions: object): string {
  const folder = makeFolder(join(dirname(file), 'damaged'), nowMs);
  const sizes = SUFFIXES.map((suffix) => [
    basename(file) + suffix,
    statSync(file + suffix, { throwIfNoEntry: false })?.size ?? null,
  ]);
  for (const suffix of SUFFIXES) {
    if (existsSync(file + suffix)) renameSync(file + suffix, join(folder, basename(file)) + suffix);
  }
  const report = {
    putAsideAt: new Date(nowMs).toISOString(),
    damage: damage.code,
    check: damage.lines,
    sizeBytes: Object.fromEntries(sizes) as unknown,
    versions,
  };
  writeFileAtomicallySync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  return folder;
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
export function measureDamaged(file: string): { damagedCount: number; damagedBytes: number } {
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
