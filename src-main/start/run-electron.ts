import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  readStartFile,
  readStartMessage,
  START_FILE_VARIABLE,
  type StartMessage,
} from '../common/start-message.ts';
import { tryToRemove } from '../node/files.ts';

interface InstallOptions {
  /** Called with the bytes that have come so far, each time that there are more. */
  readonly onProgress: (bytes: number) => void;
  /** The longest wait for the first byte, and then for each further one. */
  readonly firstByteMs: number;
  readonly silenceMs: number;
}

const POLL_MS = 250;
const MAX_ARCHIVE_OUTPUT = 64 * 1024;
const PROXY_NAMES = ['HTTP_PROXY', 'HTTPS_PROXY'];

function findProgramName(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return platform === 'win32' ? 'electron.exe' : 'electron';
}

/**
 * Electron's program, or null. Its package is not imported: that alone would start a download. As with Electron's own
 * command, ELECTRON_OVERRIDE_DIST_PATH names a folder with a runtime of the user's own.
 */
export function findElectron(root: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  const own = environment['ELECTRON_OVERRIDE_DIST_PATH'] ?? '';
  if (own !== '') {
    const program = join(own, findProgramName(process.platform));
    return existsSync(program) ? program : null;
  }
  const folder = join(root, 'node_modules/electron');
  try {
    const program = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim());
    return existsSync(program) ? program : null;
  } catch {
    return null;
  }
}

/** The environment of the installer: it follows the proxies and the certificates that this computer is set to. */
function toInstallEnvironment(environment: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
  const hasProxy = PROXY_NAMES.some(
    (name) => (environment[name] ?? environment[name.toLowerCase()] ?? '') !== '',
  );
  return {
    ...environment,
    NODE_USE_SYSTEM_CA: '1',
    ...(hasProxy ? { ELECTRON_GET_USE_PROXY: 'true', NODE_USE_ENV_PROXY: '1' } : {}),
    // What has come is measured there: the installer says nothing while it downloads.
    TMPDIR: folder,
    TEMP: folder,
    TMP: folder,
  };
}

function measureBytes(folders: readonly string[]): number {
  let bytes = 0;
  for (const folder of folders) {
    try {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
      }
    } catch {
      // A folder that isn't there yet, or a file that was just moved.
    }
  }
  return bytes;
}

/** The line of the installer's output that names the error, without the stack. */
function findReason(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const reason = lines.find((line) => /error/iu.test(line)) ?? lines.find((line) => line !== '');
  // Node says no more of a network that isn't there.
  if (reason?.endsWith('fetch failed') === true) return "the server that has it can't be reached";
  return reason ?? 'no reason given';
}

/** Downloads Electron's runtime with its own installer. Returns why that failed, or null when the runtime is there. */
export async function installElectron(root: string, options: InstallOptions): Promise<string | null> {
  const script = join(root, 'node_modules/electron/install.js');
  if (!existsSync(script)) return 'the package is not installed; run "npm ci" first';
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-runtime-'));
  try {
    const failure = await runInstaller(root, script, folder, options);
    if (failure !== null) return failure;
    return findElectron(root) === null ? 'the download left no program' : null;
  } finally {
    await tryToRemove(folder, () => undefined, { isFolder: true });
  }
}

function runInstaller(
  root: string,
  script: string,
  folder: string,
  { onProgress, firstByteMs, silenceMs }: InstallOptions,
): Promise<string | null> {
  const watched = [folder, join(root, 'node_modules/electron/dist')];
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: toInstallEnvironment(process.env, folder),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(0, MAX_ARCHIVE_OUTPUT);
  });
  const startBytes = measureBytes(watched);
  let bytes = startBytes;
  let changedAtMs = performance.now();
  let silence: string | null = null;
  const timer = setInterval(() => {
    const measured = measureBytes(watched);
    if (measured !== bytes) {
      changedAtMs = performance.now();
      if (measured > bytes) onProgress(measured - startBytes);
      bytes = measured;
    }
    const limitMs = bytes === startBytes ? firstByteMs : silenceMs;
    if (silence !== null || performance.now() - changedAtMs < limitMs) return;
    silence = `nothing was received for ${limitMs / 1000} s`;
    child.kill('SIGKILL');
  }, POLL_MS);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      clearInterval(timer);
      resolve(error.message);
    });
    child.once('close', (code) => {
      clearInterval(timer);
      resolve(silence ?? (code === 0 ? null : findReason(output)));
    });
  });
}

