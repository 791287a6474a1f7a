import type { BrowserWindow, WebContents } from 'electron';
import { isAppPage } from './app-address.ts';
import { toEventChannel } from './channels.ts';
import type { Opened } from './links/follow-links.ts';
import { openWindow, type WindowOptions } from './window.ts';

/** The windows that are open. Each has an address of its own; what they show comes from the same core. */
export interface Windows {
  /** The one that the person used last; null while none is open. */
  findFront(): BrowserWindow | null;
  list(): readonly BrowserWindow[];
  /** Brings the window to the front that was used last, or opens one, and leads it to what was opened elsewhere. */
  show(opened: Opened | null): void;
  /** Opens one more: at a place, or at that of the window in front. */
  openAnother(place: string | null): void;
}

/** Returns the place that a window shows; null for the one that it begins with. */
function readPlace(window: BrowserWindow | null): string | null {
  if (window === null) return null;
  const url = window.webContents.getURL();
  const at = url.indexOf('#');
  return isAppPage(url) && at >= 0 ? url.slice(at + 1) : null;
}

/** Keeps the windows. Calls from pages are accepted while their window is in `trusted`. */
export function createWindows(
  options: Omit<WindowOptions, 'place' | 'beside' | 'onOpen'> & {
    readonly trusted: Map<number, WebContents>;
    readonly onOpen: (window: BrowserWindow) => void;
    /** A file that was opened waits here for the page that takes it. */
    readonly keepFile: (path: string) => void;
  },
): Windows {
  const { trusted, keepFile } = options;
  // The last is the one in front.
  const windows: BrowserWindow[] = [];
  const remove = (window: BrowserWindow): void => {
    const at = windows.indexOf(window);
    if (at >= 0) windows.splice(at, 1);
  };
  const findFront = (): BrowserWindow | null => windows.at(-1) ?? null;

  const open = (place: string | null): void => {
    const window = openWindow({
      ...options,
      place,
      beside: findFront(),
      onOpen: (made) => {
        windows.push(made);
        trusted.set(made.webContents.id, made.webContents);
        options.onOpen(made);
      },
    });
    const { id } = window.webContents;
    window.on('focus', () => {
      remove(window);
      windows.push(window);
    });
    window.once('closed', () => {
      trusted.delete(id);
      remove(window);
    });
  };

  return {
    findFront,
    list: () => windows,
    show: (opened) => {
      // A page that begins asks for it; one that is there is told.
      if (opened?.kind === 'file') keepFile(opened.path);
      const window = findFront();
      if (window === null) {
        open(opened?.kind === 'place' ? opened.place : null);
        return;
      }
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
      if (opened?.kind === 'place') {
        window.webContents.send(toEventChannel('app/place-opened'), { place: opened.place });
      }
      if (opened?.kind === 'file') window.webContents.send(toEventChannel('imports/file-opened'), null);
    },
    openAnother: (place) => open(place ?? readPlace(findFront())),
  };
}
