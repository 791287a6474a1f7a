import { execFile, spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostPlatform } from '../core/data-folder/locate-data-folder.ts';

/** The program that opens an address or a file in the browser; no shell interprets its arguments. */
export function findOpener(platform: HostPlatform): { command: string; args: readonly string[] } {
  if (platform === 'macos') return { command: 'open', args: [] };
  if (platform === 'windows') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler'] };
  return { command: 'xdg-open', args: [] };
}

/** Opens an address in the default browser. Returns false where no such program can be started. */
export function openInBrowser(platform: HostPlatform, address: string): Promise<boolean> {
  const { command, args } = findOpener(platform);
  return new Promise((resolve) => {
    const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** Of the desktop entries of snaps: the name of the snap, and that of its program. */
const SNAP_ENTRY = /^([a-z0-9][a-z0-9-]*)_[\w.-]+\.desktop$/u;
const MAX_ASKING_MS = 2_000;

/**
 * A folder that the default browser may read, where it is a snap: those see neither hidden folders of the home nor /tmp, so
 * that a page in the data folder would be refused. Null for any other browser.
 */
export async function findSnapFolder(platform: HostPlatform, home: string): Promise<string | null> {
  if (platform !== 'linux') return null;
  const entry = await new Promise<string>((resolve) => {
    const words = ['get', 'default-web-browser'];
    execFile('xdg-settings', words, { timeout: MAX_ASKING_MS }, (error, output) =>
      resolve(error === null ? output.trim() : ''),
    );
  });
  const name = SNAP_ENTRY.exec(entry)?.[1];
  if (name === undefined) return null;
  const folder = join(home, 'snap', name, 'common');
  // One that has never run has none yet.
  return mkdir(folder, { recursive: true }).then(
    () => folder,
    () => null,
  );
}

/** True when this computer resolves a name to itself and to nothing else; not every system resolves `*.localhost`. */
export async function isLoopbackName(name: string): Promise<boolean> {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.length > 0 && found.every(({ address }) => address === '127.0.0.1' || address === '::1');
}
