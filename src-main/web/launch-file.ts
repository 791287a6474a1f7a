import { execFile, spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Words } from '../common/words/words.ts';
import type { HostPlatform } from '../core/data-folder/locate-data-folder.ts';
import { PRIVATE_FILE_MODE, tryToRemove } from '../node/files.ts';

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

/** The product's colours and mark, without a file of the window: this page is shown to who has no session. */
const STYLE = [
  ':root{color-scheme:light dark;--page:#f7f8fa;--card:#fff;--line:#d9dde3;--text:#1d2129;--quiet:#5b6472;--mark:#3a58cc}',
  '@media(prefers-color-scheme:dark){:root{--page:#101317;--card:#181c22;--line:#2c323b;--text:#e6e9ee;--quiet:#9aa4b2}}',
  'body{font:15px/1.55 Inter,system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;background:var(--page);color:var(--text)}',
  'main{box-sizing:border-box;width:min(36rem,100% - 2rem);padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:12px}',
  'p.name{display:flex;align-items:center;gap:.6rem;margin:0 0 1.25rem;font-weight:600}svg{width:28px;height:28px;color:var(--mark)}',
  'h1{font-size:1.25rem;line-height:1.3;margin:0 0 .5rem}p{margin:0 0 1rem}ol{margin:0;padding-left:1.25rem}li{margin:.5rem 0}',
  'code{font:13px/1.5 "JetBrains Mono",ui-monospace,monospace;padding:.15rem .4rem;border:1px solid var(--line);border-radius:6px;background:var(--page);white-space:nowrap}',
  'p.note{margin:1rem 0 0;color:var(--quiet);font-size:.9rem}',
].join('');

const BARS = [
  [8, 18, 9],
  [15, 11, 16],
  [22, 15, 12],
  [29, 12, 15],
].map(([x, y, height]) => `<rect x="${x}" y="${y}" width="3.5" height="${height}" rx="1.75"/>`);
const MARK =
  `<svg viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" rx="10" fill="currentColor"/>` +
  `<g fill="#fff">${BARS.join('')}</g></svg>`;

const COMMAND = 'npm start';
const COMMAND_WITH_FOLDER = 'npm start -- --data';

/**
 * Shown where a tab has no session: says how to get in again while the application runs on. Needs neither script nor
 * session itself. With a data folder of one's own, the command has to name it; the page, which anybody on this computer
 * may ask for, doesn't.
 */
export function buildComeBackPage(nonce: string, { t, language }: Words, hasOwnFolder: boolean): string {
  const folder = t('page.comeBack.folder');
  const command = hasOwnFolder ? `${COMMAND_WITH_FOLDER} ${folder}` : COMMAND;
  const note = hasOwnFolder ? `<p class="note">${t('page.comeBack.folderNote')}</p>` : '';
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><link rel="icon" href="data:,">` +
    `<meta name="viewport" content="width=device-width"><title>${t('page.comeBack.title')}</title>` +
    `<style nonce="${nonce}">${STYLE}</style></head><body><main>` +
    `<p class="name">${MARK}Channelscope</p><h1>${t('page.comeBack.title')}</h1>` +
    `<p>${t('page.comeBack.text')}</p><ol><li>${t('page.comeBack.key')}</li>` +
    `<li>${t('page.comeBack.command')} <code>${command}</code></li></ol>${note}</main></body></html>`
  );
}

/** A page that leads to `address`. */
function buildForwardPage(address: string): string {
  const escaped = address.replace(/[&<>"']/gu, (character) => `&#${character.charCodeAt(0)};`);
  return (
    `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
    `<meta http-equiv="refresh" content="0;url=${escaped}"><title>Channelscope</title>`
  );
}

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
