import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { WayBack } from '../core/host.ts';
import {
  findStandardFolder,
  type HostPlatform,
  locateDataFolder,
  toHostPlatform,
} from '../core/data-folder/locate-data-folder.ts';
import { readControlPlace } from '../node/control-place.ts';
import { toErrorText } from '../node/error-text.ts';
import { findSnapFolder, isLoopbackName, openInBrowser, writeLaunchFile } from '../web/launch-file.ts';
import type { Launch } from '../web/web-server.ts';
import { say, type StartOptions } from './read-options.ts';

/** A page that has asked for nothing by then is probably none. */
export const UNOPENED_MS = 8_000;
/** A browser that has to start first reads the file that leads there by then. */
const MAX_READ_MS = 15_000;

/** Opens an address in the browser by a file that leads there; says so where it can't. Returns what removes the file. */
export async function showInBrowser(
  { url, isolatedUrl }: Pick<Launch, 'url' | 'isolatedUrl'>,
  platform: HostPlatform,
  dataFolder: string,
): Promise<() => Promise<void>> {
  const address = (await isLoopbackName(new URL(isolatedUrl).hostname)) ? isolatedUrl : url;
  const folder = (await findSnapFolder(platform, homedir())) ?? dataFolder;
  const { file, remove } = await writeLaunchFile(folder, address, (error) => {
    say(`The page that opened the browser could not be removed: ${toErrorText(error)}`);
  });
  if (!(await openInBrowser(platform, file))) say(`No browser could be opened. Open this address: ${url}`);
  return remove;
}

/**
 * Leads back to the application where it runs with this data folder already: its window comes to the front, or the browser
 * opens it by a new address, which is printed. False where it doesn't run, or can't be led back to.
 */
export async function comeBack({
  dataFolder,
  opensBrowser,
}: Pick<StartOptions, 'dataFolder' | 'opensBrowser'>): Promise<boolean> {
  const platform = toHostPlatform(process.platform);
  const given = dataFolder === null ? null : resolve(dataFolder);
  const { folder } = locateDataFolder(findStandardFolder(platform, homedir(), process.env), given);
  // Where nothing runs, nothing more is loaded.
  if ((await readControlPlace(folder)) === null) return false;
  const { connectControl } = await import('../node/control.ts');
  const running = await connectControl(folder);
  if (running === null) return false;
  try {
    const answer = await running.call('app/come-back', null, {});
    const way = answer.ok ? (answer.value as WayBack | null) : null;
    if (way === null) return false;
    if (way.kind === 'window') {
      say('Channelscope runs already: its window is in front.');
      return true;
    }
    process.stdout.write(`${JSON.stringify({ url: way.url })}\n`);
    say('Channelscope runs already, and goes on with what it was doing.');
    if (!opensBrowser) return true;
    const remove = await showInBrowser(way, platform, folder);
    await wait(MAX_READ_MS);
    await remove();
    return true;
  } finally {
    running.close();
  }
}
