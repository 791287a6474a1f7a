import { spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import type { HostPlatform } from '../core/data-folder/standard-folder.ts';

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

/** True when this computer resolves a name to itself and to nothing else; not every system resolves `*.localhost`. */
export async function isLoopbackName(name: string): Promise<boolean> {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.length > 0 && found.every(({ address }) => address === '127.0.0.1' || address === '::1');
}
