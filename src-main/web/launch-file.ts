import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tryToRemove } from '../node/move-and-remove.ts';
import { PRIVATE_FILE_MODE } from '../node/private-files.ts';
import { buildForwardPage } from './plain-pages.ts';

const LIFETIME_MS = 60_000;

/**
 * Writes a page that leads to `address`, for its owner only, and returns its URL and what removes it. Other users of this computer can read
 * the arguments of a program, not this file, so the launch token never stands among arguments. It is removed after a
 * minute; `report` gets the error where it can't be.
 */
export async function writeLaunchFile(
  folder: string,
  address: string,
  report: (error: unknown) => void,
): Promise<{ readonly file: string; readonly remove: () => Promise<void> }> {
  const own = await mkdtemp(join(folder, 'channelscope-launch-'));
  const path = join(own, 'open.html');
  await writeFile(path, buildForwardPage(address), { mode: PRIVATE_FILE_MODE });
  const remove = async (): Promise<void> => {
    await tryToRemove(own, report, { isFolder: true });
  };
  setTimeout(() => void remove(), LIFETIME_MS).unref();
  return { file: pathToFileURL(path).href, remove };
}
