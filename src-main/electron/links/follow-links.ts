import { app, dialog } from 'electron';
import { open } from 'node:fs/promises';
import { LINK_SCHEME, readViewFile, readViewLink, VIEW_FILE_ENDING } from '../../common/links/view-link.ts';

const MAX_FILE_BYTES = 64 * 1024;

/** Where links that were opened lead to. */
export interface LinkFollower {
  /** Calls `go` with the place to begin with, and with that of each link from now on; null only shows the window. */
  begin(go: (place: string | null) => void): void;
  /** Follows what another start of the application was given. */
  follow(words: readonly string[]): void;
}

/** Finds the link, or the file that leads to a place, among the words that the application was started with. */
function findOpened(words: readonly string[]): string | null {
  const isOpened = (word: string): boolean =>
    !word.startsWith('-') && (word.startsWith(`${LINK_SCHEME}:`) || word.endsWith(VIEW_FILE_ENDING));
  // The first is the program.
  return words.slice(1).find(isOpened) ?? null;
}

/** Reads a file that leads to a place. Never more of it than one can have, and nothing but a file. */
async function readPlace(path: string): Promise<string | null> {
  const file = await open(path, 'r');
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > MAX_FILE_BYTES) return null;
    return readViewFile(await file.readFile('utf8'));
  } finally {
    await file.close();
  }
}

/**
 * Follows links and files that people open elsewhere. Each leads to a place in the window and does nothing there; one
 * that leads nowhere is refused with words. Must be called before the application is ready: macOS sends the first then.
 */
export function followLinks(words: readonly string[]): LinkFollower {
  let first: string | null = null;
  let go: ((place: string | null) => void) | null = null;

  const arrive = (place: string | null): void => {
    if (place === null) {
      go?.(null);
      void dialog.showMessageBox({
        type: 'warning',
        message: 'This leads nowhere in Channelscope.',
        detail: 'The link or the file is damaged, made for a later version, or not one of Channelscope’s.',
        buttons: ['Close'],
        noLink: true,
      });
    } else if (go === null) first = place;
    else go(place);
  };
  const arriveByFile = (path: string): Promise<void> =>
    readPlace(path).then(arrive, () => {
      arrive(null);
    });
  const followWord = (word: string): Promise<void> => {
    if (!word.startsWith(`${LINK_SCHEME}:`)) return arriveByFile(word);
    arrive(readViewLink(word));
    return Promise.resolve();
  };

  app.on('open-url', (event, url) => {
    event.preventDefault();
    void app.whenReady().then(() => arrive(readViewLink(url)));
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    void app.whenReady().then(() => arriveByFile(path));
  });
  const opened = findOpened(words);
  if (opened !== null) void app.whenReady().then(() => followWord(opened));
  return {
    begin: (given) => {
      go = given;
      go(first);
    },
    follow: (given) => {
      const word = findOpened(given);
      if (word === null) go?.(null);
      else void followWord(word);
    },
  };
}