/** How the desktop application ended: as an application does, or before anybody saw its window. */
export type DesktopEnd =
  | { readonly isOver: true; readonly exitCode: number; readonly words: string | null }
  | ({ readonly isOver: false } & Explanation);

/** How much of standard error is kept, to find the reason in. */
const MAX_OUTPUT_CHARACTERS = 16 * 1024;
const MAX_LAST_WORDS_MS = 500;

/** How often the file is read in which the application says how far it is. */
const READ_EVERY_MS = 250;

/** What is waited for, and how it is said. */
interface RunOptions {
  /** An application that says nothing for so long before its window is there is ended. */
  readonly silenceMs: number;
  /** After so long without a first word the person is told that it is waited for. */
  readonly noticeMs?: number;
  readonly onNotice?: () => void;
  readonly environment: NodeJS.ProcessEnv;
  readonly words?: readonly string[];
}

/**
 * Runs the desktop application until it ends. One that says nothing for `silenceMs` before its window is there is
 * ended, so that the same folder can be opened in the browser.
 */
export async function runElectron(program: string, root: string, options: RunOptions): Promise<DesktopEnd> {
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-start-'));
  try {
    return await watchElectron(program, root, { ...options, file: join(folder, 'said') });
  } finally {
    await tryToRemove(folder, () => undefined, { isFolder: true });
  }
}

function watchElectron(
  program: string,
  root: string,
  {
    silenceMs,
    noticeMs = silenceMs,
    onNotice = () => undefined,
    environment,
    words = [],
    file,
  }: RunOptions & { readonly file: string },
): Promise<DesktopEnd> {
  const variables: NodeJS.ProcessEnv = { ...environment, [START_FILE_VARIABLE]: file };
  delete variables['ELECTRON_RUN_AS_NODE'];
  const child = spawn(program, [root, ...words], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
    env: variables,
  });
  let errorOutput = '';
  let stage: 'silent' | 'alive' | 'shown' | 'explained' = 'silent';
  let silentMs: number | null = null;
  let isInterrupted = false;
  child.stderr?.on('data', (bytes: Buffer) => {
    process.stderr.write(bytes);
    errorOutput = (errorOutput + bytes.toString('utf8')).slice(-MAX_OUTPUT_CHARACTERS);
  });
  // Where our own code never ran there is nothing to end in order.
  const endSilent = (): void => {
    silentMs = silenceMs;
    child.kill('SIGKILL');
  };
  let timer = setTimeout(endSilent, silenceMs);
  const notice = setTimeout(onNotice, noticeMs);
  const hear = (said: StartMessage['channelscope'] | null): void => {
    if (said === null || silentMs !== null || stage === 'shown' || stage === 'explained') return;
    stage = said;
    clearTimeout(timer);
    clearTimeout(notice);
    if (said === 'alive') timer = setTimeout(endSilent, silenceMs);
    else {
      clearInterval(reading);
      if (child.connected) child.disconnect();
    }
  };
  child.on('message', (message) => hear(readStartMessage(message)));
  let readCharacters = 0;
  const read = (): void => {
    const text = readSaid(file);
    // The same words as before are no sign of life.
    if (text.length > readCharacters) hear(readStartFile(text));
    readCharacters = text.length;
  };
  const reading = setInterval(read, READ_EVERY_MS);
  // Ctrl+C reaches the application by itself, which then stops in order; what ends only this process is passed on.
  const wait = (): void => {
    isInterrupted = true;
  };
  const pass = (signal: NodeJS.Signals): void => {
    isInterrupted = true;
    child.kill(signal);
  };
  process.on('SIGINT', wait).on('SIGTERM', pass).on('SIGHUP', pass);
  return new Promise((resolve) => {
    const end = (startError: string | null, code: number | null, signal: NodeJS.Signals | null): void => {
      clearTimeout(timer);
      clearTimeout(notice);
      clearInterval(reading);
      // Its last words may have come since.
      read();
      clearTimeout(timer);
      process.off('SIGINT', wait).off('SIGTERM', pass).off('SIGHUP', pass);
      const isDeliberate = stage === 'shown' || stage === 'explained' || (stage === 'alive' && code === 0);
      if (isDeliberate || isInterrupted) {
        const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
        const isCrash = stage === 'shown' && signal !== null && !isInterrupted;
        const words = isCrash ? `Channelscope ended unexpectedly (${describeEnd({ code, signal })}).` : null;
        resolve({ isOver: true, exitCode, words });
        return;
      }
      const { platform } = process;
      const isRoot = process.getuid?.() === 0;
      resolve({
        isOver: false,
        ...explainFailure({ platform, isRoot, program, startError, code, signal, silentMs, errorOutput }),
      });
    };
    child.once('error', (error) => end(error.message, null, null));
    child.once('exit', (code, signal) => {
      // A process that it left behind may hold standard error open for good.
      const last = setTimeout(() => end(null, code, signal), MAX_LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(last);
        end(null, code, signal);
      });
    });
  });
}

