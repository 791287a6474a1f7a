import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Reads what was saved; a file that is missing or damaged counts as none. */
export function readWindowState(folder: string, screens: readonly Bounds[]): WindowState {
  try {
    const saved = JSON.parse(readFileSync(join(folder, FILE_NAME), 'utf8')) as Record<string, unknown>;
    const { x, y, width, height } = saved;
    const isMaximized = saved['isMaximized'] === true;
    if (![width, height].every(Number.isSafeInteger)) return { bounds: null, isMaximized };
    const size = { width, height } as Pick<Bounds, 'width' | 'height'>;
    if (x === undefined && y === undefined) return { bounds: size, isMaximized };
    if (![x, y].every(Number.isSafeInteger)) return { bounds: null, isMaximized };
    const bounds = { x, y, ...size } as Bounds;
    return { bounds: isReachable(bounds, screens) ? bounds : null, isMaximized };
  } catch {
    return { bounds: null, isMaximized: false };
  }
}

/** Saves the window's place. Called as the window closes, so it must be done when it returns. */
export function saveWindowState(folder: string, bounds: Bounds, isMaximized: boolean): void {
  const { x, y, width, height } = bounds;
  // Wayland tells no program where its windows are: both read 0 there, which elsewhere is under the system's bar.
  const place = x === 0 && y === 0 ? {} : { x, y };
  try {
    const state = { ...place, width, height, isMaximized };
    writeFileAtomicallySync(join(folder, FILE_NAME), JSON.stringify(state), MAX_WAIT_MS);
  } catch {
    // A full disk must not keep the window from closing.
  }
}
