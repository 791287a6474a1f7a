import { chmod } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { makePrivateFolder, PRIVATE_FOLDER_MODE } from '../../node/private-files.ts';

export type HostPlatform = 'macos' | 'windows' | 'linux';

/** The platform as the contract names it; every other Unix is treated as Linux. */
export function toHostPlatform(platform: NodeJS.Platform): HostPlatform {
  if (platform === 'darwin') return 'macos';
  return platform === 'win32' ? 'windows' : 'linux';
}

/** The default data folder of a user; the same for both hosts. */
export function findStandardFolder(
  platform: HostPlatform,
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (platform === 'macos') return posix.join(home, 'Library', 'Application Support', 'Channelscope');
  if (platform === 'windows') {
    return win32.join(environment['LOCALAPPDATA'] ?? win32.join(home, 'AppData', 'Local'), 'Channelscope');
  }
  const base = environment['XDG_DATA_HOME'] ?? '';
  // The XDG specification: a path that is not absolute is to be ignored.
  return posix.join(posix.isAbsolute(base) ? base : posix.join(home, '.local', 'share'), 'channelscope');
}

/** Creates the folder and closes it to all users but its owner, also one that exists. */
export async function prepareDataFolder(folder: string): Promise<void> {
  makePrivateFolder(folder);
  await chmod(folder, PRIVATE_FOLDER_MODE);
}
