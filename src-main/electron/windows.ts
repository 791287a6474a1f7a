import {
  type BrowserWindow,
  type ContextMenuParams,
  dialog,
  Menu,
  type MenuItemConstructorOptions,
  type WebContents,
} from 'electron';
import { isAppPage } from './app-protocol.ts';
import { toEventChannel } from './channels.ts';
import type { Opened } from './links/follow-links.ts';
import { openWindow, type WindowOptions } from './window.ts';
import type { Words } from '../common/words/words.ts';
import type { Logger } from '../core/logging/logger.ts';

/** The windows that are open. Each has an address of its own; what they show comes from the same core. */
interface Windows {
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

type Clicked = Pick<ContextMenuParams, 'isEditable' | 'selectionText' | 'editFlags'>;

/** Returns what a right click offers: for a field what can be done to its text, elsewhere to copy what is selected. */
function buildContextMenu(
  { isEditable, selectionText, editFlags }: Clicked,
  { t }: Pick<Words, 't'>,
): MenuItemConstructorOptions[] {
  const copy: MenuItemConstructorOptions = {
    role: 'copy',
    label: t('desktop.menu.copy'),
    enabled: editFlags.canCopy,
  };
  if (!isEditable) return selectionText.trim() === '' ? [] : [copy];
  return [
    { role: 'undo', label: t('desktop.menu.undo'), enabled: editFlags.canUndo },
    { role: 'redo', label: t('desktop.menu.redo'), enabled: editFlags.canRedo },
    { type: 'separator' },
    { role: 'cut', label: t('desktop.menu.cut'), enabled: editFlags.canCut },
    copy,
    { role: 'paste', label: t('desktop.menu.paste'), enabled: editFlags.canPaste },
    { type: 'separator' },
    { role: 'selectAll', label: t('desktop.menu.selectAll'), enabled: editFlags.canSelectAll },
  ];
}

/** Shows the system's own menu at a right click, where the page has none of its own there. */
export function showContextMenus(window: BrowserWindow, readWords: () => Words): void {
  window.webContents.on('context-menu', (_event, clicked) => {
    const items = buildContextMenu(clicked, readWords());
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window });
  });
}

/** A window that stopped twice within this time isn't loaded a third time. */
const QUIET_MS = 10 * 60_000;
/** After Electron's own half minute: a page may be busy for a while. */
const MAX_HANG_MS = 10_000;
/** Chromium's code for a load that another one replaced. */
const ABORTED = -3;

interface WatchOptions {
  readonly logger: Pick<Logger, 'error' | 'warn'>;
  readonly load: () => void;
  readonly quit: () => void;
  readonly now: () => number;
  readonly readWords: () => Words;
}

/** Survives the end or the hanging of a window's process: the page is loaded again once, and then the person asked. */
export function watchWindow(window: BrowserWindow, options: WatchOptions): void {
  const { logger, load, quit, now, readWords } = options;
  const contents = window.webContents;
  let reloadedAtMs = Number.NEGATIVE_INFINITY;
  let hang: NodeJS.Timeout | undefined;
  let isAsking = false;

  const again = (): void => {
    // Not from within the event: the process is still being taken down then.
    setTimeout(() => {
      if (window.isDestroyed()) return;
      reloadedAtMs = now();
      load();
    }, 0);
  };
  const ask = async (message: string, detail: string): Promise<void> => {
    if (isAsking || window.isDestroyed()) return;
    isAsking = true;
    const { t } = readWords();
    const { response } = await dialog.showMessageBox(window, {
      type: 'error',
      message,
      detail,
      buttons: [t('desktop.trouble.reload'), t('desktop.trouble.quit')],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    });
    isAsking = false;
    if (response === 1) quit();
    else again();
  };
  const recover = (message: string, detail: string): void => {
    if (now() - reloadedAtMs > QUIET_MS) again();
    else void ask(message, detail);
  };

  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    clearTimeout(hang);
    if (reason === 'clean-exit') return;
    logger.error('the window ended', { reason, exitCode });
    const { t } = readWords();
    recover(t('desktop.trouble.stopped'), t('desktop.trouble.ended', { reason, code: exitCode }));
  });
  window.on('unresponsive', () => {
    logger.warn('the window hangs');
    clearTimeout(hang);
    hang = setTimeout(() => {
      // Its end is reported like any other.
      if (!window.isDestroyed()) contents.forcefullyCrashRenderer();
    }, MAX_HANG_MS);
  });
  window.on('responsive', () => clearTimeout(hang));
  window.once('closed', () => clearTimeout(hang));
  contents.on('preload-error', (_event, _path, error) => {
    logger.error('the preload script failed', { error });
  });
  contents.on('did-fail-load', (_event, code, words, _url, isMainFrame) => {
    if (!isMainFrame || code === ABORTED) return;
    logger.error('the window was not loaded', { code, words });
    const { t } = readWords();
    const reason = words === '' ? t('desktop.trouble.unknownReason') : words;
    void ask(t('desktop.trouble.notLoaded'), `${reason} (${code}).`);
  });
}
