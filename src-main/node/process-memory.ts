import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const READ_MS = 2000;
const KB = 1024;

/** Returns the bytes that another process has in memory; null where the system doesn't say. */
export async function readProcessMemory(pid: number): Promise<number | null> {
  try {
    if (process.platform === 'linux') {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return toBytes(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
    }
    if (process.platform === 'win32') {
      const options = ['/fi', `PID eq ${pid}`, '/fo', 'csv', '/nh'];
      const { stdout } = await run('tasklist', options, { timeout: READ_MS, windowsHide: true });
      // The last cell is a number of kilobytes with the separators of the system's language.
      return toBytes(/"([^"]*)"\s*$/.exec(stdout)?.[1]?.replaceAll(/\D/g, ''));
    }
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)], { timeout: READ_MS });
    return toBytes(stdout.trim());
  } catch {
    return null;
  }
}

function toBytes(kilobytes: string | undefined): number | null {
  const count = Number(kilobytes ?? '');
  return count > 0 ? count * KB : null;
}
