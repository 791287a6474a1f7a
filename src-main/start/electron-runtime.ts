import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryToRemove } from '../node/files.ts';

export interface InstallOptions {
  /** Called with the bytes that have come so far, each time that there are more. */
  readonly onProgress: (bytes: number) => void;
  /** The longest wait for the first byte, and then for each further one. */
  readonly firstByteMs: number;
  readonly silenceMs: number;
}

const POLL_MS = 250;
const MAX_OUTPUT_CHARACTERS = 64 * 1024;
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
    output = (output + text).slice(0, MAX_OUTPUT_CHARACTERS);
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
