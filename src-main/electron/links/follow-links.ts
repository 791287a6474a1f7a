import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { app, dialog } from 'electron';
import type { OfferedFile } from '../../common/contract/operations/files.ts';
import { LINK_SCHEME, readViewLink } from '../../common/links.ts';
import type { Words } from '../../common/words/words.ts';
import type { OfferedFiles } from '../app-protocol.ts';

/** The end of the name of a portable snapshot, which systems open with the application. */
const FILE_ENDING = '.channelscope';

/** What a person opened elsewhere: a link to a place in the window, or a file by its absolute path. */
export type Opened =
  | { readonly kind: 'place'; readonly place: string }
  | { readonly kind: 'file'; readonly path: string };

/** Words that the application was started with, the program first, and the folder that it was started in. */
export interface Start {
  readonly words: readonly string[];
  readonly folder: string;
}

/** Where what was opened leads to. */
interface LinkFollower {
  /** Calls `go` with what to begin with, and with what is opened from now on; null only shows the window. */
  begin(go: (opened: Opened | null) => void): void;
  /** Follows what another start of the application was given. */
  follow(start: Start): void;
}

const isLink = (word: string): boolean => word.startsWith(`${LINK_SCHEME}:`);

/** Finds the link or the file among the words of a start; null where it was given neither. */
function findOpened({ words }: Start): string | null {
  const isOpened = (word: string): boolean =>
    !word.startsWith('-') && (isLink(word) || word.toLowerCase().endsWith(FILE_ENDING));
  // The first is the program.
  return words.slice(1).find(isOpened) ?? null;
}

/** Returns where a link leads to; null for nowhere in the window. */
function readLink(link: string): Opened | null {
  const place = readViewLink(link);
  return place === null ? null : { kind: 'place', place };
}

/** Returns the file that a word names; null for the address of one that is on no disk of this computer. */
function readFileName(word: string, folder: string): Opened | null {
  try {
    // Desktops of Linux may hand files on as addresses.
    return { kind: 'file', path: resolve(folder, word.startsWith('file:') ? fileURLToPath(word) : word) };
  } catch {
    return null;
  }
}

/**
 * Follows links and files that people open elsewhere. A link leads to a place in the window, and does nothing there; one
 * that leads nowhere is refused with words. A file is named, and not read. Must be called before the application is
 * ready: macOS sends the first then.
 */
export function followLinks(start: Start, readWords: () => Words): LinkFollower {
  let first: Opened | null = null;
  let go: ((opened: Opened | null) => void) | null = null;

  const arrive = (opened: Opened | null): void => {
    if (go === null) first = opened ?? first;
    else go(opened);
    if (opened === null) explainRefusal(readWords());
  };
  const followWord = (word: string, folder: string): void =>
    arrive(isLink(word) ? readLink(word) : readFileName(word, folder));

  app.on('open-url', (event, url) => {
    event.preventDefault();
    void app.whenReady().then(() => arrive(readLink(url)));
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    arrive({ kind: 'file', path });
  });
  const opened = findOpened(start);
  if (opened !== null) void app.whenReady().then(() => followWord(opened, start.folder));
  return {
    begin: (given) => {
      go = given;
      go(first);
    },
    follow: (given) => {
      const word = findOpened(given);
      if (word === null) go?.(null);
      else if (go !== null) followWord(word, given.folder);
      // What is wrong with it is said in a dialog, which has to wait.
      else void app.whenReady().then(() => followWord(word, given.folder));
    },
  };
}

function explainRefusal({ t }: Words): void {
  void dialog.showMessageBox({
    type: 'warning',
    message: t('desktop.link.refused'),
    detail: t('desktop.link.why'),
    buttons: [t('desktop.link.close')],
    noLink: true,
  });
}

/** The file that a person last opened with the application. It waits here while no page can take it yet. */
export interface OpenedFile {
  /** Keeps the absolute path of a file, in place of an earlier one that nobody took. */
  keep(path: string): void;
  /** Offers the file to be imported, once; null where none waits. One that is missing is refused by its import. */
  take(): Promise<OfferedFile | null>;
}

/** Makes the place for it, which is empty. */
export function createOpenedFile(offered: Pick<OfferedFiles, 'offer'>): OpenedFile {
  let waiting: string | null = null;
  return {
    keep(path) {
      waiting = path;
    },
    async take() {
      const path = waiting;
      waiting = null;
      const uploadId = offered.offer(path);
      if (path === null || uploadId === null) return null;
      const found = await stat(path).catch(() => null);
      return { uploadId, name: basename(path), size: found?.isFile() === true ? found.size : null };
    },
  };
}
