import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

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
