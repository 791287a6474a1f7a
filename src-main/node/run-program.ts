import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** A program that is run once. It is started itself, never a shell. */
export interface ProgramRun {
  /** Absolute. */
  readonly program: string;
  readonly args: readonly string[];
  /** Beside what it gets of this process's own; see `PASSED_ON`. */
  readonly variables: Readonly<Record<string, string>>;
  /** What it reads from standard input. */
  readonly input: string;
  readonly limitMs: number;
  /** What is kept of standard output and standard error together; the rest is read and dropped. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly how:
    | { readonly code: number }
    | { readonly signal: string }
    /** It took too long and was ended. */
    | 'too-long'
    /** It could not be started: the system's code. */
    | { readonly fault: string };
  readonly output: string;
}

/** What a program needs to find its files and the person's desktop; anything else of the environment may be a secret. */
const PASSED_ON = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP', 'USERNAME', 'USERDOMAIN'],
  ...['USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'ProgramData', 'ProgramFiles'],
];
/** What a program that ended wrote is still read for so long; what it started may hold its output open. */
const REST_MS = 500;

/** Runs a program to its end, with all that it started where it takes too long. Rejects only when aborted. */
export async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  run.signal.throwIfAborted();
  const child = start(run);
  if ('fault' in child) return { how: child, output: '' };
  const read = readOutput(child, run.maxBytes);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const limit = AbortSignal.timeout(run.limitMs);
  const ending = AbortSignal.any([run.signal, limit]);
  const kill = (): void => killAll(child);
  ending.addEventListener('abort', kill, { once: true });
  try {
    const how = await new Promise<ProgramEnd['how']>((resolve) => {
      child.on('error', (error: NodeJS.ErrnoException) => resolve({ fault: error.code ?? 'UNKNOWN' }));
      child.on('exit', (code, signal) => resolve(code === null ? { signal: signal ?? '' } : { code }));
      child.stdin?.on('error', () => undefined).end(run.input);
    });
    run.signal.throwIfAborted();
    await Promise.race([closed, delay(REST_MS, undefined, { ref: false })]);
    const isTooLong = limit.aborted && typeof how === 'object' && 'signal' in how;
    return { how: isTooLong ? 'too-long' : how, output: read() };
  } finally {
    ending.removeEventListener('abort', kill);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

function start({ program, args, variables }: ProgramRun): ChildProcess | { readonly fault: string } {
  const own = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  try {
    return spawn(program, [...args], {
      cwd: homedir(),
      env: { ...Object.fromEntries(own), ...variables },
      shell: false,
      stdio: 'pipe',
      windowsHide: true,
      // A group of its own: what it starts is ended with it.
      detached: process.platform !== 'win32',
    });
  } catch (error) {
    return { fault: (error as NodeJS.ErrnoException).code ?? 'UNKNOWN' };
  }
}

/** Reads what a program writes; what is returned tells how it begins. */
function readOutput({ stdout, stderr }: ChildProcess, maxBytes: number): () => string {
  const pieces: Buffer[] = [];
  let size = 0;
  for (const stream of [stdout, stderr]) {
    stream
      ?.on('error', () => undefined)
      .on('data', (piece: Buffer) => {
        if (size >= maxBytes) return;
        pieces.push(piece.subarray(0, maxBytes - size));
        size += piece.length;
      });
  }
  return () => new TextDecoder().decode(Buffer.concat(pieces));
}

function killAll(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32')
    execFile('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true }, () => child.kill());
  else
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
}
