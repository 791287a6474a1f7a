import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { escapeHtml } from './escape-html.ts';

const LIFETIME_MS = 60_000;

/** A file that leads to the application, for its owner only. */
export interface LaunchFile {
  readonly url: string;
  remove(): Promise<void>;
}

/**
 * Writes a page that leads to `address`. Other people on this computer can read the arguments of a program, not
 * this file, so the launch token never stands among arguments (W-05). It is gone after a minute.
 */
export async function writeLaunchFile(folder: string, address: string): Promise<LaunchFile> {
  const own = await mkdtemp(join(folder, 'launch-'));
  const path = join(own, 'open.html');
  const page =
    `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
    `<meta http-equiv="refresh" content="0;url=${escapeHtml(address)}"><title>Channelscope</title>`;
  await writeFile(path, page, { mode: 0o600 });
  const remove = (): Promise<void> => rm(own, { recursive: true, force: true });
  setTimeout(() => void remove(), LIFETIME_MS).unref();
  return { url: pathToFileURL(path).href, remove };
}
