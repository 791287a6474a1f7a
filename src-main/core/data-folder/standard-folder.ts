import { chmod } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import { findErrorCode } from '../../node/error-text.ts';
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

/** What the system answers where a folder can't be made, or isn't the person's to write to. */
const UNWRITABLE = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'EEXIST']);

/**
 * Creates the folder and closes it to all users but its owner, also one that exists. Throws AppError `cache.read-only`
 * where it can't be written to.
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    makePrivateFolder(folder);
    await chmod(folder, PRIVATE_FOLDER_MODE);
  } catch (error) {
    if (!UNWRITABLE.has(findErrorCode(error) ?? '')) throw error;
    const message = `Channelscope can't write to the folder ${folder}. Make it writable, or name another one with --data.`;
    throw new AppError('cache.read-only', message, { folder }, error);
  }
}
