import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Who PostgreSQL runs as: as root it refuses to, and is the user of its package. */
export interface PostgresUser {
  readonly uid?: number;
  readonly gid?: number;
}

export function findUser(): PostgresUser {
  if (process.getuid?.() !== 0) return {};
  const read = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}

/** Gives the user a file or folder that this process made. */
export function give(path: string, { uid, gid }: PostgresUser): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** Makes the data of a new server, whose superuser is root: a copy where the tests of a run share what the first made. */
export function makeData(programs: string, data: string, user: PostgresUser): void {
  const shared = process.env['NEW_POSTGRES_DATA'];
  if (shared === undefined) initialise(programs, data, user);
  else execFileSync('cp', ['-a', findShared(programs, shared, user), data], user);
}

function findShared(programs: string, folder: string, user: PostgresUser): string {
  const shared = join(folder, 'data');
  if (existsSync(shared)) return shared;
  const own = mkdtempSync(join(folder, 'making-'));
  give(own, user);
  initialise(programs, join(own, 'data'), user);
  try {
    renameSync(join(own, 'data'), shared);
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(shared)) throw error;
  }
  rmSync(own, { recursive: true, force: true });
  return shared;
}

function initialise(programs: string, data: string, user: PostgresUser): void {
  const words = ['-D', data, '-U', 'root', '-A', 'trust', '--no-sync', '-E', 'UTF8'];
  execFileSync(join(programs, 'initdb'), words, { ...user, stdio: 'ignore' });
}
