import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where the window was; `bounds` is null when that place is unknown or no longer on a screen. */
export interface WindowState {
  readonly bounds: Bounds | null;
  readonly isMaximized: boolean;
}

/** So much of the window must be on a screen, or its title bar can't be reached. */
const LEAST_VISIBLE = 100;
const FILE_NAME = 'window.json';

function overlap(start: number, length: number, otherStart: number, otherLength: number): number {
  return Math.min(start + length, otherStart + otherLength) - Math.max(start, otherStart);
}

function isReachable(bounds: Bounds, screens: readonly Bounds[]): boolean {
  return screens.some(
    (screen) =>
      bounds.y >= screen.y &&
      overlap(bounds.x, bounds.width, screen.x, screen.width) >= LEAST_VISIBLE &&
      overlap(bounds.y, bounds.height, screen.y, screen.height) >= LEAST_VISIBLE,
  );
}

/** Reads what was remembered. A file that is missing or damaged means nothing is. */
export function readWindowState(folder: string, screens: readonly Bounds[]): WindowState {
  try {
    const saved = JSON.parse(readFileSync(join(folder, FILE_NAME), 'utf8')) as Record<string, unknown>;
    const { x, y, width, height } = saved;
    const bounds = [x, y, width, height].every(Number.isSafeInteger)
      ? ({ x, y, width, height } as Bounds)
      : null;
    return {
      bounds: bounds !== null && isReachable(bounds, screens) ? bounds : null,
      isMaximized: saved['isMaximized'] === true,
    };
  } catch {
    return { bounds: null, isMaximized: false };
  }
}

/** Remembers the window's place. Called as the window closes, so it must be done when it returns. */
export function saveWindowState(folder: string, bounds: Bounds, isMaximized: boolean): void {
  const { x, y, width, height } = bounds;
  try {
    writeFileSync(join(folder, FILE_NAME), JSON.stringify({ x, y, width, height, isMaximized }), {
      mode: 0o600,
    });
  } catch {
    // A full disk must not keep the window from closing.
  }
}
