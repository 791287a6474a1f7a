import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';

interface Holder {
  readonly pid: number;
  /** When that process started, as the system counts it; empty where it can't be told. */
  readonly start: string;
}

/** Tells a process from a later one with the same number. Only Linux shows it without another program. */
function readProcessStart(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in parentheses and may hold spaces; the fields after it don't.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return holder.start === '' || readProcessStart(holder.pid) === holder.start;
}

function readHolder(file: string): Holder | null {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder> | null;
    if (typeof value?.pid !== 'number' || !Number.isSafeInteger(value.pid) || value.pid <= 0) return null;
    return { pid: value.pid, start: typeof value.start === 'string' ? value.start : '' };
  } catch {
    return null;
  }
}

function tryCreate(file: string): boolean {
  const holder: Holder = { pid: process.pid, start: readProcessStart(process.pid) };
  try {
    writeFileSync(file, JSON.stringify(holder), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Claims the data folder for this process; the answer gives it back. Throws `cache.locked` while another
 * process that is alive holds it; what a dead one left behind is taken over.
 */
export function lockProfile(folder: string): () => void {
  const file = join(folder, 'profile.lock');
  if (!tryCreate(file)) {
    const holder = readHolder(file);
    if (holder !== null && isAlive(holder)) throw lockedError(folder, holder.pid);
    rmSync(file, { force: true });
    if (!tryCreate(file)) throw lockedError(folder, readHolder(file)?.pid ?? 0);
  }
  return () => rmSync(file, { force: true });
}

function lockedError(folder: string, pid: number): AppError {
  return new AppError('cache.locked', `Channelscope is already open with the folder ${folder}.`, {
    folder,
    pid,
  });
}
