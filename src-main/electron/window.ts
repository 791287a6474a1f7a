import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  BrowserWindow,
  nativeTheme,
  screen,
  type BrowserWindowConstructorOptions,
  type TitleBarOverlayOptions,
} from 'electron';
import { AppError } from '../common/contract/errors.ts';
import { isPlainObject } from '../common/json.ts';
import type { HostPlatform } from '../core/data-folder/locate-data-folder.ts';
import { writeFileAtomicallySync } from '../node/files.ts';
import { APP_URL } from './app-protocol.ts';

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

interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The window's last place; `bounds` is a size alone where the system keeps places to itself, null when unknown or off every screen. */
interface WindowState {
  readonly bounds: Bounds | Pick<Bounds, 'width' | 'height'> | null;
  readonly isMaximized: boolean;
}

/** In pixels: with less of the window on a screen, its title bar can't be reached. */
const MIN_VISIBLE = 100;
const FILE_NAME = 'window.json';
/** Of screens, the newest ones. */
const MAX_ARRANGEMENTS = 10;
/** A window that closes late is worse than one that opens where it was the time before. */
const MAX_WAIT_MS = 200;

function overlap(start: number, length: number, otherStart: number, otherLength: number): number {
  return Math.min(start + length, otherStart + otherLength) - Math.max(start, otherStart);
}

function isReachable(bounds: Bounds, screens: readonly Bounds[]): boolean {
  return screens.some(
    (screen) =>
      bounds.y >= screen.y &&
      overlap(bounds.x, bounds.width, screen.x, screen.width) >= MIN_VISIBLE &&
      overlap(bounds.y, bounds.height, screen.y, screen.height) >= MIN_VISIBLE,
  );
}

/** Returns the bounds, or null where too little of them would be on a screen. */
function keepReachable(bounds: Bounds, screens: readonly Bounds[]): Bounds | null {
  return isReachable(bounds, screens) ? bounds : null;
}

/** Names an arrangement of screens: a laptop that comes back to its desk finds its window as it was left there. */
function nameScreens(screens: readonly Bounds[]): string {
  return screens
    .map(({ x, y, width, height }) => `${width}x${height}+${x}+${y}`)
    .toSorted()
    .join(' ');
}

/** The file's content; its own values are those of the last window, on whatever screens. */
function readSaved(folder: string): Record<string, unknown> {
  try {
    const saved: unknown = JSON.parse(readFileSync(join(folder, FILE_NAME), 'utf8'));
    return isPlainObject(saved) ? saved : {};
  } catch {
    return {};
  }
}

function readByScreens({ byScreens }: Record<string, unknown>): Record<string, unknown> {
  return isPlainObject(byScreens) ? byScreens : {};
}

/** Reads what was saved for these screens, or else for any; a file that is missing or damaged counts as none. */
export function readWindowState(folder: string, screens: readonly Bounds[]): WindowState {
  const last = readSaved(folder);
  const here = readByScreens(last)[nameScreens(screens)];
  const saved = isPlainObject(here) ? here : last;
  const { x, y, width, height } = saved;
  const isMaximized = saved['isMaximized'] === true;
  if (![width, height].every(Number.isSafeInteger)) return { bounds: null, isMaximized };
  const size = { width, height } as Pick<Bounds, 'width' | 'height'>;
  if (x === undefined && y === undefined) return { bounds: size, isMaximized };
  if (![x, y].every(Number.isSafeInteger)) return { bounds: null, isMaximized };
  return { bounds: keepReachable({ x, y, ...size } as Bounds, screens), isMaximized };
}

/** Saves a window's place on these screens. Called as the window closes, so it must be done when it returns. */
export function saveWindowState(
  folder: string,
  screens: readonly Bounds[],
  { bounds, isMaximized }: { readonly bounds: Bounds; readonly isMaximized: boolean },
): void {
  const { x, y, width, height } = bounds;
  // Wayland tells no program where its windows are: both read 0 there, which elsewhere is under the system's bar.
  const place = x === 0 && y === 0 ? {} : { x, y };
  const state = { ...place, width, height, isMaximized };
  const name = nameScreens(screens);
  const others = Object.entries(readByScreens(readSaved(folder))).filter(([key]) => key !== name);
  const byScreens = Object.fromEntries([...others.slice(1 - MAX_ARRANGEMENTS), [name, state]]);
  try {
    writeFileAtomicallySync(join(folder, FILE_NAME), JSON.stringify({ ...state, byScreens }), {
      maxWaitMs: MAX_WAIT_MS,
    });
  } catch {
    // A full disk must not keep the window from closing.
  }
}
