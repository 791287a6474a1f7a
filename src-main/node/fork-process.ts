import { execFile, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A script that runs in a process of its own. Messages are cloned, typed arrays included. */
export interface ChildProcess {
  postMessage(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Notified once when the process has ended, with how and what it wrote to standard error last. */
  onExit(listener: (reason: string) => void): void;
  kill(): void;
  /** What it has in memory, in bytes; null where the system doesn't say. */
  readMemory(): Promise<number | null>;
}

/**
 * What such a process works on dies young: left to itself, the nursery grows to a hundred megabytes and more, for
 * no speed.
 */
export const PROCESS_FLAGS: readonly string[] = ['--max-semi-space-size=8'];
/** How much of standard error is kept, in characters. */
const MAX_REASON_CHARACTERS = 2000;

/** Starts a script of plain Node in a process of its own, with one argument. It ends when its parent does. */
export function forkProcess(script: URL, argument: string): ChildProcess {
  const child = fork(fileURLToPath(script), [argument], {
    execArgv: [...process.execArgv, ...PROCESS_FLAGS],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-MAX_REASON_CHARACTERS);
  });
  const listeners = new Set<(reason: string) => void>();
  const end = (how: string): void => {
    for (const listener of listeners) listener(`${how} ${lastWords}`.trim());
    listeners.clear();
  };
  child.on('error', (error) => end(String(error)));
  child.on('exit', (code, signal) => end(signal ?? `exit code ${String(code)}`));
  return {
    postMessage: (message) => {
      // A process that is just ending takes no message any more; its exit is reported by itself.
      if (child.connected) child.send(message as object, () => undefined);
    },
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void listeners.add(listener),
    kill: () => void child.kill('SIGKILL'),
    readMemory: async () => (child.pid === undefined ? null : readProcessMemory(child.pid)),
  };
}

const run = promisify(execFile);
const READ_MS = 2000;
const KB = 1024;

/** Returns the bytes that another process has in memory; null where the system doesn't say. */
async function readProcessMemory(pid: number): Promise<number | null> {
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
