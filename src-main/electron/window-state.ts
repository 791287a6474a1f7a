import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '../common/json/is-plain-object.ts';
import { writeFileAtomicallySync } from '../node/write-file-atomically.ts';

export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The window's last place; `bounds` is a size alone where the system keeps places to itself, null when unknown or off every screen. */
export interface WindowState {
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
export function keepReachable(bounds: Bounds, screens: readonly Bounds[]): Bounds | null {
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
    writeFileAtomicallySync(join(folder, FILE_NAME), JSON.stringify({ ...state, byScreens }), MAX_WAIT_MS);
  } catch {
    // A full disk must not keep the window from closing.
  }
}
