import {
  BrowserWindow,
  nativeTheme,
  screen,
  type BrowserWindowConstructorOptions,
  type TitleBarOverlayOptions,
} from 'electron';
import { pathToFileURL } from 'node:url';
import { writeFile } from 'node:fs/promises';
import { AppError } from '../common/contract/errors.ts';
import type { HostPlatform } from '../core/data-folder/standard-folder.ts';
import { APP_URL } from './app-address.ts';
import { keepReachable, readWindowState, saveWindowState, type WindowState } from './window-state.ts';

const TITLE_BAR_HEIGHT = 44;

/** The surface behind the window's own buttons; the same colours as the page's tokens. */
function buildOverlay(isDark: boolean): TitleBarOverlayOptions {
  return isDark
    ? { color: '#101317', symbolColor: '#e6e9ee', height: TITLE_BAR_HEIGHT }
    : { color: '#f7f8fa', symbolColor: '#1d2129', height: TITLE_BAR_HEIGHT };
}

function buildTitleBar(platform: HostPlatform, isDark: boolean): BrowserWindowConstructorOptions {
  if (platform === 'macos') {
    // With an overlay the page knows how wide the buttons are, however it is zoomed.
    return {
      titleBarStyle: 'hiddenInset',
      titleBarOverlay: true,
      trafficLightPosition: { x: 11, y: 16 },
    };
  }
  if (platform === 'windows') return { titleBarStyle: 'hidden', titleBarOverlay: buildOverlay(isDark) };
  return { autoHideMenuBar: true };
}

/** The options of every window. What is safe by default is stated all the same, so that a test can check it. */
export function buildWindowOptions(options: {
  platform: HostPlatform;
  preload: string;
  /** The developer tools, which a package has no use for. */
  hasTools: boolean;
  isDark: boolean;
  state: WindowState;
}): BrowserWindowConstructorOptions {
  const { platform, preload, hasTools, isDark, state } = options;
  return {
    width: 1440,
    height: 900,
    ...state.bounds,
    minWidth: 900,
    minHeight: 600,
    show: false,
    title: 'Channelscope',
    backgroundColor: isDark ? '#101317' : '#f7f8fa',
    ...buildTitleBar(platform, isDark),
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      webSecurity: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: hasTools,
    },
  };
}

/** Some systems never say that a hidden window could be shown. */
const MAX_HIDDEN_MS = 3_000;

/**
 * Shows the window once it has something to show, or that failed, in the colours of the settings; or once either took too
 * long: never not at all.
 */
function showOnce(
  window: BrowserWindow,
  { isMaximized }: WindowState,
  { isColoured, onShown }: Pick<WindowOptions, 'isColoured' | 'onShown'>,
): void {
  const { webContents } = window;
  let isShown = false;
  const show = (): void => {
    clearTimeout(timer);
    if (isShown || window.isDestroyed()) return;
    isShown = true;
    if (isMaximized) window.maximize();
    window.show();
    onShown();
  };
  const timer = setTimeout(show, MAX_HIDDEN_MS);
  const loaded = new Promise<void>((resolve) => {
    window.once('ready-to-show', resolve);
    webContents.once('did-finish-load', resolve);
    webContents.once('did-fail-load', () => resolve());
  });
  void Promise.all([loaded, isColoured]).then(show);
  window.once('closed', () => clearTimeout(timer));
}

/** Loads the page, at a place in it where one is given; why that failed is an event of the contents, which the window's watch explains. */
export function loadPage(window: BrowserWindow, place: string | null = null): void {
  window.loadURL(place === null ? APP_URL : `${APP_URL}#${place}`).catch(() => undefined);
}

/** So far from the one before it a further window opens, so that both can be seen. */
const STEP_PIXELS = 28;

export interface WindowOptions {
  readonly platform: HostPlatform;
  readonly preload: string;
  readonly dataFolder: string;
  readonly hasTools: boolean;
  /** The screen to begin with; null for the usual one. */
  readonly place: string | null;
  /** A window that is open already; null for the first. */
  readonly beside: BrowserWindow | null;
  /** Resolves once the colours of the settings are those of the system's parts; never where they can't be read. */
  readonly isColoured: Promise<void>;
  /** Called before the page is loaded. */
  readonly onOpen: (window: BrowserWindow) => void;
  readonly onShown: () => void;
}

/** Where a window opens: as the last one was left on these screens, or a step from the one that is open. */
function findState(dataFolder: string, beside: BrowserWindow | null): WindowState {
  const screens = screen.getAllDisplays().map((display) => display.workArea);
  if (beside === null) return readWindowState(dataFolder, screens);
  const { x, y, width, height } = beside.getNormalBounds();
  return {
    bounds: keepReachable({ x: x + STEP_PIXELS, y: y + STEP_PIXELS, width, height }, screens),
    isMaximized: false,
  };
}

/** Makes the window, shows it, and remembers its place. */
export function openWindow(options: WindowOptions): BrowserWindow {
  const { platform, preload, dataFolder, hasTools } = options;
  const state = findState(dataFolder, options.beside);
  const window = new BrowserWindow(
    buildWindowOptions({ platform, preload, hasTools, isDark: nativeTheme.shouldUseDarkColors, state }),
  );
  if (platform === 'windows') {
    const recolour = (): void => {
      window.setTitleBarOverlay(buildOverlay(nativeTheme.shouldUseDarkColors));
    };
    nativeTheme.on('updated', recolour);
    window.once('closed', () => nativeTheme.removeListener('updated', recolour));
  }
  showOnce(window, state, options);
  window.on('close', () => {
    const screens = screen.getAllDisplays().map((display) => display.workArea);
    saveWindowState(dataFolder, screens, {
      bounds: window.getNormalBounds(),
      isMaximized: window.isMaximized(),
    });
    // The dock would keep the bar of a window that is gone.
    window.setProgressBar(-1);
  });
  options.onOpen(window);
  loadPage(window, options.place);
  return window;
}

/** A page that only Chromium's printing sees: no script, no session of the application, nothing kept. */
const PRINTING: BrowserWindowConstructorOptions = {
  show: false,
  webPreferences: {
    partition: 'printing',
    javascript: false,
    contextIsolation: true,
    sandbox: true,
    webSecurity: true,
    nodeIntegration: false,
    devTools: false,
  },
};

/** A page that is not printed by then never will be. */
const MAX_PRINT_MS = 120_000;

/** Prints an HTML file to a PDF file, in a window that is never shown, as `Host.printPdf` says. */
export async function printDocument(
  source: string,
  target: string,
  signal: AbortSignal,
  maxMs = MAX_PRINT_MS,
): Promise<void> {
  signal.throwIfAborted();
  const window = new BrowserWindow(PRINTING);
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(new Error('It was told to end, or took too long.'));
  const timer = setTimeout(stop, maxMs);
  signal.addEventListener('abort', stop);
  const print = async (): Promise<Buffer> => {
    await window.loadURL(pathToFileURL(source).href);
    return window.webContents.printToPDF({ printBackground: true, preferCSSPageSize: true });
  };
  try {
    await writeFile(target, await Promise.race([print(), stopped.promise]));
  } catch (error) {
    signal.throwIfAborted();
    throw new AppError('exports.print-failed', 'The report could not be printed.', {}, error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    if (!window.isDestroyed()) window.destroy();
  }
}
