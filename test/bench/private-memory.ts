import { readFileSync } from 'node:fs';

const SAMPLE_MS = 20;

/** The memory of this process and its children while something runs. */
export interface MemoryWatch {
  /** The most that they had together, in MB, since the watch began. */
  end(): number;
}

/** Own memory of this process and its children together, in MB: without the files that they mapped. */
export function readPrivateMemory(): number {
  return [process.pid, ...listChildren()].reduce((sum, pid) => sum + readOwn(pid), 0);
}

/** Begins to watch. */
export function watchPrivateMemory(): MemoryWatch {
  let most = readPrivateMemory();
  const timer = setInterval(() => {
    most = Math.max(most, readPrivateMemory());
  }, SAMPLE_MS);
  return {
    end() {
      clearInterval(timer);
      return Math.max(most, readPrivateMemory());
    },
  };
}

function listChildren(): number[] {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
  return pids === '' ? [] : pids.split(' ').map(Number);
}

/** Nothing of a process that has just ended. */
function readOwn(pid: number): number {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
