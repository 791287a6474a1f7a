import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '../common/contract/errors.ts';
import { copyPatiently, removePatiently } from './files.ts';

/** A page that is not printed by then never will be. */
const MAX_PRINT_MS = 120_000;
/** A browser that was told to end has this long to do so by itself. */
const END_MS = 500;
/** As much of what the browser says of a failure is kept. */
const MAX_REASON_CHARACTERS = 500;

/** Chromium puts a socket into the folder for temporary files, whose path the system takes up to this length. */
const MAX_SOCKET_PATH_BYTES = 103;
const SOCKET_NAME = 'org.chromium.Chromium.123456/SingletonSocket';

/** What Chromium says where it can't guard itself against the page; that is never switched off for it. */
const NO_SANDBOX = /no-sandbox|No usable sandbox/;

/**
 * Prints an HTML file to a PDF file with a browser of the machine, in a profile of its own. The file has to forbid its own
 * scripts: a browser without any prints nothing. Throws
 * `exports.no-browser` where there is none, `exports.no-sandbox` where it refuses to run unguarded, `exports.print-failed`, and the signal's reason when aborted.
 */
export async function printWithBrowser(
  source: string,
  target: string,
  signal: AbortSignal,
  browser: string | null = findBrowser() ?? null,
): Promise<void> {
  if (browser === null) {
    throw new AppError(
      'exports.no-browser',
      'PDF needs Chromium, Chrome or Edge on this computer. Export the HTML report and print it.',
    );
  }
  signal.throwIfAborted();
  const snapFolder = await findSnapFolder(browser);
  const profile = await mkdtemp(join(snapFolder ?? tmpdir(), 'channelscope-print-'));
  // A snap sees neither /tmp nor what is elsewhere in the home, so both files lie in its own folder.
  const page = snapFolder === null ? source : join(profile, 'page.html');
  const printed = snapFolder === null ? target : join(profile, 'page.pdf');
  try {
    if (page !== source) await copyPatiently(source, page);
    const child = spawn(
      browser,
      [
        '--headless',
        '--disable-gpu',
        '--disable-extensions',
        '--no-first-run',
        '--no-pdf-header-footer',
        `--user-data-dir=${profile}`,
        `--print-to-pdf=${printed}`,
        pathToFileURL(page).href,
      ],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        windowsHide: true,
        env: { ...process.env, ...toTemporaryFolder(profile) },
        signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_PRINT_MS)]),
      },
    );
    let reason = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      reason = (reason + text).slice(-MAX_REASON_CHARACTERS);
    });
    const code = await waitForEnd(child);
    signal.throwIfAborted();
    // Some end well without having printed.
    if (code !== 0 || !existsSync(printed)) {
      if (NO_SANDBOX.test(reason)) {
        throw new AppError(
          'exports.no-sandbox',
          'The browser has no sandbox here, and prints nothing without it: it refuses to run as root, and in some containers.',
          { systemCode: String(code) },
        );
      }
      throw new AppError('exports.print-failed', 'The browser could not print the report.', {
        systemCode: String(code),
        reason,
      });
    }
    if (printed !== target) await copyPatiently(printed, target);
  } finally {
    await removePatiently(profile, { isFolder: true });
  }
}

/** Programs of snaps are links to it, or scripts that start what is below the other. */
const SNAP_PROGRAM = '/usr/bin/snap';
const SNAP_NAME = /\/snap\/(?:bin\/)?([a-z0-9-]+)/u;
const MAX_SCRIPT_CHARACTERS = 8_192;

/** The folder that a browser may use where it is a snap; null for any other. */
export async function findSnapFolder(browser: string, home = homedir()): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  const isLink = (await realpath(browser).catch(() => browser)) === SNAP_PROGRAM;
  const script = isLink ? '' : await readScript(browser);
  const name = SNAP_NAME.exec(isLink || browser.startsWith('/snap/') ? browser : script)?.[1];
  if (name === undefined) return null;
  const folder = join(home, 'snap', name, 'common');
  await mkdir(folder, { recursive: true });
  return folder;
}

/** What a program does where it is a script; empty for any other. */
async function readScript(path: string): Promise<string> {
  const { size } = await stat(path).catch(() => ({ size: Infinity }));
  const text = size > MAX_SCRIPT_CHARACTERS ? '' : await readFile(path, 'latin1').catch(() => '');
  return text.startsWith('#!') ? text : '';
}

/** Waits until neither the browser nor a process that it has started is there; until then they write files. */
async function waitForEnd(child: ChildProcess): Promise<unknown> {
  const closed = once(child, 'close') as Promise<[unknown]>;
  try {
    return (await closed)[0];
  } catch (error) {
    // It could not be started, or was told to end.
    if (child.pid !== undefined && child.exitCode === null) {
      const force = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await once(child, 'close');
      clearTimeout(force);
    }
    return String(error);
  }
}

/** Has a browser leave there what it does not remove where it is ended early; nothing where its socket would not fit. */
function toTemporaryFolder(folder: string): Readonly<Record<string, string>> {
  if (Buffer.byteLength(join(folder, SOCKET_NAME)) > MAX_SOCKET_PATH_BYTES) return {};
  return { TMPDIR: folder, TMP: folder, TEMP: folder };
}

type Environment = Readonly<Record<string, string | undefined>>;

const MAC_NAMES = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
const LINUX_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/microsoft-edge',
  '/snap/bin/chromium',
];
const WINDOWS_PATHS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];
/** For all users in either width, and for one person. */
const WINDOWS_FOLDERS = ['ProgramFiles', 'ProgramFiles(x86)', 'ProgramW6432', 'LOCALAPPDATA'];

/** Where a browser of Chromium's family may be: the one of `CHANNELSCOPE_CHROMIUM` first, then by system. */
export function listBrowserPlaces(
  platform: NodeJS.Platform,
  environment: Environment,
  home: string,
): readonly string[] {
  const chosen = environment['CHANNELSCOPE_CHROMIUM'];
  const others = listInstalled(platform, environment, home);
  return chosen === undefined || chosen === '' ? others : [chosen, ...others];
}

function listInstalled(platform: NodeJS.Platform, environment: Environment, home: string): string[] {
  if (platform === 'win32') {
    const folders = WINDOWS_FOLDERS.flatMap((name) => environment[name] ?? []);
    return [...new Set(folders)].flatMap((folder) => WINDOWS_PATHS.map((path) => win32.join(folder, path)));
  }
  if (platform !== 'darwin') return LINUX_PATHS;
  return ['/', home].flatMap((root) =>
    MAC_NAMES.map((name) => posix.join(root, 'Applications', `${name}.app`, 'Contents/MacOS', name)),
  );
}

/** A browser that is on the machine already; none is ever downloaded. */
export function findBrowser(): string | undefined {
  return listBrowserPlaces(process.platform, process.env, homedir()).find((path) => existsSync(path));
}