/** What was said in the file so far; nothing where it isn't there yet. */
function readSaid(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** How a runtime ended before its window was there. */
export interface RuntimeEnd {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  readonly program: string;
  /** What the system said where it couldn't be started at all. */
  readonly startError: string | null;
  readonly code: number | null;
  readonly signal: string | null;
  /** For how long it was silent, where it was ended for that; in milliseconds. */
  readonly silentMs: number | null;
  /** The end of what it wrote to standard error. */
  readonly errorOutput: string;
}

export interface Explanation {
  readonly reason: string;
  readonly remedy: string;
}

/** What dies of a trap or an abort under Linux with nothing said is nearly always refused its sandbox. */
const TRAPS = new Set(['SIGTRAP', 'SIGILL', 'SIGABRT']);
const MISSING_LIBRARY = /error while loading shared libraries: ([^\s:]+)/u;
const TRY_AGAIN = '"npm start" tries the desktop window again.';

/** Says in one sentence each why the desktop window didn't open, and what a person can do about it. */
export function explainFailure(end: RuntimeEnd): Explanation {
  const { errorOutput, platform } = end;
  const isLinux = platform === 'linux';
  const isTrap = TRAPS.has(end.signal ?? '');
  if (isLinux && (/Running as root without/u.test(errorOutput) || (end.isRoot && isTrap))) {
    return {
      reason: `Electron doesn't run as root (it ended with ${describeEnd(end)}).`,
      remedy: 'Start Channelscope as an ordinary user.',
    };
  }
  if (
    /Missing X server|cannot open display|Unable to open X display|Failed to connect to Wayland/iu.test(
      errorOutput,
    )
  ) {
    return {
      reason: 'Electron found no display.',
      remedy: 'Start Channelscope in a desktop session, or keep using it in the browser.',
    };
  }
  const library = MISSING_LIBRARY.exec(errorOutput)?.[1];
  if (library !== undefined || (isLinux && end.code === 127)) {
    return {
      reason: `Electron lacks a library of the system: ${library ?? 'it ended with exit code 127'}.`,
      remedy: `Install the package that has it; ldd "${end.program}" lists all that are missing.`,
    };
  }
  if (isLinux && (isTrap || /sandbox|namespace/iu.test(errorOutput))) {
    const helper = join(dirname(end.program), 'chrome-sandbox');
    return {
      reason: `The system denied Electron its sandbox, as far as can be seen (it ended with ${describeEnd(end)}).`,
      remedy: `Give its helper the rights it needs: sudo chown root "${helper}" && sudo chmod 4755 "${helper}"`,
    };
  }
  if (end.startError !== null) {
    return {
      reason: `Electron can't be started: ${end.startError}.`,
      remedy: `Remove the folder node_modules/electron/dist: the next "npm start" downloads it anew.`,
    };
  }
  if (end.silentMs !== null) {
    return { reason: `Electron opened no window within ${end.silentMs / 1000} s.`, remedy: TRY_AGAIN };
  }
  const words = errorOutput
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '');
  const said = words === undefined ? '' : ` Its last words: ${words.slice(0, 300)}`;
  return {
    reason: `Electron ended before its window was open (${describeEnd(end)}).${said}`,
    remedy: TRY_AGAIN,
  };
}

/** The end in a few words: a signal or an exit code. */
function describeEnd({ code, signal }: Pick<RuntimeEnd, 'code' | 'signal'>): string {
  return signal ?? `exit code ${String(code)}`;
}
