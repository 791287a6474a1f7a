import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const run = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

function isWritable(folder: string): boolean {
  const probe = join(folder, 'probe');
  try {
    writeFileSync(probe, '');
    rmSync(probe);
    return true;
  } catch {
    return false;
  }
}

const MOUNT_ATTEMPTS = 20;

/**
 * Makes a folder really unwritable: by its mode, or, for the superuser whom modes don't bind, by a read-only mount
 * of it upon itself. Returns what undoes it; null where neither works.
 */
export function makeUnwritable(folder: string): (() => void) | null {
  chmodSync(folder, 0o500);
  if (!isWritable(folder)) return () => chmodSync(folder, 0o700);
  chmodSync(folder, 0o700);
  const undo = (): void => void run('umount', '--lazy', folder);
  for (let attempt = 0; attempt < MOUNT_ATTEMPTS; attempt += 1) {
    if (!run('mount', '--bind', folder, folder)) return null;
    // Refused while a file that was opened since the mount is being written.
    if (run('mount', '-o', 'remount,ro,bind', folder) && !isWritable(folder)) return undo;
    undo();
  }
  return null;
}

/** Mounts a file system of a size in memory; returns what unmounts it, or null where that is not allowed. */
export function mountSmallDisk(folder: string, sizeBytes: number): (() => void) | null {
  if (process.platform !== 'linux' || !existsSync(folder)) return null;
  if (!run('mount', '-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', folder)) return null;
  return () => void run('umount', '--lazy', folder);
}

/** Gives a mounted file system another size. */
export function resizeDisk(folder: string, sizeBytes: number): boolean {
  return run('mount', '-o', `remount,size=${sizeBytes}`, folder);
}
